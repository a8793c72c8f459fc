"""What programs written for notebooks import from IPython: `IPython.display`, also where IPython is not installed.

Where it is, its own would print what it is told to show, because no shell of its own runs. Everything is made when it is
first imported, so that libraries that look whether IPython is in use find it absent before.
"""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import base64
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
import types

NAME = "IPython"
# Of an IPython that brings its own support for libraries: they then leave it to itself.
VERSION = (9, 0, 0)


class _Shown:
    """Content of one MIME type, from text, from a file, or, of the binary ones, from bytes."""

    mime = "text/plain"
    binary = False

    def __init__(self, data=None, filename=None, **options):
        if data is None and filename is None:
            raise TypeError(f"{type(self).__name__} needs data or filename; what is at an address has to be fetched first")
        if data is None:
            with open(filename, "rb") as file:
                data = file.read()
        self.data = data
        self.metadata = options

    def _content(self):
        if self.binary:
            data = self.data.encode() if isinstance(self.data, str) else bytes(self.data)
            return base64.b64encode(data).decode()
        return self.data.decode() if isinstance(self.data, (bytes, bytearray)) else str(self.data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: self._content()}

    def __repr__(self):
        return f"<IPython.core.display.{type(self).__name__} object>"


def _kind(name, mime, binary=False):
    return type(name, (_Shown,), {"mime": mime, "binary": binary, "__module__": NAME + ".display"})


class JSON(_Shown):
    mime = "application/json"

    def _content(self):
        return self.data if isinstance(self.data, str) else json.dumps(self.data)


_PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"%PDF": "application/pdf"}


class Image(_Shown):
    binary = True

    @property
    def mime(self):
        head = self.data[:4] if isinstance(self.data, (bytes, bytearray)) else b""
        return next((mime for start, mime in _PICTURES.items() if head.startswith(start)), "image/png")


def _fill(module):
    kinds = {
        "HTML": ("text/html", False),
        "Markdown": ("text/markdown", False),
        "Latex": ("text/latex", False),
        "SVG": ("image/svg+xml", False),
        "Javascript": ("application/javascript", False),
        "Pretty": ("text/plain", False),
    }
    for name, (mime, binary) in kinds.items():
        setattr(module, name, _kind(name, mime, binary))
    math = _kind("Math", "text/latex")
    math._content = lambda self: f"$\\displaystyle {self.data}$"
    module.Math = math
    module.JSON, module.Image = JSON, Image
    module.display = lambda *objects, **options: builtins.display(*objects, **options)
    module.clear_output = lambda wait=False: None
    module.display_html = lambda *objects, **_: module.display(*objects)
    module.display_png = module.display_markdown = module.display_html


def _fill_top(module):
    module.__path__ = []
    module.version_info = VERSION
    module.__version__ = ".".join(str(part) for part in VERSION)
    module.get_ipython = lambda: None


def _fill_core(module):
    module.__path__ = []


_MODULES = {NAME: _fill_top, NAME + ".display": _fill, NAME + ".core": _fill_core, NAME + ".core.display": _fill}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package="." not in name) if name in self.names else None

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        _MODULES[module.__name__](module)


def install():
    sys.meta_path.insert(0, _Finder({NAME + ".display"}))
    # Last: of an IPython that somebody has installed the rest is its own.
    sys.meta_path.append(_Finder(_MODULES))
