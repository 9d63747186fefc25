"""What a time chart copies: the sample under its cursor, or all samples that it shows."""

from collections.abc import Sequence

from rich.style import Style

from fwdtui.monitor.live.moment import Moment
from fwdtui.monitor.live.sample_table import SampleTable, text
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.draw.reading import reading_line

_WIDE = 10_000  # columns: nothing is left out


class _Plain:
    """No styles."""

    def __getitem__(self, name: str) -> Style:
        return Style.null()

    def bold(self, name: str) -> Style:
        """None either."""
        return Style.null()


def reading(moment: Moment, when: str, ago: str, bits: bool = False, frame: int | None = None) -> str:
    """The line that the cursor shows, with every name and without signs."""
    line = reading_line(moment, when, ago, _WIDE, _Plain(), bits=bits, frame=frame, signs=False)
    return "".join(piece for piece, _ in line).strip()


def samples(tables: Sequence[SampleTable], bits: bool = False) -> Copy:
    """All of them, as the table of samples shows them."""
    some = sum(len(table.rows) for table in tables)
    if not some:
        return Copy("There are no samples to copy.", "")
    return Copy(f"{some} sample{'s' * (some != 1)}", text(tables, bits=bits))
