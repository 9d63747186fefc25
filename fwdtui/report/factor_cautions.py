"""What two sets differ in, other than what is compared: a verdict must not be read without it."""

from collections.abc import Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FIELD, ORDER, Level, in_order
from fwdtui.core.model import Caution
from fwdtui.report.frames import FRAME_SIZE
from fwdtui.report.iterations import CaseSet

GUARDED = tuple(name for name in FIELD if name not in ("image", "config", ORDER))
"""Factors of the traffic, and of how much of the DUT is used: without --by they are not to be compared."""


UNLIKE = (FRAME_SIZE,)
"""Factors between whose levels there is no verdict unless --by names them.

Longer frames have another line rate, so that "slower" would say nothing of the DUT.
"""


def refuse_mixed(one: CaseSet, where: str) -> None:
    """Raise FwdtuiError if the iterations of a set differ in a factor: they are never pooled."""
    if one.mixed:
        names = ", ".join(one.mixed)
        raise FwdtuiError(
            f"the iterations of {where} differ in {names}, and are not pooled: "
            f"compare with --by {one.mixed[0]}, or choose with --filter {one.mixed[0]}=..."
        )


def factor_cautions(base: CaseSet, other: CaseSet, by: Sequence[str]) -> list[Caution]:
    """The warnings about factors that differ, or may differ, other than those that are compared.

    `by`: the factors that are compared; empty: sessions are compared, so only GUARDED counts.
    """
    if base.session is None or other.session is None:
        return []
    return _beside(base, other, by) if by else _unasked(base, other)


def unlike(base: CaseSet, other: CaseSet, by: Sequence[str]) -> str:
    """Why there is no verdict between two sets, as `stats.pairs` expects it; empty if there may be one."""
    if base.session is None or other.session is None:
        return ""
    names = [name for name in UNLIKE if name not in by and _differ(base, other, name)]
    if not names:
        # within a session a level may bring about its frames, such as another traffic profile
        told = FRAME_SIZE in by or (by and base.session.path == other.session.path)
        return "" if told else _other_frames(base, other, by)
    asked = f"choose with --filter {names[0]}=... or compare with --by {','.join([*by, *names])}"
    return f"it is not the same test: {_told(base, other, names)}; {asked}"


def _other_frames(base: CaseSet, other: CaseSet, by: Sequence[str]) -> str:
    """As `unlike`, if no factor says that the frames differ, but the recordings do."""
    from fwdtui.report.link import frame_of_all  # late: value files need none of it

    one, two = frame_of_all(base), frame_of_all(other)
    if one is None or two is None or one == two:
        return ""
    return (
        f"it is not the same test: according to the recorded labs, frames have {one} B in the baseline and "
        f"{two} B in the candidate; to compare them all the same, set {FRAME_SIZE} in annotations.toml "
        f"of both, and --by {','.join([*by, FRAME_SIZE])}"
    )


def _unasked(base: CaseSet, other: CaseSet) -> list[Caution]:
    cautions = []
    if differing := [name for name in GUARDED if name not in UNLIKE and _differ(base, other, name)]:
        text = (
            f"not the same test: {_told(base, other, differing)}; compare with --by {','.join(differing)}, "
            f"or choose with --filter {differing[0]}=..."
        )
        cautions.append(Caution("factors-differ", text))
    # a session without the factor says nothing of it; one that says it is not known is never guessed equal
    said = {name for one in (base, other) for name, level in one.factors.items() if not level.known}
    if unknown := [name for name in GUARDED if name in said]:
        cautions.append(_unknown(base, other, unknown))
    return cautions


def _beside(base: CaseSet, other: CaseSet, by: Sequence[str]) -> list[Caution]:
    names = [
        name
        for name in in_order([*base.factors, *other.factors])
        if name not in by and name not in base.within and not (name == ORDER and _within_sets(base, other))
    ]
    cautions = []
    if changing := [name for name in names if name not in UNLIKE and _differ(base, other, name)]:
        text = (
            f"not only {' and '.join(by)} differs: {_told(base, other, changing)}; "
            f"compare them together with --by {','.join([*by, *changing])}"
        )
        cautions.append(Caution("confounded", text))
    if unknown := [name for name in names if not _both_known(base, other, name)]:
        cautions.append(_unknown(base, other, unknown))
    return cautions


def _unknown(base: CaseSet, other: CaseSet, names: Sequence[str]) -> Caution:
    text = (
        f"{', '.join(names)} may differ: unknown on at least one side "
        f"({_told(base, other, names)}); set it in annotations.toml"
    )
    return Caution("factor-unknown", text)


def _within_sets(base: CaseSet, other: CaseSet) -> bool:
    """Whether the order is not that of two whole sets, but that of the iterations within one."""
    return not (_level(base, ORDER).known and _level(other, ORDER).known)


def _level(one: CaseSet, name: str) -> Level:
    return one.factors.get(name, Level(""))


def _both_known(base: CaseSet, other: CaseSet, name: str) -> bool:
    return _level(base, name).known and _level(other, name).known


def _differ(base: CaseSet, other: CaseSet, name: str) -> bool:
    identities = {_level(one, name).identity for one in (base, other)}
    return _both_known(base, other, name) and len(identities) > 1


def _told(base: CaseSet, other: CaseSet, names: Sequence[str]) -> str:
    """``frame_size is 64 B in the baseline and 1024 B in the candidate``"""
    levels = [(name, _level(base, name).shown, _level(other, name).shown) for name in names]
    return ", ".join(f"{name} is {a} in the baseline and {b} in the candidate" for name, a, b in levels)
