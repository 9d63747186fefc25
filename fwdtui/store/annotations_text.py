"""What annotations.toml says: its fields, and reading what people may have typed into it."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fwdtui.core.factors import FactorValue, accepted
from fwdtui.core.text import clean, clean_lines
from fwdtui.store.schema import DIVIDED, divided

NO_REASON = "no reason given"
KEYS = ("schema", "label", "note", "factors", "cases", "dropped")
_OF_CASE = ("factors",)
_LIKE = 0.7
"""Similarity, 0 to 1, from which an unknown key is taken for a known one that is mistyped. Others may be of
a later fwdtui, and are passed over.
"""


class Dropped(msgspec.Struct, frozen=True):
    """An iteration that does not count. `case` is the case's real name."""

    case: str
    index: int
    reason: str
    when: str = ""  # ISO 8601 with offset


class Annotations(msgspec.Struct, frozen=True):
    """The content of annotations.toml; an empty field is absent from the file.

    `factors` apply to the whole session, those in `cases` to one case, by its real name. Both replace the
    recorded factors of the same name. `problems` says what in the file could not be read; if `whole` is
    False, dropped iterations may be part of that. Neither `problems` nor `whole` is ever written.
    """

    label: str = ""
    note: str = ""
    dropped: tuple[Dropped, ...] = ()
    factors: Mapping[str, FactorValue] = {}
    cases: Mapping[str, Mapping[str, FactorValue]] = {}
    problems: tuple[str, ...] = ()
    whole: bool = True


class Reader:
    """Reads what people may have typed: each part separately, collecting problems instead of raising."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[str] = []
        self._whole = True

    def annotations(self, plain: Mapping[str, Any]) -> Annotations:
        if "dropped" in self._mistyped(plain, KEYS, ""):
            self._whole = False
        entries = plain.get("dropped", [])
        if isinstance(entries, dict):
            entries = [entries]  # [dropped] instead of [[dropped]]
        if not isinstance(entries, list):
            self._odd("dropped", "[[dropped]] tables", entries)
            self._whole, entries = False, []
        dropped: dict[tuple[str, int], Dropped] = {}
        for number, entry in enumerate(entries, 1):
            if one := self._dropped(entry, f"dropped {number}"):
                dropped[one.case, one.index] = one
            else:
                self._whole = False
        return Annotations(
            label=clean(self._text(plain, "label")).strip(),
            note=clean_lines(self._text(plain, "note")).strip(),
            dropped=tuple(dropped.values()),
            factors=self._factors(plain, "factors"),
            cases={name: factors for name, factors in self._cases(plain) if factors},
            problems=tuple(self._problems),
            whole=self._whole,
        )

    def _cases(self, plain: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, FactorValue]]]:
        tables = plain.get("cases", {})
        if not isinstance(tables, dict):
            self._odd("cases", "a table", tables)
            return
        for name, table in tables.items():
            if not isinstance(table, dict):
                self._odd(f"cases.{clean(name)}", "a table", table)
            else:
                self._mistyped(table, _OF_CASE, f"cases.{clean(name)}.")
                for place in divided(table, clean(name)):
                    self._problems.append(f"{self._path}: cases.{place}: {DIVIDED}")
                yield clean(name), self._factors(table, f"cases.{clean(name)}.factors")

    def _factors(self, table: Mapping[str, Any], place: str) -> dict[str, FactorValue]:
        entries = table.get("factors", {})
        if not isinstance(entries, dict):
            self._odd(place, "a table", entries)
            return {}
        values: dict[str, FactorValue] = {}
        for name, value in entries.items():
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                self._odd(f"{place}.{clean(name)}", "a string or a number", value)
            else:
                values[name] = value
        good, problems = accepted(values, f"{self._path}: {place}")
        self._problems += problems
        return good

    def _dropped(self, entry: Any, place: str) -> Dropped | None:
        if not isinstance(entry, dict):
            self._odd(place, "a table with case, index and reason", entry)
            return None
        case, index, when = entry.get("case"), entry.get("index"), entry.get("when", "")
        if not isinstance(case, str):
            self._odd(f"{place}: case", "the name of a case", case)
            return None
        if not isinstance(index, int) or isinstance(index, bool):
            self._odd(f"{place}: index", "the number of an iteration", index)
            return None
        reason = clean(self._text(entry, "reason", f"{place}: ")).strip()
        if isinstance(when, datetime.datetime | datetime.date):
            when = when.isoformat()  # TOML has its own date type, and people may write one
        return Dropped(clean(case), index, reason or NO_REASON, clean(str(when)))

    def _text(self, plain: Mapping[str, Any], key: str, place: str = "") -> str:
        value = plain.get(key, "")
        if isinstance(value, str):
            return value
        self._odd(f"{place}{key}", "a string", value)
        return ""

    def _mistyped(self, table: Mapping[str, Any], known: Sequence[str], place: str) -> list[str]:
        """The known keys that unknown ones of a table are probably meant to be; each is a problem."""
        unknown = [key for key in table if key not in known]
        if not unknown:
            return []
        from difflib import get_close_matches  # late: most files have no such key

        meant = []
        for key in unknown:
            if like := get_close_matches(key.lower(), known, 1, _LIKE):
                self._problems.append(
                    f"{self._path}: {place}{clean(key)}: no such key; did you mean {like[0]}? It is not used"
                )
                meant += like
        return meant

    def _odd(self, place: str, expected: str, got: Any) -> None:
        shown = "nothing" if got is None else clean(repr(got))[:80]
        self._problems.append(f"{self._path}: {place}: expected {expected}, got {shown}; it is not used")
