"""matplotlib's figures as results. matplotlib is never imported here: the hook waits until a program does it."""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import io
import sys

import python_charts
import python_display
import python_hooks

PYPLOT = "matplotlib.pyplot"


def install(emit):
    """From now on, whenever pyplot is imported, figures become results."""
    python_hooks.when_imported(PYPLOT, lambda pyplot: _patch(pyplot, emit))


def _patch(pyplot, emit):
    """Its show() hands the open figures over."""

    def show(*arguments, **options):
        """Display all open figures."""
        emit_open_figures(emit)

    def show_figure(figure, warn=True):
        """Display this figure."""
        emit(False, bundle(figure))
        pyplot.close(figure)

    pyplot.show = show
    pyplot.Figure.show = show_figure


def emit_open_figures(emit):
    """Every open figure becomes a result, in the order in which they were made, and is closed."""
    pyplot = sys.modules.get(PYPLOT)
    if pyplot is None or not hasattr(pyplot, "get_fignums"):
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        try:
            # An empty figure is what plt.figure() leaves behind: nobody meant to show it.
            if figure.get_axes() or figure.texts or figure.images:
                emit(False, bundle(figure))
        finally:
            pyplot.close(figure)


def is_figure(obj):
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(obj, getattr(module, "Figure", ()))


def bundle(figure):
    """The figure as a picture, as the data that it shows, and as text."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", bbox_inches="tight")
    data = {"text/plain": repr(figure), "image/png": picture.getvalue()}
    chart = python_charts.extract(figure)
    if chart is not None:
        data[python_display.CHART] = chart
    return data


def close(figure):
    """Forgets a figure that has been shown as the value of an expression: it must not come a second time."""
    pyplot = sys.modules.get(PYPLOT)
    if pyplot is not None:
        pyplot.close(figure)
