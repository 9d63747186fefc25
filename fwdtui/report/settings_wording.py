"""How settings differ, in one sentence: what differs, out of how many settings, and what is not known."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fwdtui.core.host_settings import DUT
from fwdtui.report.cells import shorten_apart
from fwdtui.report.settings_difference import (
    NOT_INSTALLED,
    Difference,
    NotCompared,
    SettingsDifference,
    Varying,
)

_NAMED = 3
"""The most differences that the sentence names."""
_VALUE = 60  # the most characters of a value in the sentence
_KERNEL = "sysctl"
_LOADER = "kenv"
_ETHTOOL = "ethtool"
_FILES = ("/", _LOADER)  # the beginnings of sources that set what the kernel then shows
_NUMBER = re.compile(r"([0-9]+)")
_RUN = 4  # more consecutive numbers than this are written as a range


@dataclass(frozen=True, slots=True)
class Change:
    """Settings with the same change, under one name: ``dev.igb.{0,1,2}.iflib.tx_abdicate``.

    `sources`: where it is set.
    """

    role: str
    name: str
    base: str | None
    other: str | None
    sources: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """``dev.igb.{0,1,2}.iflib.tx_abdicate: 0 -> 1``"""
        who = "" if self.role == DUT else f"{self.role}: "
        where = f" ({told})" if (told := _where(self.sources)) else ""
        return f"{who}{self.name}: {_values(self.base, self.other)}{where}"


def _where(sources: Sequence[str]) -> str:
    """The sources of a setting; "" for one of the running kernel, which most are."""
    files = any(source.startswith("/") for source in sources)
    told = [one for one in sources if one != _LOADER or not files]  # it only repeats the files
    return "" if told == [_KERNEL] else ", ".join(told)


def changes(differences: Sequence[Difference]) -> list[Change]:
    """The differences as changes: one change if file and kernel say it, or if several names share it."""
    merged = [_change(group) for group in _by_setting(differences)]
    alike: dict[tuple[str, str | None, str | None, tuple[str, ...]], list[str]] = {}
    for one in merged:
        alike.setdefault((one.role, one.base, one.other, one.sources), []).append(one.name)
    ordered = [
        Change(role, name, base, other, sources)
        for (role, base, other, sources), names in alike.items()
        for name in folded(names)
    ]
    return sorted(ordered, key=lambda one: one.role != DUT)


def _by_setting(differences: Sequence[Difference]) -> Iterator[list[Difference]]:
    """Groups of differences that say the same: what a file sets, and what the kernel then has."""
    groups: dict[tuple[str, str], list[Difference]] = {}
    for one in differences:
        groups.setdefault((one.role, one.key), []).append(one)
    for group in groups.values():
        kernel = [one for one in group if one.source == _KERNEL]
        files = [one for one in group if one.source.startswith(_FILES)]
        yield from ([one] for one in group if one not in kernel and one not in files)
        if kernel:
            agree = [one for one in files if _agrees(one, kernel[0])]
            yield [*kernel, *agree]
            files = [one for one in files if one not in agree]
        by_values: dict[tuple[str | None, str | None], list[Difference]] = {}
        for one in files:
            by_values.setdefault((one.base, one.other), []).append(one)
        yield from by_values.values()


def _agrees(file: Difference, kernel: Difference) -> bool:
    return file.base in (None, kernel.base) and file.other in (None, kernel.other)


def _change(group: Sequence[Difference]) -> Change:
    first = group[0]
    return Change(first.role, first.key, first.base, first.other, tuple(one.source for one in group))


def folded(names: Sequence[str]) -> list[str]:
    """Names that differ only in their numbers, as one: ``igb0``, ``igb1`` -> ``igb{0,1}``.

    A folded name stands for exactly the names given: several numbers in it are folded only if every
    combination of them is there.
    """
    # a name is a sequence of parts: text, and at odd places the numbers
    parts: list[tuple[str | tuple[str, ...], ...]] = [
        tuple((part,) if place % 2 else part for place, part in enumerate(_NUMBER.split(name)))
        for name in dict.fromkeys(names)
    ]
    for place in range(1, max(map(len, parts), default=0), 2):
        groups: dict[object, list[tuple[str | tuple[str, ...], ...]]] = {}
        for one in parts:
            rest = (*one[:place], None, *one[place + 1 :]) if place < len(one) else one
            groups.setdefault(rest, []).append(one)
        parts = [_joined(group, place) if len(group) > 1 else group[0] for group in groups.values()]
    return ["".join(part if isinstance(part, str) else _braces(part) for part in one) for one in parts]


def _joined(
    group: Sequence[tuple[str | tuple[str, ...], ...]], place: int
) -> tuple[str | tuple[str, ...], ...]:
    numbers = tuple(number for one in group for number in one[place])
    return (*group[0][:place], numbers, *group[0][place + 1 :])


def _braces(numbers: Sequence[str]) -> str:
    if len(numbers) == 1:
        return numbers[0]
    ordered = sorted(numbers, key=lambda number: (int(number), number))
    values = [int(number) for number in ordered]
    if len(values) > _RUN and ordered == list(map(str, range(values[0], values[0] + len(values)))):
        return f"{{{ordered[0]}..{ordered[-1]}}}"
    return f"{{{','.join(ordered)}}}"


def _values(base: str | None, other: str | None) -> str:
    if "\n" in f"{base}{other}":
        before, after = ([] if text is None else text.split("\n") for text in (base, other))
        more, fewer = (Counter(after) - Counter(before)).total(), (Counter(before) - Counter(after)).total()
        return f"{_lines(more)} more, {fewer} fewer" if more or fewer else "the same lines in another order"
    shown = ["not set" if text is None else _quoted(text) for text in (base, other)]
    return " -> ".join(shorten_apart(shown, _VALUE))


def _quoted(value: str) -> str:
    return value if re.fullmatch(r"[^\s\",;]+", value) else f'"{value}"'


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def sentence(difference: SettingsDifference) -> str:
    """A sentence without a full stop: what differs, and what could not be compared."""
    unknown = _listed(list(dict.fromkeys(map(_missing, difference.not_compared))))
    within = [
        f"within {label} these differ: {_listed(texts)}"
        for label, texts in _within(difference.varying).items()
    ]
    if not difference.compared:
        why = [*within, *([unknown] if unknown else [])] or ["they are secrets, or change by themselves"]
        return f"No settings were compared: {'; '.join(why)}"
    told = changes(difference.differences)
    among = _among(difference)
    if not told:
        # "both sides agree" or "no difference" would claim it of what was measured, or of the whole lab
        one = difference.compared == 1
        parts = [f"The {among} that {'was' if one else 'were'} compared agree{'s' * one}"]
    elif len(told) == 1:
        parts = [f"The only difference found in {among} is {told[0].text}"]
    else:
        parts = [f"{len(told):,} differences found in {among}: {_listed([one.text for one in told], '; ')}"]
    parts += within
    if unknown:
        parts.append(f"not compared: {unknown}")
    return "; ".join(parts)


def _listed(texts: Sequence[str], between: str = ", ") -> str:
    """The first of `texts`, and how many more there are."""
    more = len(texts) - _NAMED
    return between.join([*texts[:_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def _within(varying: Sequence[Varying]) -> Mapping[str, list[str]]:
    """Label -> the settings on which this side's own readings do not agree, with their values and sources."""
    alike: dict[tuple[Varying, tuple[str, ...]], list[str]] = {}
    for one, sources in _varying_once(varying):
        alike.setdefault((replace(one, key="", source=""), sources), []).append(place(one.role, one.key))
    told: dict[str, list[str]] = {}
    for (one, sources), names in alike.items():
        values = " and ".join("not set" if text is None else _quoted(text) for text in one.values)
        if len(values) > 2 * _VALUE or "\n" in values:
            values = f"{len(one.values)} values"
        where = f" in {source}" if (source := _where(sources)) else ""
        told.setdefault(one.label, []).extend(f"{name} ({values}{where})" for name in folded(names))
    return told


def _varying_once(varying: Sequence[Varying]) -> Iterator[tuple[Varying, tuple[str, ...]]]:
    """Each setting with its sources: what a file sets and the kernel then has is one setting.

    Of any other source, the same key is another setting: ``rx-usecs`` of another interface.
    """
    of_kernel = {(one.label, one.role, one.key): one for one in varying if one.source == _KERNEL}
    found: dict[Varying, list[str]] = {}
    for one in varying:
        if one.source.startswith(_FILES):
            setting = of_kernel.get((one.label, one.role, one.key))
            if setting is None or not {*one.values} <= {None, *setting.values}:
                setting = replace(one, source="")
        else:
            setting = one
        found.setdefault(setting, []).append(one.source)
    yield from ((setting, tuple(sources)) for setting, sources in found.items())


def _among(difference: SettingsDifference) -> str:
    """``1,204 settings``, and of how many files or hosts, if they are not those of a single host."""
    count = f"{difference.compared:,} setting{'s' * (difference.compared != 1)}"
    files = {name for _, name in difference.sources}
    if all(name.startswith("/") for name in files):
        return f"{count} of {len(files)} configuration file{'s' * (len(files) != 1)}"
    return count if len(difference.roles) == 1 else f"{count} of {len(difference.roles)} hosts"


def _missing(one: NotCompared) -> str:
    source = _ETHTOOL if _lacks_ethtool(one) else one.source  # once, and not for each of its options
    return f"{place(one.role, source) or 'the DUT'} ({one.reason})"


def _lacks_ethtool(one: NotCompared) -> bool:
    return one.source.startswith(f"{_ETHTOOL} ") and one.reason.startswith(NOT_INSTALLED)


def place(role: str, source: str) -> str:
    """``pf rules``, ``generator: sysctl``, ``generator``."""
    return source if role == DUT else f"{role}: {source}" if source else role


def remarks(difference: SettingsDifference) -> list[str]:
    """What else a reader should know, as sentences without a full stop."""
    told = []
    if difference.secrets == 1:
        told.append("1 secret is not kept, so nobody knows whether it differs")
    elif difference.secrets:
        told.append(f"{difference.secrets:,} secrets are not kept, so nobody knows whether they differ")
    if difference.volatile:
        many = difference.volatile != 1
        told.append(
            f"{difference.volatile:,} value{'s' * many} that change{'s' * (not many)} by "
            f"{'themselves' if many else 'itself'} {'are' if many else 'is'} left out"
        )
    if any(map(_lacks_ethtool, difference.not_compared)):
        told.append(
            "without ethtool nobody knows whether offloads, rings, queues, RSS, coalescing and flow "
            "control differ: install it on every host"
        )
    return told


def told(all_found: Sequence[SettingsDifference]) -> Mapping[SettingsDifference, str]:
    """Each difference with its sentence, which names the candidate and the cases if there are several."""
    labels = {one.other for one in all_found}
    result: dict[SettingsDifference, str] = {}
    for one in all_found:
        alone = sum(other.other == one.other for other in all_found) == 1
        about = [*([one.other] if len(labels) > 1 else []), *([] if alone else [", ".join(one.cases)])]
        head = f"{': '.join(about)}: " if about else ""
        result[one] = f"{head}{sentence(one)}."
    return result
