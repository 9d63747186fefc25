"""What the generators of one run offered, by their roles: the wanted traffic, and an attack beside it."""

from collections.abc import Mapping, Sequence

import msgspec

from fwdtui.core import netbenches, offered, steady
from fwdtui.core.interval import lies_within
from fwdtui.core.model import Caution, RateSample, Summary, Window
from fwdtui.core.parse.netmap_pktgen import PktGenLog
from fwdtui.core.roles import ATTACK
from fwdtui.core.sending import Sending, offered_by
from fwdtui.core.units import pps

OFFERED = "offered"
ATTACK_SENT = "attack"
"""Names of the metrics: the wanted traffic, and the attack that was sent with it."""


class Sender(msgspec.Struct, frozen=True):
    """A generator that was started: its log, and the log's samples.

    `shift`: the seconds to add to its times to get the receiver's. `unread`: the log gives no rate, and does
    not say that nothing was sent. `file`: the log's name in the session.
    """

    kind: str
    log: PktGenLog
    series: Sequence[RateSample]
    shift: float
    unread: bool
    file: str


class Load(msgspec.Struct, frozen=True):
    """The metrics "offered" and "attack" as far as they are known, and warnings.

    `attacked`: at least one generator sent an attack.
    """

    metrics: Mapping[str, Summary]
    cautions: tuple[Caution, ...]
    attacked: bool


def load(
    senders: Sequence[Sender],
    roles: Mapping[str, str],
    together: Sending | None,
    window: Window | None,
    trim: str,
) -> Load:
    """The load in the receiver's window. If a role is not known, all that was sent counts as offered."""
    known = all(one.kind in roles for one in senders)
    attacking = [one for one in senders if known and roles[one.kind] == ATTACK]
    wanted = [one for one in senders if one not in attacking]
    metrics: dict[str, Summary] = {}
    cautions: list[Caution] = []
    if unread := [one for one in wanted if one.unread]:
        cautions.append(_unknown(unread))
    elif summary := _rate(wanted, together, window, trim):
        metrics[OFFERED] = summary
    if len(wanted) > 1 and not known and not unread:
        cautions.append(_summed(wanted, OFFERED in metrics))
    if attacking:
        if not any(one.unread for one in attacking) and (sent := _rate(attacking, together, window, trim)):
            metrics[ATTACK_SENT] = sent
        cautions.append(_attack(attacking, wanted, metrics.get(ATTACK_SENT)))
    return Load(metrics, tuple(cautions), bool(attacking))


def _rate(
    senders: Sequence[Sender], together: Sending | None, window: Window | None, trim: str
) -> Summary | None:
    """What `senders` sent in the receiver's window, if that is known; of several the sum.

    None if a generator's rate is missing: a sum without it would be too low.
    """
    if not senders or not all(one.series for one in senders):
        return None
    if trim == "netbenches":
        each = [netbenches.kept(one.log)[0] or _zeros(one.series) for one in senders]
        return _sum([steady.summary(rates) for rates in each])
    if together is not None and window is not None and window.start is not None and window.end is not None:
        bounds = window.start, window.end
        sent = offered_by([one.series for one in senders], [one.shift for one in senders])
        whole = [s.pps for s in sent if lies_within(s.t, s.interval, bounds)]
        if whole:
            return steady.summary(whole)
    parts = []
    for one in senders:
        part = steady.find(one.series)
        kept = one.series[part.first : part.last] or one.series  # all zeros have no window: 0 was measured
        parts.append(steady.summary([s.pps for s in kept]))
    return _sum(parts)


def _zeros(series: Sequence[RateSample]) -> list[float]:
    """The rates of an all-zero log, which netbenches' trimming drops; empty for any other log."""
    return [] if any(s.pps for s in series) else [s.pps for s in series]


def _sum(parts: Sequence[Summary | None]) -> Summary | None:
    """The sum of the parts, as if all reached `min`, or `max`, at once; None if a part is missing."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    return Summary(
        median=sum(part.median for part in known),
        mean=sum(part.mean for part in known),
        min=sum(part.min for part in known),
        max=sum(part.max for part in known),
        n=min(part.n for part in known),
    )


def _unknown(senders: Sequence[Sender]) -> Caution:
    names = ", ".join(one.file for one in senders)
    readable = any(one.log.command or one.log.killed or one.log.packets_total for one in senders)
    what = "has no rate" if readable else "could not be read"
    text = f"A generator's log {what} ({names}), so the offered load is not known; other logs give only a "
    return Caution("sender-unread", f"{text}lower bound.")


def _summed(senders: Sequence[Sender], known: bool) -> Caution:
    names = ", ".join(one.kind for one in senders)
    total = "the offered load is their sum" if known else "one of them has no rate, so the load is not known"
    text = (
        f"There were {len(senders)} generators ({names}): {total}. Their roles (wanted traffic, attack) are "
        "not known, nor whose packets were received."
    )
    return Caution("senders-summed", text)


def _attack(attacking: Sequence[Sender], wanted: Sequence[Sender], sent: Summary | None) -> Caution:
    rate = f" ({pps(sent.median)})" if sent else ", whose rate is not known,"
    beside = f"the wanted traffic of {_names(wanted)}" if wanted else "no wanted traffic"
    text = (
        f"{_names(attacking)} sent an attack{rate} beside {beside}: offered is the wanted traffic alone. The "
        "receiver's log does not say whose packets it counted."
    )
    return Caution(offered.ATTACK_SENT, text)


def _names(senders: Sequence[Sender]) -> str:
    return " and ".join(one.kind for one in senders)
