"""Calls a tool's code, which may be a plug-in's: what it does wrong becomes an error that says so."""

from math import isfinite

from fwdtui.collectors.tools.base import Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample, RateSample
from fwdtui.core.text import clean

_NUMBERS = "packets", "seconds", "pps", "lost"


def prepared(tool: Tool, endpoint: Endpoint, origin: Origin) -> tuple[Reader, str]:
    """The reader of one run, and the script to start. Raises FwdtuiError: nothing is started then."""
    try:
        return tool.reader(origin), tool.script(endpoint)
    except FwdtuiError:
        raise
    except Exception as error:
        raise FwdtuiError(
            f"{tool.on(endpoint.host)} is not started: the tool {tool.name!r} fails:"
            f" {type(error).__name__}: {clean(str(error))}"
        ) from error


def samples(reader: Reader, line: str, at: float) -> list[ToolSample]:
    """The samples of a line. Raises ValueError for what is no sample, and whatever the reader raises."""
    found = list(reader.feed(line, at))
    for sample in found:
        if isinstance(sample, RateSample):
            _check("t", sample.t, least=None)
            _check("interval", sample.interval)
            _check("pps", sample.pps)
            for name in ("packets", "bps", "lost"):
                if (value := getattr(sample, name)) is not None:
                    _check(name, value)
        elif not isinstance(sample, EventSample):
            raise ValueError(f"feed returned {_kind(sample)}, not a sample")
    return found


def verdict(reader: Reader) -> ToolVerdict:
    """The reader's verdict. Raises ValueError for what is none, and whatever the reader raises."""
    found = reader.close()
    if not isinstance(found, ToolVerdict):
        raise ValueError(f"close returned {_kind(found)}, not a ToolVerdict")
    for name in _NUMBERS:
        if (value := getattr(found, name)) is not None:
            _check(name, value)
    return found


def _check(name: str, value: object, least: float | None = 0.0) -> None:
    """Refuse what would be recorded as another number, or as none."""
    if not isinstance(value, int | float) or not isfinite(value) or (least is not None and value < least):
        raise ValueError(f"{name}: {clean(repr(value))[:40]} is not a number from 0 on")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
