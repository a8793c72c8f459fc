"""From objects to MIME bundles: what an object shows of itself, within bounds.

Everything here runs code of the objects it is given: it may fail, loop or be interrupted.
"""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import base64
import json
import sys

MAX_TEXT = 1 << 20  # characters of a text/plain
MAX_BUNDLE = (8 << 20) - (1 << 16)  # bytes of one result: the host's bound, with room for its types
MAX_TYPES = 60  # representations of one result; the host's bound is 64
MAX_CELLS = 200_000  # of a table that is sent as data: beyond, a file serves better than a message

DATA = "application/vnd.glovebox.data+json"
CHART = "application/vnd.glovebox.chart+json"

_TEXTS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_latex_", "text/latex"),
    ("_repr_javascript_", "application/javascript"),
)
_BINARIES = (
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_pdf_", "application/pdf"),
)


def bundle(obj):
    """The object as {MIME type: content}; binary content is base64, as in Jupyter; text/plain is always there."""
    data = {}
    whole = _represent(obj, "_repr_mimebundle_", include=None, exclude=None)
    if isinstance(whole, dict):
        data.update((mime, value) for mime, value in whole.items() if isinstance(mime, str))
    for method, mime in _TEXTS + _BINARIES:
        if mime not in data:
            value = _represent(obj, method)
            if value is not None:
                data[mime] = value
    if "application/json" not in data:
        value = _represent(obj, "_repr_json_")
        if value is not None:
            data["application/json"] = value
    table = _table(obj)
    if table is not None:
        data[DATA] = table
    if not isinstance(data.get("text/plain"), str):
        data["text/plain"] = repr(obj)
    return data


def sendable(data):
    """The bundle with every content as bounded text; what does not fit is left out, and said on stderr."""
    texts = {}
    left_out = []
    room = MAX_BUNDLE
    # The plain text first: it is the one that must arrive.
    for mime in sorted(data, key=lambda name: name != "text/plain"):
        text = _text(data[mime])
        if text is None:
            continue
        if mime == "text/plain":
            text = bounded(text)
        size = len(text.encode("utf-8", "backslashreplace"))
        if size > room or len(texts) >= MAX_TYPES:
            left_out.append(f"{mime} ({size} bytes)")
            continue
        room -= size
        texts[mime] = text
    if left_out:
        sys.stderr.write(
            f"[Glovebox left out of a result: {', '.join(left_out)}. One result holds at most {MAX_BUNDLE} bytes"
            f" and {MAX_TYPES} types; write what is larger to a file.]\n"
        )
    return texts


def bounded(text, limit=MAX_TEXT):
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n... [cut by Glovebox: {limit} of {len(text)} characters shown]"


def _represent(obj, method, **arguments):
    """What the object's own representation method returns, or None if it has none or fails."""
    function = getattr(type(obj), method, None)
    if function is None or isinstance(obj, type):
        return None
    try:
        value = function(obj, **arguments)
    except Exception:
        return None
    # Jupyter allows (data, metadata).
    return value[0] if isinstance(value, tuple) and value else value


def _text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    try:
        return json.dumps(plain(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def _table(obj):
    """A pandas DataFrame as its columns, {name: [value, ...]}, or None. pandas is not imported for it."""
    pandas = sys.modules.get("pandas")
    frame_type = getattr(pandas, "DataFrame", None)
    if frame_type is None or not isinstance(obj, frame_type) or obj.size > MAX_CELLS:
        return None
    try:
        return {str(name): [plain(value) for value in obj.iloc[:, i].tolist()] for i, name in enumerate(obj.columns)}
    except Exception:
        return None


def plain(value):
    """The value as JSON has it: no NaN, dates in ISO 8601, numbers of numpy as numbers, everything else as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    if isinstance(value, dict):
        return {str(key): plain(content) for key, content in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if type(value).__module__ == "numpy":
        return str(value) if type(value).__name__ in ("datetime64", "timedelta64") else plain(value.tolist())
    isoformat = getattr(value, "isoformat", None)
    return isoformat() if callable(isoformat) else str(value)
