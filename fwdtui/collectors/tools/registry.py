"""The available tools: all that are installed under the entry-point group, including ours."""

from collections.abc import Iterable, Mapping

from fwdtui.collectors import plugins
from fwdtui.collectors.tools.base import Tool
from fwdtui.core.lab import Endpoint, Lab


def known() -> tuple[str, ...]:
    """The names that lab.toml may use, sorted."""
    return plugins.names(plugins.TOOLS)


def tool_of(endpoint: Endpoint, role: str, path: str = "lab.toml") -> Tool:
    """The tool of an endpoint.

    Raises FwdtuiError: ``lab.toml: generator.tool: no tool 'pktgen' (host gen); known: counters, iperf3``.
    """
    return named(endpoint.tool, f"{path}: {role}.tool", f" (host {endpoint.host})")


def named(name: str, where: str = "tool", whose: str = "") -> Tool:
    """The tool called `name`. `where` and `whose` are used in error messages only. Raises FwdtuiError."""
    tool = plugins.load(plugins.TOOLS, name, Tool, where, whose)
    assert isinstance(tool, Tool)
    return tool


def check(lab: Lab, path: str = "lab.toml") -> Mapping[str, Tool]:
    """All tools of a lab by name. Raises FwdtuiError for the first unknown one."""
    ends: Iterable[tuple[str, Endpoint]] = [("generator", generator) for generator in lab.generators]
    if lab.receiver is not None:
        ends = [*ends, ("receiver", lab.receiver)]
    return {endpoint.tool: tool_of(endpoint, role, path) for role, endpoint in ends}


def uncounted(lab: Lab, path: str = "lab.toml") -> frozenset[str]:
    """The tools of a lab whose packets bypass the interface counters: their own lines give the rate."""
    return frozenset(name for name, tool in check(lab, path).items() if not tool.counted)
