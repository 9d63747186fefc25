"""BSDRP's `equilibrium`: it searches by itself for the load that a VPN gateway just forwards without loss.

It starts netmap's pkt-gen at one load after the other, and prints in Mb/s of Ethernet frames what it offered
and what came back; it is generator and receiver in one, so that there is no receiver's log. Its result is the
last rate forwarded, or the last load if more came back than was offered (recomputed for all 195 logs of the
bench-lab archive). Source of the format: those logs, of 2016 to 2020.
"""

import re

import msgspec

UNIT = "Mb/s"
"""Megabits per second of Ethernet frames."""

_MARK = "using equilibrium throughput method"
_NO_LOSS, _CLEARLY = 0.01, 0.02
"""Shares. What is printed is rounded to 1 Mb/s, and searches of the archive end up to 1.9 % below their best
step; in two of 195 they end more than 10 % below it."""
_HEAD = 4096  # the mark is within this many characters, after the command
_COMMAND = re.compile(r"^(?:CMD(?: on [^:\s]+)?: |\[[^\]\n]*\]\S*# )(equilibrium .*)$")
_OFFERED = re.compile(r"^  - [Oo]ffering load = ([0-9]{1,9}) Mb/s\s*$")
_MEASURED = re.compile(r"^  - Measured forwarding rate = ([0-9]{1,9}) Mb/s\s*$")
_RESULT = re.compile(
    r"^Estimated Equilibrium \w+ throughput= ([0-9]{1,9}) Mb/s \(maximum value seen: ([0-9]{1,9}) Mb/s\)\s*$"
)


class Search(msgspec.Struct, frozen=True):
    """One search. `steps`: the load offered and the rate forwarded, in Mb/s. None: the log does not say.

    `starts`: how often the tool says that it began; if more than once, the log holds several searches.
    """

    steps: tuple[tuple[float, float], ...] = ()
    estimate: float | None = None
    maximum: float | None = None
    command: str = ""
    starts: int = 0

    @property
    def recomputed(self) -> float | None:
        """What the last step gives as the result; None if there is no step."""
        return min(self.steps[-1]) if self.steps else None

    @property
    def better(self) -> tuple[float, float] | None:
        """A step that forwarded clearly more than the result, and lost next to nothing; None: no step did.

        The search takes losses to grow with the load. If a gateway lost less at a higher load, the result is
        not the highest one that it forwards.
        """
        if self.estimate is None:
            return None
        whole = [step for step in self.steps if step[1] >= (1.0 - _NO_LOSS) * step[0]]
        best = max(whole, key=lambda step: step[1], default=None)
        return best if best is not None and best[1] > (1.0 + _CLEARLY) * self.estimate else None


def is_search(text: str) -> bool:
    """Whether a log is one of this tool."""
    return _MARK in text[:_HEAD]


def parse(text: str) -> Search:
    """A whole log. Never raises; a step without its rate (the log ends there) is left out."""
    steps: list[tuple[float, float]] = []
    offered: float | None = None
    estimate: float | None = None
    maximum: float | None = None
    command = ""
    for line in text.splitlines():
        if match := _OFFERED.match(line):
            offered = float(match[1])
        elif (match := _MEASURED.match(line)) and offered is not None:
            steps.append((offered, float(match[1])))
            offered = None
        elif match := _RESULT.match(line):
            estimate, maximum = float(match[1]), float(match[2])
        elif not command and (match := _COMMAND.match(line)):
            command = match[1]
    return Search(tuple(steps), estimate, maximum, command, text.count(_MARK))
