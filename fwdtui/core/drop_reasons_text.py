"""Drop reasons in words: one sentence on what a blast lost and why, and what its figures do not say."""

from collections.abc import Sequence

from fwdtui.core.drop_reasons import UNACCOUNTED, lost_by_stage, unexplained
from fwdtui.core.model import Packets
from fwdtui.core.reason_counts import DTRACE, MACHINE, NO_PORT, OTHER, TRACEFS, DropReasons, ReasonRow
from fwdtui.core.units import grouped

_MOST = 3  # reasons in a sentence
_LEAST = 0.001  # a smaller share is not worth words
_MAY_EXPLAIN = 0.1  # share of what has no reason: fewer drops on other interfaces do not explain it


def why_lost(packets: Packets) -> str:
    """``42.1 % lost: 98.2 % of it CPU_BACKLOG at enqueue_to_backlog, ...``; "" if no reason was counted.

    Shares are of the packets that did not come out of the DUT. If reasons have more packets than their stage
    lost, they explain all of it, and no more. If it is not known how many packets did not come out, shares
    are of what was counted by reason. Of a whole machine the sentence is followed by one that says so.
    """
    if packets.reasons is None:
        return ""
    told = _why_lost(packets, packets.reasons)
    others = _of_others(packets.reasons)
    return f"{told} {others}" if others and any(row.stage for row in packets.reasons.rows) else told


def _why_lost(packets: Packets, reasons: DropReasons) -> str:
    mine = [row for row in reasons.rows if row.stage and row.count > 0]
    if not reasons.whole or packets.unaccounted is None:
        return _by_themselves(packets, reasons, mine)
    lost = lost_by_stage(packets)
    everything = sum(lost.values())
    if not everything:
        return "Nothing was lost."
    by_stage: dict[str, int] = {}
    for row in mine:
        by_stage[row.stage] = by_stage.get(row.stage, 0) + row.count
    shares: dict[str, float] = {}
    for row in mine:
        share = row.count * reasons.explained.get(row.stage, 0) / by_stage[row.stage] / everything
        shares[named(row)] = shares.get(named(row), 0.0) + share
    parts = _listed(shares)
    parts += [
        f"{percent(count / everything)} {_without(stage)}"
        for stage, count in unexplained(packets).items()
        if count / everything >= _LEAST
    ]
    if not parts:
        return f"{_lost(packets, everything)}."
    parts[0] = parts[0].replace(" % ", " % of it ", 1)
    return f"{_lost(packets, everything)}: {', '.join(parts)}.{_elsewhere(packets, reasons)}"


def _elsewhere(packets: Packets, reasons: DropReasons) -> str:
    """`` On interfaces that are not ports of the lab: 900 NETFILTER_DROP at nft_do_chain on br0.``

    "" if these drops are too few to explain what has no reason. They are not subtracted from it: drops on a
    bridge or a tunnel may be of the test's packets, those on the management port are not.
    """
    rows = [row for row in reasons.rows if row.place == NO_PORT and row.count > 0]
    if not rows or sum(row.count for row in rows) < _MAY_EXPLAIN * sum(unexplained(packets).values()):
        return ""
    told = [f"{grouped(row.count)} {named(row)}{f' on {row.device}' * bool(row.device)}" for row in rows]
    more = [f"{grouped(sum(row.count for row in rows[_MOST:]))} more"] if rows[_MOST:] else []
    return f" On interfaces that are not ports of the lab: {', '.join([*told[:_MOST], *more])}."


def _by_themselves(packets: Packets, reasons: DropReasons, mine: Sequence[ReasonRow]) -> str:
    """The reasons of a part of the blast, or of a blast whose account is not whole: they explain no loss."""
    everything = sum(row.count for row in mine)
    lost = sum(lost_by_stage(packets).values())
    head = f"{_lost(packets, lost)}. " if lost else ""
    of = f"the {reasons.seconds:.1f} s of the blast in which drop reasons were counted"
    elsewhere = _elsewhere(packets, reasons)
    if not everything:
        return f"{head}In {of}, there were no drops.{elsewhere}"
    shares: dict[str, float] = {}
    for row in mine:
        shares[named(row)] = shares.get(named(row), 0.0) + row.count / everything
    return f"{head}In {of}: {', '.join(_listed(shares))} of {grouped(everything)} drops.{elsewhere}"


def _listed(shares: dict[str, float]) -> list[str]:
    told = sorted(((share, name) for name, share in shares.items() if share >= _LEAST), reverse=True)
    parts = [f"{percent(share)} {name}" for share, name in told[:_MOST]]
    if rest := told[_MOST:]:
        more = f"{len(rest)} other reason{'s' * (len(rest) > 1)}"
        parts.append(f"{percent(sum(share for share, _ in rest))} {more}")
    return parts


def _without(stage: str) -> str:
    return f"{stage} and without a reason" if stage == UNACCOUNTED else f"at the {stage} without a reason"


def _lost(packets: Packets, lost: int) -> str:
    sent = sent_in_all(packets)
    return f"{percent(lost / sent)} lost" if sent else f"At least {grouped(lost)} packets lost"


def sent_in_all(packets: Packets) -> int | None:
    """The packets of which losses are a share, an attack's too; None if they are not all known.

    What the DUT lost is of all of them. If it is not known what is in no counter, then not all senders are
    known, or what came out was counted in another way than what went in (`Packets.unaccounted`).
    """
    if packets.offered is None or packets.unaccounted is None:
        return None
    return packets.offered + (packets.attack or 0)


def named(row: ReasonRow) -> str:
    """``CPU_BACKLOG at enqueue_to_backlog``"""
    return f"{row.reason} at {row.location}" if row.location else row.reason


def where(row: ReasonRow) -> str:
    """The stage that a row explains, or why it explains none: for a table's column beside the row."""
    if row.stage:
        return row.stage
    if row.place == OTHER:
        return "in another network namespace"
    if row.place == NO_PORT:
        return "unknown traffic"
    return "not of the forwarded traffic"


def remarks(reasons: DropReasons) -> list[str]:
    """What a reader of the figures must know, one sentence each."""
    sentences = []
    if not reasons.whole:
        sentences.append(
            f"Counted during only {reasons.seconds:.1f} s of the blast, so not compared with the counters."
        )
    if others := _of_others(reasons):
        sentences.append(others)
    elif reasons.means in (TRACEFS, DTRACE):
        sentences.append(
            "Interfaces are not told apart, so drops of the host's other traffic are counted too."
        )
    if any(row.place == NO_PORT for row in reasons.rows):
        sentences.append(
            "Drops on interfaces that are not ports of the lab explain nothing: "
            "it is not known whose they are."
        )
    if reasons.missed:
        sentences.append(f"{grouped(reasons.missed)} drops found no room in the kernel's table.")
    return sentences


def _of_others(reasons: DropReasons) -> str:
    """What has to be said where reasons may be those of packets that the DUT never had; else ""."""
    if reasons.scope != MACHINE:
        return ""
    others = "jails" if reasons.means == DTRACE else "other network namespaces"
    return f"Counted on the whole machine: drops in its {others} cannot be told apart."


def percent(share: float, decimals: int = 1) -> str:
    """``4.2 %``; a share above zero is never shown as zero: ``<0.1 %``."""
    text = f"{share * 100:.{decimals}f}"
    if float(text) == 0.0:  # a negative number that rounds to zero is shown without its sign
        return f"<{10.0**-decimals:.{decimals}f} %" if share > 0 else f"{0.0:.{decimals}f} %"
    return f"{text} %"
