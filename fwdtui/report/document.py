"""What a Markdown report is made from: a comparison, its author's choices, and the files beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fwdtui.report.comparison import Compared
from fwdtui.report.escape import inline

SECTIONS: Mapping[str, str] = {
    "charts": "SVG charts of medians and iterations",
    "experiment": "design, order and repetitions of an experiment",
    "cases": "a section for each case",
    "ministat": "ministat's block in each case",
    "profiles": "functions that moved, and flame graphs",
    "warnings": "everything that qualifies a result",
    "differences": "facts of the lab that differ",
    "settings": "settings of the hosts that differ",
    "method": "how it was measured and decided",
    "windows": "iterations and their windows, in a table",
    "facts": "facts of the lab that are alike",
    "data": "value files and ministat's command",
}
"""The sections that a report can be written without, in their order. Title, verdicts and what was left out of
the statistics are always there."""

PARTS_OF: Mapping[str, str] = {"ministat": "cases", "profiles": "cases", "windows": "method"}
"""A section -> the section that it is part of: where that one is left out, so is this one."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the author chose. `title` empty: the report's own; `without`: the names of SECTIONS left out."""

    title: str = ""
    without: frozenset[str] = frozenset()

    def has(self, section: str) -> bool:
        """Whether a section of SECTIONS is to be written."""
        return section not in self.without and PARTS_OF.get(section) not in self.without


EVERYTHING = Choices()
"""The report with all its sections, under its own title."""


@dataclass(frozen=True, slots=True)
class Attachments:
    """Paths of the files beside the document, relative to it. Charts may be missing, value files not.

    `overview` is the chart of all cases. `bars` is the chart that compares levels by factors; `bars_data` are
    its CSV file, its gnuplot script and that script's data. `charts` has a path for each case, and `values`
    one for each case and label. `experiments` has, for the path of each session, the name and path of each
    file. `flames` has, for each case, the title and path of each flame graph; the path is "" if it cannot be
    drawn, and the title says why.
    """

    overview: str | None = None
    charts: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[tuple[str, str], str] = field(default_factory=dict)
    bars: str | None = None
    bars_data: tuple[str, ...] = ()
    experiments: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    flames: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A report to be written. `attachments` None: it stands alone, with charts in plain characters."""

    compared: Compared
    choices: Choices = EVERYTHING
    attachments: Attachments | None = None

    @property
    def side_word(self) -> str:
        """The heading of a column of sides: "session", or the names of the factors that are compared."""
        by = self.compared.view.by
        return inline(", ".join(by), cell=True) if by else "session"

    def has(self, section: str) -> bool:
        """Whether a section of SECTIONS is to be written."""
        return self.choices.has(section)

    @property
    def tells_experiments(self) -> bool:
        """Whether everything compared belongs to experiments with a section, which need not be repeated."""
        told = {one.path for one in self.compared.experiments} if self.has("experiment") else set()
        sides = self.compared.sides
        return all(side.sessions and all(one.path in told for one in side.sessions) for side in sides)
