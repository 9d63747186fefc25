"""Finds the plug-ins of an entry-point group. fwdtui's own are found in the same way."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from fwdtui.core.errors import FwdtuiError

TOOLS = "fwdtui.tools"
SYSTEMS = "fwdtui.systems"


@cache
def _found(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    points: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=group):
        if all(point.value != other.value for other in points.get(point.name, ())):
            points[point.name] = (*points.get(point.name, ()), point)
    return points


def names(group: str) -> tuple[str, ...]:
    """The names that lab.toml may use, sorted, without loading anything."""
    return tuple(sorted(_found(group)))


def is_own(group: str, name: str) -> bool:
    """Whether the plug-in is part of fwdtui."""
    return any(point.value.startswith("fwdtui.") for point in _found(group).get(name, ()))


def load(group: str, name: str, kind: type, where: str, whose: str = "") -> object:
    """The object behind the entry point. `where` and `whose` are used in error messages only.

    Raises FwdtuiError if there is no plug-in of this name or more than one, if it cannot be loaded, or if it
    is not a `kind`.
    """
    word = kind.__name__.lower()
    points = _found(group).get(name, ())
    if not points:
        known = ", ".join(names(group)) or "none, not even fwdtui's own: reinstall it"
        raise FwdtuiError(f"{where}: no {word} {name!r}{whose}; known: {known}")
    if len(points) > 1:
        places = " and ".join(sorted(point.value for point in points))
        raise FwdtuiError(f"{where}: two {word}s are called {name!r}{whose}: {places}")
    try:
        loaded: object = points[0].load()
    except Exception as error:  # third-party code
        raise FwdtuiError(
            f"{where}: {word} {name!r}{whose} cannot be loaded from {points[0].value}:"
            f" {type(error).__name__}: {error}"
        ) from error
    if isinstance(loaded, type) or not isinstance(loaded, kind):  # a class has the methods of its objects
        found = f"the class {loaded.__name__}" if isinstance(loaded, type) else type(loaded).__name__
        raise FwdtuiError(f"{where}: {points[0].value} is not a {kind.__name__} but {found}{whose}")
    return loaded
