"""matplotlib's figures as results. matplotlib is never imported here: the hook waits until a program does it."""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import importlib.util
import io
import sys

import python_charts
import python_display

PYPLOT = "matplotlib.pyplot"


def install(emit):
    """From now on, whenever pyplot is imported, figures become results."""
    hook = _PyplotHook(emit)
    if PYPLOT in sys.modules:
        hook.patch(sys.modules[PYPLOT])
    else:
        sys.meta_path.insert(0, hook)


class _PyplotHook:
    """A finder on sys.meta_path: when pyplot has been imported, its show() hands the open figures over."""

    def __init__(self, emit):
        self._emit = emit
        self._finding = False

    def find_spec(self, name, path=None, target=None):
        if name != PYPLOT or self._finding:
            return None
        self._finding = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._finding = False
        if spec is not None and spec.loader is not None:
            spec.loader = _After(spec.loader, self.patch)
        return spec

    def patch(self, pyplot):
        def show(*arguments, **options):
            """Display all open figures."""
            emit_open_figures(self._emit)

        def show_figure(figure, warn=True):
            """Display this figure."""
            self._emit(False, bundle(figure))
            pyplot.close(figure)

        pyplot.show = show
        pyplot.Figure.show = show_figure


class _After:
    """A loader that does what another does, and something afterwards."""

    def __init__(self, loader, then):
        self._loader = loader
        self._then = then

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        self._then(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)


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
