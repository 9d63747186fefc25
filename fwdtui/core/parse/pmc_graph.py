"""The call graph of ``pmcstat -R FILE -G FILE``: trees of callers, the function that was running first.

Source: usr.sbin/pmcstat/pmcpl_callgraph.c of FreeBSD. A section begins with ``@ EVENT [N samples]``; with a
counter per CPU there is one for each CPU. A line is ``INDENT PERCENT [SAMPLES] INDENT FUNCTION [@ IMAGE]``:
a function, and indented by one more the functions that called it. PERCENT is the share of the line that it
belongs to.

On the same output pmcstat says at the end how many samples it has read, and of how many it knew no program:
these are in no line (pmcstat_shutdown_logging() of pmcstat_log.c; pmcpl_cg_process()).

    CONVERSION STATISTICS:
     #samples/total                           166032
     #callchain/dubious-frames                12

stackcollapse-pmc.pl of FlameGraph keeps a line only if there is no caller below it. Samples whose call chain
ended at an inner line are lost there; here they are a stack that begins at that line (`Section.inner`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, lines, phrase
from fwdtui.core.profile.folded import DEPTH_MOST, NAME_MOST, Folded, Stack, frame

_SECTION = re.compile(r"@ (.{1,200}) \[([0-9]{1,15}) samples\]\s*")
_STATISTICS = "CONVERSION STATISTICS:"
_STATISTIC = re.compile(r" (#\S.{0,60}?) +([0-9]{1,10})\s*")
_LINE = re.compile(r"( *)[0-9]{1,4}\.[0-9]{1,4}% +\[([0-9]{1,15})\] *(\S.*)")


@dataclass(frozen=True, slots=True)
class Section:
    """The samples of one counter, usually of one CPU.

    `samples` is the number in the heading. `whole` are the stacks up to the outermost caller (those that
    stackcollapse-pmc.pl prints), `inner` those whose call chain ended earlier.
    """

    event: str
    samples: int
    whole: Folded
    inner: Folded

    @property
    def missing(self) -> int:
        """Samples of the heading that no line has: the text was cut off, or lines could not be read."""
        return max(0, self.samples - self.whole.samples - self.inner.samples)


@dataclass(frozen=True, slots=True)
class CallGraph:
    """The sections in the order of the text."""

    sections: tuple[Section, ...] = ()


@dataclass(slots=True)
class _Open:
    """A line whose callers are still being read. `left`: its samples that none of the callers has so far."""

    name: str
    samples: int
    left: int


def parse_pmc_graph(text: str) -> Parsed[CallGraph]:
    """Reads the output of ``pmcstat -G``. Lines that are not part of a tree are skipped, with a note.

    There is also a note if a section has fewer samples than its heading says: the file was probably cut off.
    """
    skipped = Skipped()
    sections = tuple(_sections(text, skipped))
    return Parsed(CallGraph(sections), skipped.done())


def _sections(text: str, skipped: Skipped) -> Iterator[Section]:
    heading: tuple[str, int] | None = None
    above: list[_Open] = []
    whole: list[tuple[Stack, int]] = []
    inner: list[tuple[Stack, int]] = []

    def close(depth: int) -> None:
        """Ends the lines from `depth` on: samples that no caller has are stacks that begin at their line."""
        while len(above) > depth:
            if above[-1].left > 0:
                # the outermost caller is the last one read, and the root of the stack
                stack = tuple(one.name for one in reversed(above))
                (whole if above[-1].left == above[-1].samples else inner).append((stack, above[-1].left))
            above.pop()

    def section() -> Iterator[Section]:
        close(0)
        if heading is not None:
            section = Section(heading[0], heading[1], Folded.of(whole), Folded.of(inner))
            if section.missing:
                missing = f"{section.missing} of {heading[1]} samples"
                skipped.note(f"{heading[0]}: {missing} are in no line: was the file cut off?")
            yield section
        whole.clear()
        inner.clear()

    given, statistics = _parted(lines(text))
    for number, line in enumerate(given, 1):
        if match := _SECTION.fullmatch(line):
            yield from section()
            heading = phrase(match[1], NAME_MOST) or "", int(match[2])
        elif match := _LINE.fullmatch(line):
            depth, samples = len(match[1]), int(match[2])
            if heading is None or depth > len(above) or depth >= DEPTH_MOST:
                why = "no section above it" if heading is None else "a caller of nothing"
                skipped.line(number, why if depth < DEPTH_MOST else "too deep", line)
                continue
            close(depth)
            name = frame(match[3].partition(" @ ")[0])
            if above:
                above[-1].left -= samples
                if above[-1].left < 0:
                    skipped.line(number, f"more samples than {above[-1].name} has left", line)
            above.append(_Open(name, samples, samples))
            if number == len(given):
                skipped.line(number, "the text ends within a line: the name may be cut off", line)
        elif line.strip():
            skipped.line(number, "no line of a call graph", line)
    *_, before, last = ["", *given]
    if above and not last.strip() and (last or before):  # an empty line ends each tree
        skipped.note("the text ends within a tree: outer callers may be missing")
    if left_out := statistics.get("#callchain/dubious-frames"):
        of = f" of {total}" if (total := statistics.get("#samples/total")) else ""
        skipped.note(f"pmcstat left out {left_out}{of} samples, which are of no program that it knows")
    yield from section()


def _parted(given: list[str]) -> tuple[list[str], dict[str, int]]:
    """The lines of the graph, and the statistics that follow it, if they are there."""
    if _STATISTICS not in given:
        return given, {}
    end = given.index(_STATISTICS)
    told = filter(None, map(_STATISTIC.fullmatch, given[end:]))
    return [*given[:end], ""], {match[1]: int(match[2]) for match in told}
