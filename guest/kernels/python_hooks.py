"""Something to be done to a library once a program has imported it. The library itself is never imported here."""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import importlib.util
import sys


def when_imported(name, action):
    """Calls action(module) when the module of that name has been imported; now, if it is there."""
    if name in sys.modules:
        action(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Hook(name, action))


class _Hook:
    """A finder on sys.meta_path that finds what the others find, with a loader that does something more."""

    def __init__(self, name, action):
        self._name = name
        self._action = action
        self._finding = False

    def find_spec(self, name, path=None, target=None):
        if name != self._name or self._finding:
            return None
        self._finding = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._finding = False
        if spec is not None and spec.loader is not None:
            spec.loader = _After(spec.loader, self._action)
        return spec


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
