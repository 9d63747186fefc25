"""What the comparison screen shows, computed where the command line computes it: nothing of the app's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fwdtui.core.model import Caution
from fwdtui.core.text import slug
from fwdtui.report import facts, ministat_block, sides
from fwdtui.report.compare_command import judge_sides
from fwdtui.stats.model import Judged


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison ready to draw. `labels`: the baseline's first."""

    labels: tuple[str, ...]
    judged: tuple[Judged, ...]
    notes: tuple[Caution, ...]
    facts: facts.Facts

    def count(self, verdict: str) -> int:
        """How many cases have this verdict."""
        return sum(judged.comparison.verdict == verdict for judged in self.judged)

    def differing_facts(self) -> str:
        """Only what differs, a block a fact."""
        if not self.facts.differing:
            return "The recorded facts of these sessions do not differ."
        wide = max(map(len, self.facts.labels))
        blocks = []
        for name, values in self.facts.differing:
            pairs = zip(self.facts.labels, values, strict=True)
            rows = [f"  {label:<{wide}}  {value}" for label, value in pairs]
            blocks.append("\n".join([name, *rows]))
        return "\n\n".join(blocks)


def compare(paths: Sequence[Path], margin: float, confidence: float) -> Compared:
    """Read the sessions and judge every case they share. Raises FwdtuiError or OSError."""
    loaded = sides.load_sides([str(path) for path in paths])
    judged, notes = judge_sides(loaded, margin=margin, confidence=confidence)
    labels = tuple(side.label for side in loaded)
    return Compared(labels, tuple(judged), tuple(notes), facts.compare(loaded))


def export(paths: Sequence[Path], margin: float, confidence: float) -> list[Path]:
    """Write what `fwdtui report` writes into the current folder. Raises FwdtuiError or OSError."""
    from fwdtui.report import bundle, svgfile

    loaded = sides.load_sides([str(path) for path in paths])
    judged, notes = judge_sides(loaded, margin=margin, confidence=confidence)
    name = slug("-".join(side.label for side in loaded))
    return bundle.write(Path(f"{name}.md"), loaded, judged, notes, charts=svgfile.available())


def block(judged: Judged) -> str:
    """ministat's own block on this case."""
    return ministat_block.of_case([judged], "pps")


def charts(judged: Judged, width: int) -> str:
    """Histogram and iterations of both sets."""
    from fwdtui.report import textchart

    labels = judged.base.label, judged.other.label
    values = judged.base.values, judged.other.values
    return textchart.histogram(*values, labels, width) + "\n" + textchart.strip(*values, labels, width)
