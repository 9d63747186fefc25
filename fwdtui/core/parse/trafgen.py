"""trafgen's report on stdout: how many packets it sent, and how long each CPU took.

Source: trafgen(8), netsniff-ng 0.6.8 trafgen.c. It prints no rate, and nothing at all before it ends. With
-b it sends each second's budget in one burst: good for load, not for pacing. Progress lines begin with a
carriage return, and failing sysctls may precede the report.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, lines, phrase

_OUTGOING = re.compile(r"([0-9]{1,20}) (packets|bytes) outgoing")
_CPU = re.compile(r"([0-9]{1,10}) sec, ([0-9]{1,6}) usec on CPU([0-9]{1,5}) \(([0-9]{1,20}) packets\)")
_PLAN = re.compile(r"([0-9]{1,20}) packets to schedule")
_TALK = re.compile(
    r"Cannot set system socket memory .*|[0-9]{1,20} bytes in total|Running! .*|Enabled kernel qdisc bypass|"
    r"\[[0-9]+\] pkt|len [0-9]+ cnts .*|payload( [0-9a-f]{2})+"
)
_FAILED = ("No networking device", "Failed to ", "Cannot access ", "Syntax error", "No such device")


@dataclass(frozen=True, slots=True)
class TrafgenCpu:
    """One sending process and how long it ran."""

    cpu: int
    seconds: float
    packets: int


@dataclass(frozen=True, slots=True)
class TrafgenReport:
    """`packets` and `bytes` (of frames without FCS) were passed to the kernel: some may not have been sent.

    `planned` is the number of different packets in the configuration times the number of CPUs. `error` is
    trafgen's own line. None: not printed.
    """

    packets: int | None = None
    bytes: int | None = None
    cpus: tuple[TrafgenCpu, ...] = ()
    planned: int | None = None
    error: str | None = None


def parse_trafgen(text: str) -> Parsed[TrafgenReport]:
    """Standard output of trafgen, with or without standard error mixed in.

    ``3 sec, 609 usec`` is 3.000609 s: the microseconds are not padded with zeros.
    """
    skipped = Skipped()
    totals: dict[str, int] = {}
    cpus: dict[int, TrafgenCpu] = {}
    planned: int | None = None
    error: str | None = None
    for number, line in enumerate(lines(text), 1):
        bare = line.strip()
        if match := _OUTGOING.fullmatch(bare):
            totals.setdefault(match[2], int(match[1]))
        elif match := _CPU.fullmatch(bare):
            cpu = int(match[3])
            seconds = int(match[1]) + int(match[2]) / 1e6
            if cpu in cpus:
                skipped.line(number, f"a second line of CPU {cpu}", line)
            else:
                cpus[cpu] = TrafgenCpu(cpu, seconds, int(match[4]))
        elif match := _PLAN.fullmatch(bare):
            planned = int(match[1])
        elif bare.startswith(_FAILED):
            error = error or phrase(bare)
        elif bare and not _TALK.fullmatch(bare):
            skipped.line(number, "not understood", line)
    report = TrafgenReport(totals.get("packets"), totals.get("bytes"), tuple(cpus.values()), planned, error)
    return Parsed(report, skipped.done())
