"""The facts that belong to an iteration alone: those of its boot, its levels and its traffic."""

from collections.abc import Collection, Mapping

from fwdtui.core.lab import Lab
from fwdtui.core.model import Fact
from fwdtui.core.own_facts import own_facts as changed
from fwdtui.core.text import clean


def own_facts(
    lab: Lab, found: Mapping[str, Fact], known: Mapping[str, Fact], absent: Collection[str] = ()
) -> Mapping[str, Fact]:
    """Facts of the next iteration that differ from the session's, which are `known`.

    `found`: the facts as they are now; `absent`: facts that the hosts do not have (collectors/base.Facts).
    """
    ends = {
        ("generator" if number == 1 else f"generator{number}"): end
        for number, end in enumerate(lab.generators, 1)
    }
    if lab.receiver is not None:
        ends["receiver"] = lab.receiver
    # the bench's facts may be those of an earlier cell's traffic
    of_traffic: dict[str, Fact | None] = {}
    for name, end in ends.items():
        of_traffic[f"{name}.command"] = clean(end.start) if end.start else None
        of_traffic |= {f"{name}.frame": end.frame, f"{name}.line_rate": end.line_rate}
    own = {key: value for key, value in of_traffic.items() if value is not None}
    now = {key: value for key, value in found.items() if key not in of_traffic} | own
    return changed(known, now, {*absent, *of_traffic})
