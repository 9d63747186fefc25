"""What compilers append to the names of functions that they changed: ``.isra.12``, ``.constprop.0``.

The number counts within a compiled file, so an unrelated change moves it, and a patch may change whether
there is a suffix at all. When two kernels are compared, one function would then be two: one that vanished,
and a new one. So would a BPF program: its name in the kernel has a hash of its instructions
(``bpf_prog_6deef7357e7b4530_xdp_fwd``), in which the kernel's own offsets are (CO-RE relocations).
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.profile.folded import Folded
from fwdtui.core.units import counted

_KINDS = "isra|constprop|part|cold|lto_priv|localalias|llvm"
_SUFFIX = re.compile(rf"(?:\.(?:{_KINDS})(?:\.[0-9]{{1,20}})?)+\Z")
_TAG = re.compile(r"\Abpf_prog_[0-9a-f]{16}(?=_)")
_NUMBER = re.compile(rf"(\.(?:{_KINDS}))\.[0-9]{{1,20}}")


class Aligned(NamedTuple):
    """Two profiles in which one function has one name. `renamed`: what names became, where they differed."""

    profiles: list[Folded]
    renamed: Mapping[str, str]

    @property
    def told(self) -> str:
        """A sentence with an example if functions are named without what differs; "" if none is."""
        if not self.renamed:
            return ""
        functions = len(set(self.renamed.values()))
        name = min(self.renamed.values())
        those = sorted(old for old, new in self.renamed.items() if new == name)
        what = f"{counted(functions, 'function')} {'is' if functions == 1 else 'are'}"
        return (
            f"{what} compared without {_left_out(self.renamed)}, which differs: "
            f"{' and '.join(those[:2])} as {name}."
        )


def _left_out(renamed: Mapping[str, str]) -> str:
    """What the names of these functions lack."""
    tagged = sum(_TAG.match(old) is not None for old in renamed)
    kinds = ["the compiler's suffix or its number"] if tagged < len(renamed) else []
    return " or ".join([*kinds, *(["a BPF program's hash"] if tagged else [])])


def bare(name: str) -> str:
    """The name as it is in the sources: ``fib_table_lookup.isra.12`` is fib_table_lookup."""
    if "." not in name:
        return name
    return _SUFFIX.sub("", name) or name


def _function(name: str) -> str:
    """The name by which a function is found on the other side."""
    return _TAG.sub("bpf_prog", bare(name))


def _numberless(name: str) -> str:
    """The name without what differs in each build, but with the kind of its suffix."""
    return _TAG.sub("bpf_prog", _NUMBER.sub(r"\1", name))


def aligned(profiles: Sequence[Folded]) -> Aligned:
    """Two profiles with names that can be compared; one alone stays as it is.

    A function that has the same names on both sides keeps them, as does one that a side lacks. Else the
    number goes, or the whole suffix if the names still differ.
    """
    sides = [_by_function(one) for one in profiles]
    renamed: dict[str, str] = {}
    for function in sides[0] if len(sides) == 2 else ():
        first, second = (side.get(function, set()) for side in sides)
        if not second or first == second:
            continue
        same = set(map(_numberless, first)) == set(map(_numberless, second))
        for old in first | second:
            new = _numberless(old) if same else function
            if new != old:
                renamed[old] = new
    if not renamed:
        return Aligned(list(profiles), {})
    return Aligned([_with(one, renamed) for one in profiles], renamed)


def _by_function(folded: Folded) -> dict[str, set[str]]:
    """The names of each function in a profile, by its name in the sources."""
    found: dict[str, set[str]] = {}
    for name in {name for stack in folded.stacks for name in stack}:
        found.setdefault(_function(name), set()).add(name)
    return found


def _with(folded: Folded, renamed: Mapping[str, str]) -> Folded:
    return Folded.of(
        (tuple(renamed.get(name, name) for name in stack), samples)
        for stack, samples in folded.stacks.items()
    )
