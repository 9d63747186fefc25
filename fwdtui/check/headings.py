"""The headings of a text: which section is below which, and what is above a place."""

from collections.abc import Sequence

from fwdtui.check.markdown import Element, Opaque, Table, Unit

_CAPTION_LINES = 3  # between a table or a block and the words that belong to it
LONGEST = 4096
"""Characters of a heading or a caption that are read: every cell below it asks for them again."""


class Headings:
    """The tree of sections. A section is known by its number: 0 is before the first heading."""

    def __init__(self, parts: Sequence[Element]) -> None:
        self._parts = parts
        self._places = {id(part): place for place, part in enumerate(parts)}
        self._headings: dict[int, Unit] = {
            part.section: part for part in parts if isinstance(part, Unit) and part.kind == "heading"
        }
        self.texts = {section: one.text[:LONGEST] for section, one in self._headings.items()}
        """The heading of each section that has one."""
        self._parents: dict[int, int] = {}
        self._ends: dict[int, int] = {}  # the first section that is no longer below
        open_ones: list[int] = []
        last = max((part.section for part in parts), default=0)
        for section in sorted(self._headings):
            level = self._headings[section].level
            while open_ones and self._headings[open_ones[-1]].level >= level:
                self._ends[open_ones.pop()] = section
            self._parents[section] = open_ones[-1] if open_ones else 0
            open_ones.append(section)
        self._ends.update(dict.fromkeys(open_ones, last + 1))
        first = parts[0] if parts else None
        self.title = first.text[:LONGEST] if isinstance(first, Unit) else ""
        """The first heading or paragraph of the text."""
        root, *others = self._headings or (0,)
        # a heading that all others are below is the title
        whole = all(self._headings[one].level > self._headings[root].level for one in others)
        self._title_section = root if root and whole else 0

    def within_the_text(self, section: int) -> bool:
        """Whether a section has a heading of its own that is not the title's."""
        return section in self._headings and section != self._title_section

    def below(self, section: int) -> range:
        """The sections below a section, which have headings of lower levels."""
        return range(section + 1, self._ends.get(section, section + 1))

    def within(self, one: int | None, other: int) -> bool:
        """Whether a section is another one, or below it."""
        return one is not None and (one == other or one in self.below(other))

    def related(self, one: int, other: int) -> bool:
        """Whether they are the same section, one is below the other, or one has no heading of its own."""
        if one == other or not (self.within_the_text(one) and self.within_the_text(other)):
            return True
        return one in self.below(other) or other in self.below(one)

    def above(self, section: int) -> list[str]:
        """The headings that a section is under, the nearest first, without the title."""
        texts: list[str] = []
        while section in self._headings:
            if self.within_the_text(section):
                texts.append(self.texts[section])
            section = self._parents[section]
        return texts

    def too_long(self) -> list[int]:
        """The lines of the headings and captions that are longer than what is read of them."""
        units = list(self._headings.values())
        units += [
            unit
            for part in self._parts
            if isinstance(part, Table) or (isinstance(part, Opaque) and part.table is not None)
            if (unit := self._captioning(part)) is not None
        ]
        return sorted({unit.first_line for unit in units if len(unit.text) > LONGEST})

    def caption(self, part: Opaque | Table) -> str:
        """The paragraph right above a table or a block; "" where there is none."""
        unit = self._captioning(part)
        return unit.text[:LONGEST] if unit is not None else ""

    def _captioning(self, part: Opaque | Table) -> Unit | None:
        place = self._places[id(part)] - 1
        above = self._parts[place] if place >= 0 else None
        if not isinstance(above, Unit) or above.kind == "heading" or above.section != part.section:
            return None
        return above if part.first_line - above.last_line <= _CAPTION_LINES else None
