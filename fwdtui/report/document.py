"""What a Markdown report is made from: results, where they came from, and the files that lie beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fwdtui.core.model import Caution
from fwdtui.report.sides import Side
from fwdtui.stats.model import Judged


@dataclass(frozen=True, slots=True)
class Attachments:
    """Paths of the files beside the document, relative to it. Charts may be missing, value files not.

    `charts` are by case, `values` by case and label.
    """

    overview: str | None = None
    charts: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """`attachments` None: the document stands alone, with charts in plain characters."""

    sides: Sequence[Side]
    judged: Sequence[Judged]
    notes: Sequence[Caution] = ()
    title: str | None = None
    attachments: Attachments | None = None
