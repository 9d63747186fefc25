"""Which tools there are: all that are installed under the entry-point group, ours among them."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from fwdtui.collectors.tools.base import TOOLS_GROUP, Tool
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint, Lab


@cache
def _found() -> Mapping[str, tuple[EntryPoint, ...]]:
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=TOOLS_GROUP):
        if all(point.value != other.value for other in found.get(point.name, ())):
            found[point.name] = (*found.get(point.name, ()), point)
    return found


def known() -> tuple[str, ...]:
    """The names that lab.toml may use, sorted."""
    return tuple(sorted(_found()))


def tool_of(endpoint: Endpoint, role: str, path: str = "lab.toml") -> Tool:
    """The tool of an endpoint.

    Raises FwdtuiError: ``lab.toml: generator.tool: no tool 'pktgen' (host gen); known: counters, iperf3``.
    """
    return named(endpoint.tool, f"{path}: {role}.tool", f" (host {endpoint.host})")


def named(name: str, where: str = "tool", whose: str = "") -> Tool:
    """The tool called `name`; `where` and `whose` are for the message."""
    points = _found().get(name, ())
    if not points:
        names = ", ".join(known()) or "none, not even fwdtui's own: install it again"
        raise FwdtuiError(f"{where}: no tool {name!r}{whose}; known: {names}")
    if len(points) > 1:
        places = " and ".join(sorted(point.value for point in points))
        raise FwdtuiError(f"{where}: two tools are called {name!r}{whose}: {places}")
    try:
        tool = points[0].load()
    except Exception as error:  # somebody else's code
        raise FwdtuiError(
            f"{where}: tool {name!r}{whose} cannot be loaded from {points[0].value}:"
            f" {type(error).__name__}: {error}"
        ) from error
    if not isinstance(tool, Tool):
        raise FwdtuiError(f"{where}: {points[0].value} is no Tool but {type(tool).__name__}{whose}")
    return tool


def check(lab: Lab, path: str = "lab.toml") -> Mapping[str, Tool]:
    """All tools of a lab by name. Raises FwdtuiError for the first that is not there."""
    ends: Iterable[tuple[str, Endpoint]] = [("generator", generator) for generator in lab.generators]
    if lab.receiver is not None:
        ends = [*ends, ("receiver", lab.receiver)]
    return {endpoint.tool: tool_of(endpoint, role, path) for role, endpoint in ends}


def uncounted(lab: Lab, path: str = "lab.toml") -> frozenset[str]:
    """The tools of a lab whose packets the interface counters do not see: their own lines tell the rate."""
    return frozenset(name for name, tool in check(lab, path).items() if not tool.counted)
