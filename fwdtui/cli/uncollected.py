"""No search for garbage while a short command runs."""

import atexit
import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """No search for garbage: neither while modules and sessions are loaded nor when Python ends.

    A comparison or an import leaves hardly any. Searching through scipy's hundred thousand objects again and
    again took a seventh of the time of a small comparison, and some percent of an import's.
    """
    was_on = gc.isenabled()
    gc.disable()
    atexit.register(gc.freeze)
    try:
        yield
    finally:
        if was_on:
            gc.enable()
