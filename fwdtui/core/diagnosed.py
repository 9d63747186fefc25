"""A diagnosis: what limits a run, in one sentence."""

import msgspec

from fwdtui.core import uncounted
from fwdtui.core.offered import CODE
from fwdtui.core.refused import CAUSES


class Diagnosis(msgspec.Struct, frozen=True):
    """`code` for programs, `sentence` for people; `evidence` has the supporting numbers, one per line.

    `span` is the time over which its rates are averaged, as in "last 5 s"; the rates shown beside it are the
    newest.
    """

    code: str
    sentence: str
    evidence: tuple[str, ...] = ()
    span: str = ""

    @property
    def dated(self) -> str:
        """The sentence with its span: ``DUT-limited, last 5 s: ...``."""
        return self.sentence.replace(":", f", {self.span}:", 1) if self.span else self.sentence


AVERAGED = frozenset(
    (
        CODE,
        uncounted.CODE,
        "generator-uncounted",
        "one-queue",
        "receiver-lost",
        "dut-limited",
        "generator-limited",
        "line-limited",
        "nothing-arrives",
        "under-attack",
        "attack-alone",
        *(one.code for one in CAUSES.values()),
    )
)
"""Codes whose sentences name rates."""


def averaged(diagnosis: Diagnosis, seconds: float, ago: float) -> Diagnosis:
    """The diagnosis with its span set to `seconds`, which ended `ago` seconds ago (0 while a blast runs)."""
    if diagnosis.code not in AVERAGED:
        return diagnosis
    text = f"last {max(seconds, 1.0):.0f} s" + (" of the blast" if ago > 0 else "")
    return msgspec.structs.replace(diagnosis, span=text)
