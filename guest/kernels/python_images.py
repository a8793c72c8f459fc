"""pillow's pictures: one that a program saves to a file, by its name, becomes a result too, as clients of code interpreters
know it. pillow is never imported here."""

from builtins import *  # noqa: F403  what a cell does to builtins must not reach the kernel
import functools
import sys

import python_display
import python_hooks


def install(emit):
    """From now on, whenever pillow is imported, pictures that are saved become results."""
    python_hooks.when_imported("PIL.Image", lambda module: _patch(module.Image, emit))


def _patch(image_type, emit):
    original = image_type.save

    @functools.wraps(original)
    def save(image, fp, format=None, **options):
        original(image, fp, format, **options)
        # matplotlib saves its figures so, which become results of their own.
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if isinstance(fp, str) and not caller.startswith(("matplotlib", "PIL.")):
            emit(False, python_display.bundle(image))

    image_type.save = save
