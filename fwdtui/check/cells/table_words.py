"""The words of a Markdown table that say what its cells are about."""

from collections.abc import Sequence

from fwdtui.check.cells.candidates import LABEL_WORDS, Pool, by_word, telling
from fwdtui.check.cells.labels import (
    BASE,
    EXCLUSIVE,
    LATER,
    SAYS_LITTLE,
    label_words,
    name_words,
    spelled,
)
from fwdtui.check.cells.reading import Grid
from fwdtui.check.headings import Headings

_MOST_CLOSER = 50  # names that are tried: a table of thousands costs no more than a table


class TableWords:
    """The telling words of a table, as far as the candidates of one pool know them.

    `rows` and `columns` have the words that must fit in each; `caption` are those of a short caption, which
    must fit, too, and `unknown` is a word of it that no candidate has, or "". `table` are all words of labels
    and headings, `hints` those around the table, the nearest first. `allowed` are the bits of the candidates
    whose section the table may be about.
    """

    def __init__(
        self, section: int, grid: Grid, pool: Pool, caption: str, above: Sequence[str], headings: Headings
    ) -> None:
        known, title = pool.known, headings.title if headings.title != caption else ""
        rows = [label_words(label, known) for label in grid.labels]
        measuring = sorted({cell.column for cell in grid.cells})
        groups = (
            [place for place in measuring if place in grid.differences],
            [place for place in measuring if place not in grid.differences],
        )
        self.table = frozenset[str]().union(*map(name_words, (*grid.labels, *grid.headings)))
        self.rows = _telling(rows, known)
        self.columns: dict[int, frozenset[str]] = {}
        for group in groups:
            names = [label_words(grid.headings[place], known) for place in group]
            self.columns.update(zip(group, _telling(names, known), strict=True))
        said = label_words(caption, known, prose=True)
        short = caption.endswith(":") and len(caption.split()) <= LABEL_WORDS
        context = label_words(", ".join((title, *above)), known, prose=True)
        strange = sorted(said - known - context) if short else []
        self.unknown = spelled(strange[0], caption) if strange else ""
        both = {word for group in EXCLUSIVE if group <= said for word in group}
        self.caption = (said & known) - both if short else frozenset()
        # blocks of the table's own section, above and below it; of others if its heading names them
        self.allowed = sum(
            bits for other, bits in pool.sections.items() if other is None or headings.related(section, other)
        )
        own = any(headings.within(other, section) for other in pool.sections)
        heading = _telling_heading(above, known, own)
        if heading is not None:
            named = pool.all
            for word in heading:
                named &= pool.having(word)
            self.allowed |= named
        self.hints = tuple(
            (label_words(text, known, prose=True) & known) for text in (caption, *above, title)
        )


class Names:
    """The labels of a table's rows, or the headings of its columns: which of them says more than another."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._words = [name_words(name) for name in self._names]
        self._having = by_word(self._words)

    def closer(self, own: str, has: frozenset[str]) -> str:
        """A name with the words of `own`, more words of `has` and no other telling words; "": there is none.

        It may lack words of `own` that tell little: of "forwarding" and "pf" the latter names pf more
        closely.
        """
        said = name_words(own)
        bits = 0
        for word in telling(has - said):
            bits |= self._having.get(word, 0)
        for word in said - SAYS_LITTLE if bits else ():
            bits &= self._having.get(word, 0)
        for _ in range(_MOST_CLOSER):
            if not bits:
                break
            place = (bits & -bits).bit_length() - 1
            if telling(self._words[place] - said) <= has:
                return self._names[place]
            bits &= bits - 1
        return ""


def _telling_heading(above: Sequence[str], known: frozenset[str], own: bool) -> frozenset[str] | None:
    """The words of the heading that names blocks elsewhere; empty where any may be meant, None where none is.

    "Results" names none if its own section has blocks (`own`); else the next heading above it says which.
    """
    said = [label_words(text, known, prose=True) for text in above]
    if own and said and not said[0]:
        return None
    return next(filter(None, said), frozenset())


def _telling(labels: Sequence[frozenset[str]], known: frozenset[str]) -> list[frozenset[str]]:
    """Of each label the words that must fit: known ones, and unknown ones that not all labels have."""
    common = frozenset.intersection(*labels) if len(labels) > 1 else frozenset[str]()
    kept = known | BASE | LATER
    return [
        frozenset(word for word in label if word in kept or word.startswith("~") or word not in common)
        for label in labels
    ]
