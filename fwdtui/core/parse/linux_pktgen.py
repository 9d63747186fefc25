"""/proc/net/pktgen/DEVICE: the kernel packet generator's settings, its counters and its result.

Source: pktgen_if_show() and show_results() in net/core/pktgen.c, Documentation/networking/pktgen.rst.
The file has no rate while the generator runs: `sofar` and `errors` are then the counters to sample.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, identifier, lines, phrase, shown, whole

_PAIR = re.compile(r"\b([a-zA-Z_-]{1,32})(?:: | (?=[0-9]))([^\s:]{1,80})(?=\s|$)")
_MICROSECONDS = re.compile(r"([0-9]{1,20})us")
# "nsec" of older kernels is a misprint: the number is in microseconds there too;
# "-1frags" is printed for a device that built no packet, since its port is down (Linux 6.1)
_RESULT = re.compile(
    r"OK: ([0-9]{1,20})\(c([0-9]{1,20})\+d([0-9]{1,20})\) [nu]sec, "
    r"([0-9]{1,20}) \(([0-9]{1,9})byte,-?[0-9]{1,9}frags\)"
)
_RATE = re.compile(r"([0-9]{1,20})pps [0-9]{1,20}Mb/sec \(([0-9]{1,20})bps\) errors: ([0-9]{1,20})")


@dataclass(frozen=True, slots=True)
class PktgenResult:
    """A finished run: total and idle microseconds, packets, packets and bits per second, errors.

    Bits are those of frames without FCS, gap and preamble. An error is a packet that the driver refused.
    """

    microseconds: int
    idle_microseconds: int
    packets: int
    packet_size: int
    pps: int
    bps: int
    errors: int


@dataclass(frozen=True, slots=True)
class PktgenStatus:
    """`sofar` and `errors` count since the start of the current run; start and stop in microseconds.

    While it runs, `stopped` is the current time. `state` is the Result line ("Idle", "Starting",
    "OK: flag=NO_TIMESTAMP" after a setting ...); `result` is set only if that line is a run's result.
    """

    interface: str | None = None
    sofar: int | None = None
    errors: int | None = None
    started: int | None = None
    stopped: int | None = None
    idle: int | None = None
    state: str | None = None
    result: PktgenResult | None = None
    settings: dict[str, str] | None = None


def parse_pktgen_device(text: str) -> Parsed[PktgenStatus]:
    """/proc/net/pktgen/DEVICE (``eth4@0``: device and thread). The Result spans two lines."""
    skipped = Skipped()
    settings: dict[str, str] = {}
    current: dict[str, str] = {}
    state: str | None = None
    result: PktgenResult | None = None
    section = settings
    all_lines = [line.strip() for line in lines(text)]
    for number, line in enumerate(all_lines, 1):
        if line.startswith("Result:"):
            state = phrase(line.removeprefix("Result:"))
            following = all_lines[number] if number < len(all_lines) else ""
            result = _result(state or "", following)
            if result is None and state and _RESULT.fullmatch(state):
                skipped.line(number, "a result without its second line", line)
            break
        if line.startswith("Current:"):
            section = current
        elif line.startswith("Flags:"):
            settings["flags"] = phrase(" ".join(line.removeprefix("Flags:").split())) or ""
            continue
        for name, value in _PAIR.findall(line.removeprefix("Params:")):
            section.setdefault(name, value)
    if not settings and not current:
        skipped.note(f"not a pktgen device: {shown(all_lines[0])}")
    for name in ("pkts-sofar", "errors"):
        if name in current and whole(current[name]) is None:
            skipped.note(f"{name} is not a counter: {shown(current[name])}")
    status = PktgenStatus(
        interface=identifier(settings.pop("ifname", None)),
        sofar=whole(current.get("pkts-sofar", "")),
        errors=whole(current.get("errors", "")),
        started=_microseconds(current.get("started")),
        stopped=_microseconds(current.get("stopped")),
        idle=_microseconds(current.get("idle")),
        state=state,
        result=result,
        settings=settings,
    )
    return Parsed(status, skipped.done())


def _result(first: str, second: str) -> PktgenResult | None:
    run, rate = _RESULT.fullmatch(first), _RATE.fullmatch(second)
    if not run or not rate:
        return None
    total, _, idle, packets, size = (int(value) for value in run.groups())
    pps, bps, errors = (int(value) for value in rate.groups())
    return PktgenResult(total, idle, packets, size, pps, bps, errors)


def _microseconds(value: str | None) -> int | None:
    match = _MICROSECONDS.fullmatch(value or "")
    return int(match[1]) if match else None
