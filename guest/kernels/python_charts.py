"""The data that a matplotlib figure shows, in the structure that clients of code interpreters know:

    {"type": "line", "title": ..., "x_label": ..., "x_unit": ..., "x_ticks": [...], "x_tick_labels": [...],
     "x_scale": "linear", ..., "elements": [{"label": ..., "points": [[x, y], ...]}, ...]}

Types: line, scatter, bar, pie, box_and_whisker; superchart for several axes; unknown for the rest. Reading a figure
must never fail an execution: what cannot be understood is left out.
"""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import re
import sys

from python_display import plain

MAX_POINTS = 100_000  # of one figure: its data as text is then some megabytes

_MEAN = "^"  # how box plots mark a mean, which may lie anywhere

_UNIT = re.compile(r"\s\(([^()]+)\)\s*$|\[([^\[\]]+)\]\s*$")


def extract(figure):
    """The chart as plain data, or None for a figure without axes."""
    try:
        axes = [ax for ax in figure.get_axes() if ax.get_label() != "<colorbar>"]
        if not axes:
            return None
        if len(axes) == 1:
            return _chart(axes[0])
        title = figure.get_suptitle() if hasattr(figure, "get_suptitle") else ""
        return {"type": "superchart", "title": title or None, "elements": [_chart(ax) for ax in axes]}
    except Exception:
        return None


def _chart(ax):
    try:
        for kind in (_pie, _bars, _boxes, _scatter, _lines):
            chart = kind(ax)
            if chart is not None:
                return chart
    except Exception:
        pass  # a chart of another version, or of a shape that nobody thought of: its title is still known
    return {"type": "unknown", "title": ax.get_title() or None, "elements": []}


# ---------------------------------------------------------------- what all charts have


def _base(ax, kind):
    return {"type": kind, "title": ax.get_title() or None}


def _labelled(ax, kind, swap=False):
    """With the labels and units of both axes; swapped if the bars lie on their side, so that x is the category."""
    chart = _base(ax, kind)
    labels = [ax.get_xlabel() or None, ax.get_ylabel() or None]
    if swap:
        labels.reverse()
    for axis, label in zip("xy", labels):
        unit = _UNIT.search(label) if label else None
        chart[f"{axis}_label"] = label
        chart[f"{axis}_unit"] = (unit.group(1) or unit.group(2)) if unit else None
    return chart


def _measured(ax, kind):
    """With ticks and scales too."""
    chart = _labelled(ax, kind)
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        ticks = [float(tick) for tick in axis.get_ticklocs()]
        labels = _tick_labels(axis)
        scale = axis.get_scale()
        if _is_date(axis):
            scale = "datetime"
            dates = sys.modules["matplotlib.dates"]
            ticks = [dates.num2date(tick).isoformat() for tick in ticks]
        elif scale == "linear" and _is_categorical(axis):
            scale = "categorical"
        chart[f"{name}_ticks"] = ticks
        chart[f"{name}_tick_labels"] = labels
        chart[f"{name}_scale"] = scale
    return chart


def _tick_labels(axis):
    # Labels are only made when a figure is drawn, and savefig has drawn it.
    return [label.get_text() for label in axis.get_ticklabels()]


def _converter(axis):
    getter = getattr(axis, "get_converter", None)
    return type(getter() if getter else axis.converter).__name__


def _is_date(axis):
    return "Date" in _converter(axis)


def _is_categorical(axis):
    return _converter(axis) == "StrCategoryConverter"


def _values(axis, data):
    """Points along an axis: numbers, dates in ISO 8601, or the names of categories."""
    values = data.tolist() if hasattr(data, "tolist") else list(data)
    if _is_date(axis):
        dates = sys.modules["matplotlib.dates"]
        return [
            dates.num2date(v).isoformat() if isinstance(v, (int, float)) and v == v else plain(v) for v in values
        ]
    if _is_categorical(axis):
        names = {at: name for name, at in axis.units._mapping.items()}
        return [names.get(v, plain(v)) if isinstance(v, (int, float)) else plain(v) for v in values]
    return [plain(v) for v in values]


def _label(artist, word, number):
    """The label that the program gave, or `Line 0` for one that matplotlib made up."""
    label = str(artist.get_label())
    return f"{word} {number}" if label.startswith("_") or not label else label


def _points(ax, x, y):
    # As it was drawn: dates as numbers, categories as their places.
    return [list(point) for point in zip(_values(ax.xaxis, x), _values(ax.yaxis, y))][:MAX_POINTS]


# ---------------------------------------------------------------- the kinds


def _artists(ax):
    """What was drawn: no texts, no lines across the whole axes (axhline, axvline)."""
    return [artist for artist in ax.get_children() if artist in ax._children and not _is_guide(ax, artist)]


def _is_guide(ax, artist):
    kind = type(artist).__name__
    if kind in ("Text", "Annotation", "FancyArrowPatch"):
        return True
    return kind in ("Line2D", "AxLine") and artist.get_transform() != ax.transData and len(artist.get_xdata()) == 2


def _all(artists, *names):
    return bool(artists) and all(type(artist).__name__ in names for artist in artists)


def _lines(ax):
    artists = _artists(ax)
    lines = [artist for artist in artists if type(artist).__name__ == "Line2D"]
    if not lines or not _all(artists, "Line2D", "PolyCollection", "FillBetweenPolyCollection"):
        return None
    chart = _measured(ax, "line")
    chart["elements"] = [
        {
            "label": _label(line, "Line", number),
            "points": _points(ax, line.get_xdata(orig=False), line.get_ydata(orig=False)),
        }
        for number, line in enumerate(lines)
    ]
    return chart


def _scatter(ax):
    artists = _artists(ax)
    clouds = [artist for artist in artists if type(artist).__name__ == "PathCollection"]
    # A line through a cloud (a fit) leaves it a scatter chart.
    if not clouds or not _all(artists, "PathCollection", "Line2D"):
        return None
    chart = _measured(ax, "scatter")
    chart["elements"] = [
        {
            "label": _label(cloud, "Group", number),
            "points": _points(ax, cloud.get_offsets()[:, 0], cloud.get_offsets()[:, 1]),
        }
        for number, cloud in enumerate(clouds)
    ]
    return chart


def _bars(ax):
    groups = [group for group in ax.containers if type(group).__name__ == "BarContainer" and len(group)]
    if not groups:
        return None
    lying = all(getattr(group, "orientation", None) == "horizontal" for group in groups)
    chart = _labelled(ax, "bar", swap=lying)
    axis = ax.yaxis if lying else ax.xaxis
    names = dict(zip((float(tick) for tick in axis.get_ticklocs()), _tick_labels(axis)))
    if _is_categorical(axis):
        names.update((float(at), str(name)) for name, at in axis.units._mapping.items())
    elements = []
    for number, group in enumerate(groups):
        for bar in group:
            middle = bar.get_y() + bar.get_height() / 2 if lying else bar.get_x() + bar.get_width() / 2
            elements.append(
                {
                    "label": _nearest(names, middle, bar.get_height() if lying else bar.get_width()),
                    "group": _label(group, "Group", number),
                    "value": plain(bar.get_width() if lying else bar.get_height()),
                }
            )
    chart["elements"] = elements
    return chart


def _nearest(names, at, width):
    """The tick under a bar, also if grouped bars stand beside it; its place if no tick is near."""
    tick = min(names, key=lambda candidate: abs(candidate - at), default=None)
    reach = max(abs(float(width)), 0.5)
    return names[tick] if tick is not None and abs(tick - at) <= reach and names[tick] else f"{float(at):g}"


def _pie(ax):
    wedges = [artist for artist in _artists(ax) if type(artist).__name__ == "Wedge"]
    if not wedges or not _all(_artists(ax), "Wedge"):
        return None
    chart = _base(ax, "pie")
    chart["elements"] = [
        {
            "label": _label(wedge, "Slice", number),
            "angle": round(abs(float(wedge.theta2) - float(wedge.theta1)), 4),
            "radius": plain(wedge.r),
        }
        for number, wedge in enumerate(wedges)
    ]
    return chart


def _boxes(ax):
    """Box plots, whether the boxes are filled (patches) or drawn by lines."""
    artists = _artists(ax)
    if not _all(artists, "Line2D", "PathPatch"):
        return None
    outlines = []
    lines = []
    for artist in artists:
        if type(artist).__name__ == "PathPatch":
            corners = artist.get_path().vertices[:4]
            outlines.append(([float(x) for x in corners[:, 0]], [float(y) for y in corners[:, 1]]))
            continue
        x, y = [[float(v) for v in data] for data in (artist.get_xdata(orig=False), artist.get_ydata(orig=False))]
        if len(x) == 5 and x[0] == x[4] and y[0] == y[4] and len(set(x)) == 2 and len(set(y)) == 2:
            outlines.append((x[:4], y[:4]))
        else:
            lines.append((x, y, artist.get_marker()))
    if not outlines:
        return None
    lying = _lies(outlines, lines)
    if lying:
        outlines = [(y, x) for x, y in outlines]
        lines = [(y, x, marker) for x, y, marker in lines]
    chart = _labelled(ax, "box_and_whisker", swap=lying)
    axis = ax.yaxis if lying else ax.xaxis
    names = dict(zip((float(tick) for tick in axis.get_ticklocs()), _tick_labels(axis)))
    chart["elements"] = [_box(x, y, lines, names) for x, y in outlines]
    return chart


def _lies(outlines, lines):
    """Whether the boxes lie on their side: then a whisker, which ends where its box begins, is horizontal."""
    for box_x, box_y in outlines:
        middle = (min(box_y) + max(box_y)) / 2
        for x, y, _ in lines:
            if len(x) == 2 and y[0] == y[1] and abs(y[0] - middle) < 1e-9 and (max(box_x) in x or min(box_x) in x):
                return min(x) != max(x) and not (min(x) >= min(box_x) and max(x) <= max(box_x))
    return False


def _box(box_x, box_y, lines, names):
    left, right, low, high = min(box_x), max(box_x), min(box_y), max(box_y)
    middle = (left + right) / 2
    box = {
        "label": _nearest(names, middle, right - left),
        "min": low,
        "first_quartile": low,
        "median": (low + high) / 2,
        "third_quartile": high,
        "max": high,
        "outliers": [],
    }
    for x, y, marker in lines:
        if not x or min(x) < left or max(x) > right:
            continue
        if len(x) == 2 and x[0] == x[1]:
            box["min"] = min(box["min"], *y)
            box["max"] = max(box["max"], *y)
        elif len(x) == 2 and y[0] == y[1] and low <= y[0] <= high and x[1] - x[0] >= (right - left) * 0.9:
            box["median"] = y[0]
        elif len(set(x)) == 1 and abs(x[0] - middle) < 1e-9 and marker != _MEAN:
            box["outliers"].extend(value for value in y if not low <= value <= high)
    return box
