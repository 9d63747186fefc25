"""Recognises an input of the DUT whose counters do not see the load, although the DUT forwards it.

Its name in lab.toml is that of another port, or its packets are in no counter of the interface, as those of
XDP are with some drivers. What is lost follows from the other counters. Nothing is wrong with the cabling.
"""

import msgspec

from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.evidence import ARRIVES, Evidence
from fwdtui.core.units import pps

_OWN = 0.1
"""Share of the load: of what an output sends, other traffic is less."""


def is_unseen(evidence: Evidence) -> bool:
    """Whether the DUT forwards the load, though its inputs count next to nothing of it."""
    offered, into, forwarded = evidence.offered, evidence.dut_in, evidence.forwarded
    if not offered or into is None or forwarded is None:
        return False
    return into < ARRIVES * offered and forwarded >= _OWN * offered


def told(diagnosis: Diagnosis, evidence: Evidence) -> Diagnosis:
    """The diagnosis, with a clause about an input that does not see the load, if there is one."""
    if not is_unseen(evidence):
        return diagnosis
    clause = (
        f"the DUT's input counts only {pps(evidence.dut_in or 0.0)}: its name in lab.toml is wrong, or "
        "packets pass it uncounted (XDP, hardware offload, another driver)"
    )
    return msgspec.structs.replace(diagnosis, sentence=f"{diagnosis.sentence.removesuffix('.')}; {clause}.")
