"""Text in columns of a terminal: width, shortening, padding and wrapping, wide characters included."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

ELLIPSIS = "…"
_LEAST_APART = 8  # the fewest columns in which a part of what differs is worth showing
_DEEPEST = 8  # by how many words, one after another, similar names are grouped
_WORD = re.compile(r"[^\W_]*[\W_]?")
_TOGETHER = re.compile(  # the space within a number, and that before its unit
    r"(?<=[0-9]) (?=(?:[0-9]{3}|[kMGT%]|[kMGT]?(?:pps|bps|b/s|bit/s))(?!\w))"
)


def columns_of(text: str) -> int:
    """Columns that `text` takes in a terminal (Unicode Standard Annex 11; combining marks take none)."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7ff":
        return 0  # a Korean vowel or last consonant is drawn within the syllable that the first one began
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fitting(texts: Sequence[str], columns: int) -> str:
    """The first of `texts` in at most `columns` columns, else the last."""
    return next((text for text in texts if columns_of(text) <= columns), texts[-1])


def shorten(text: str, columns: int) -> str:
    """`text` in at most `columns` columns; shortened in the middle, because names differ at their ends."""
    if columns_of(text) <= columns:
        return text
    if columns <= 1:
        return ELLIPSIS[:columns]
    if text.isascii():  # ten times as fast, for lists of thousands
        kept = (columns - 1) // 2
        return text[: columns - 1 - kept] + ELLIPSIS + text[len(text) - kept :]
    tail = _whole_letters(_fitting(reversed(text), (columns - 1) // 2)[::-1])
    head = _fitting(iter(text), columns - 1 - columns_of(tail))
    return head + ELLIPSIS + tail


def whole(names: Sequence[str], columns: int) -> str:
    """As many of the warnings `names` as fit, each of them whole, and how many more there are."""
    count = len(names)
    candidates = ["  ".join(names)]
    candidates += ["  ".join([*names[:kept], f"+{count - kept} more"]) for kept in range(count - 1, 0, -1)]
    candidates += [f"! {count} warning{'s' * (count > 1)}", f"! {count}"] if names else []
    return fitting(candidates, columns)


def shorten_apart(texts: Sequence[str], columns: int) -> list[str]:
    """Each of `texts` in at most `columns` columns, such that different texts stay different.

    `shorten` is used if that is enough. Where texts would look the same, what they have in common is
    shortened and what differs stays; if there is no room for that, a number follows each. They look the same
    only if there is no room for the number either. Takes time in proportion to the length of the texts.
    """
    shown = _distinct(list(dict.fromkeys(texts)), columns)
    return [shown[text] for text in texts]


def shorten_alike(texts: Sequence[str], columns: int) -> list[str]:
    """As `shorten_apart`, but only what similar texts have in common is shortened, if that is enough.

    What differs stays whole, to the ends of its words: ``build.10`` and ``build.11`` become ``b….10`` and
    ``b….11``, never ``b…0``. All texts are taken as similar; if that does not do, those that begin with the
    same words. Texts that fit stay as they are.
    """
    shown: dict[str, str] = {}
    left = [(list(dict.fromkeys(texts)), 0)]
    while left:
        alike, depth = left.pop()
        long = [text for text in alike if columns_of(text) > columns]
        shortened = _common_shortened(alike, long, columns) if len(alike) > 1 and long else {}
        if all(text in shortened and columns_of(shortened[text]) <= columns for text in long):
            shown |= dict(zip(alike, alike, strict=True)) | shortened
        elif len(alike) > 1 and depth < _DEEPEST:
            left += [(family, depth + 1) for family in _families(alike)]
        else:
            shown |= {text: shorten(text, columns) for text in alike}
    for alike in _alike(shown):  # texts of two families, shortened just where the families differ
        shown |= zip(alike, shorten_apart(alike, columns), strict=True)
    if len(set(shown.values())) < len(shown):
        return shorten_apart(texts, columns)
    return [shown[text] for text in texts]


def _families(texts: Sequence[str]) -> list[list[str]]:
    """The texts, grouped by the first word in which they differ."""
    head = _whole_words(texts, _shared(texts))
    families: dict[str, list[str]] = {}
    for text in texts:
        word = _WORD.match(text, head)
        families.setdefault(word[0] if word else "", []).append(text)
    return list(families.values())


def _common_shortened(alike: Sequence[str], long: Sequence[str], columns: int) -> dict[str, str]:
    """Each of `long` -> how it is shown, with the words shortened that all of `alike` begin and end with.

    {}: there is no room for that.
    """
    head = _whole_words(alike, _shared(alike))
    backwards = [text[head:][::-1] for text in alike]
    tail = _whole_words(backwards, _shared(backwards))
    middles = {text: text[head : len(text) - tail] for text in long}
    room = columns - max(map(columns_of, middles.values()))  # the same for all, so that they look alike
    before_it, after_it = alike[0][:head], alike[0][len(alike[0]) - tail :]
    before = _ended(before_it, room - min(room // 3, columns_of(after_it)))
    after = end_of(after_it, room - columns_of(before))
    if bool(before) != bool(before_it) or bool(after) != bool(after_it):
        return {}  # no room even for an ellipsis
    return {text: before + middle + after for text, middle in middles.items()}


def _whole_words(texts: Sequence[str], shared: int) -> int:
    """How many of the first `shared` characters, which are the same in all texts, make up whole words."""

    def within_a_word(place: int) -> bool:
        return texts[0][place - 1].isalnum() and any(text[place : place + 1].isalnum() for text in texts)

    while shared and within_a_word(shared):
        shared -= 1
    return shared


def _distinct(texts: Sequence[str], columns: int) -> dict[str, str]:
    """Each of `texts` -> how it is shown. None of them occurs twice."""
    shown = {text: shorten(text, columns) for text in texts}
    for alike in _alike(shown):
        shown |= zip(alike, _apart(alike, columns), strict=True)
    taken = set(shown.values())
    for alike in _alike(shown):  # two groups may meet in one form, or a number in another text
        numbered = _numbered(alike, columns, taken)
        taken |= set(numbered)
        shown |= zip(alike, numbered, strict=True)
    return shown


def _alike(shown: Mapping[str, str]) -> list[list[str]]:
    """Groups of texts that look the same."""
    groups: dict[str, list[str]] = {}
    for text, short in shown.items():
        groups.setdefault(short, []).append(text)
    return [texts for texts in groups.values() if len(texts) > 1]


def _apart(texts: Sequence[str], columns: int) -> list[str]:
    head = _shared(texts)
    rests = [text[head:] for text in texts]
    tail = _shared([rest[::-1] for rest in rests])
    middles = [rest[: len(rest) - tail] for rest in rests]
    shortened = []
    for text, middle in zip(texts, middles, strict=True):
        after_it = text[len(text) - tail :]
        room = columns - columns_of(middle)
        before = _ended(text[:head], room - min(room // 3, columns_of(after_it)))
        after = end_of(after_it, room - columns_of(before))
        shortened.append(before + middle + after)
    if len(set(shortened)) == len(texts) and all(columns_of(one) <= columns for one in shortened):
        return shortened
    if columns < _LEAST_APART:
        return _numbered(texts, columns, set())
    # too much differs to be shown whole: shorten that in turn, as long as it tells them apart
    within = _distinct(middles, columns - 2)
    return [
        ELLIPSIS * (head > 0 and not within[middle].startswith(ELLIPSIS))
        + within[middle]
        + ELLIPSIS * (tail > 0 and not within[middle].endswith(ELLIPSIS))
        for middle in middles
    ]


def _numbered(texts: Sequence[str], columns: int, taken: AbstractSet[str]) -> list[str]:
    """Each text, shortened, with a number after it; forms that are `taken` are passed over."""
    forms: list[str] = []
    number = 0
    for text in texts:
        form = ""
        while not form or form in taken:
            number += 1
            mark = f" {number}"
            if len(mark) >= columns:
                form = shorten(text, columns)
                break
            form = shorten(text, columns - len(mark)) + mark
        forms.append(form)
    return forms


def _shared(texts: Sequence[str]) -> int:
    """How many characters all texts have in common at the beginning."""
    least, greatest = min(texts), max(texts)  # what these two share, all texts between them share as well
    return next(
        (place for place, (one, other) in enumerate(zip(least, greatest, strict=False)) if one != other),
        min(len(least), len(greatest)),
    )


def _ended(text: str, columns: int) -> str:
    """The beginning of `text` in at most `columns` columns, with an ellipsis if there is more of it."""
    if columns_of(text) <= columns:
        return text
    return _fitting(iter(text), columns - 1) + ELLIPSIS if columns > 0 else ""


def end_of(text: str, columns: int) -> str:
    """The end of `text` in at most `columns` columns, with an ellipsis if there is more of it."""
    end = _ended(text[::-1], columns)[::-1]
    return end if end == text else end[:1] + _whole_letters(end[1:])


def _whole_letters(text: str) -> str:
    """`text` without the accents at its beginning: the letter that they belong to was cut off."""
    place = next((place for place, one in enumerate(text) if _columns(one)), len(text))
    return text[place:]


def _fitting(characters: Iterator[str], columns: int) -> str:
    taken: list[str] = []
    used = 0
    for character in characters:
        used += _columns(character)
        if used > columns:
            break
        taken.append(character)
    return "".join(taken)


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """`text` shortened or filled to exactly `columns` columns; `right` puts the text at the right."""
    text = shorten(text.replace("\t", " "), columns)
    fill = " " * (columns - columns_of(text))
    return fill + text if right else text + fill


def wrap(text: str, columns: int, *, first: str = "", rest: str = "") -> list[str]:
    """`text` in lines of at most `columns` columns, the first after `first`, the others after `rest`.

    A word that is longer than a line gets its own line and is not cut: it may be a path.
    """
    lines: list[str] = []
    line, empty = first, True
    for word in _TOGETHER.sub("\0", text).split():  # a number is whole, and keeps its unit
        word = word.replace("\0", " ")
        if not empty and columns_of(line) + 1 + columns_of(word) > columns:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    lines.append(line.rstrip())
    return lines
