"""Which of FreeBSD's mib probes count a dropped packet, and what of a packet account they explain.

Probes of DTrace's provider mib (dtrace_mib(4), sys/netinet/in_kdtrace.c) fire where the kernel adds to a
counter of `netstat -s`: mib:ip:count:ips_noroute. One packet may add to several counters, so each is
counted only where the sources say that it is a loss of its own:

- ip_findroute() (sys/netinet/ip_fastfwd.c) and ip6_findroute() (sys/netinet6/ip6_fastfwd.c) count a packet
  without a route as noroute and as cantforward: it is subtracted from the latter.
- ip_forward() (sys/netinet/ip_input.c) counts every error of ip_output() as cantforward. What ip_output()
  and ip_fragment() count (noroute, cantfrag, odropped) is the same packet again, or one of the host's own:
  left out.
- ip6_forward() counts each badscope as cantforward too; ip6_input() does not.
- ip_tryforward() and ip6_tryforward() count what the interface's if_output() refused, as odropped and as
  cantforward. An interface that was full has counted it as its own: that explains the stage `output`.

Not counted: reassembly, multicast, protocols and sockets (fragdropped, notmember, noproto, udps_...): no
router loses forwarded packets there. A TTL of 1 and a firewall's drop are in no counter that has a mib
probe. There is no probe `drop` in the provider ip either: it has send and receive (dtrace_ip(4)).
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from fwdtui.core.reason_counts import ReasonRow

if TYPE_CHECKING:  # so that the app's first frame does not wait for a parser
    from fwdtui.core.parse.dtrace_drops import MibRow

_FAST4 = frozenset(("ip_findroute", "ip_tryforward"))  # one may be inlined in the other
_FAST6 = frozenset(("ip6_findroute", "ip6_tryforward"))


class MibDrop(NamedTuple):
    """A counter's module, and the functions in which it is a loss of its own; empty: all that count it."""

    module: str
    places: frozenset[str] = frozenset()


MIB_DROPS: Mapping[str, MibDrop] = {
    "ips_badsum": MibDrop("ip"),
    "ips_tooshort": MibDrop("ip"),
    "ips_toosmall": MibDrop("ip"),
    "ips_badhlen": MibDrop("ip"),
    "ips_badlen": MibDrop("ip"),
    "ips_badvers": MibDrop("ip"),
    "ips_badaddr": MibDrop("ip"),
    "ips_badoptions": MibDrop("ip"),
    "ips_cantforward": MibDrop("ip"),
    "ips_noroute": MibDrop("ip", _FAST4),
    "ips_cantfrag": MibDrop("ip", frozenset(("ip_tryforward",))),
    "ips_odropped": MibDrop("ip", frozenset(("ip_tryforward",))),
    "ip6s_tooshort": MibDrop("ip6"),
    "ip6s_toosmall": MibDrop("ip6"),
    "ip6s_badvers": MibDrop("ip6"),
    "ip6s_badoptions": MibDrop("ip6"),
    "ip6s_badscope": MibDrop("ip6", frozenset(("ip6_input",))),
    "ip6s_cantforward": MibDrop("ip6"),
    "ip6s_noroute": MibDrop("ip6", _FAST6 | {"ip6_forward"}),
}
"""By the counter's name, which is the probe's."""
_WITHIN = (("ips_cantforward", "ips_noroute", _FAST4), ("ip6s_cantforward", "ip6s_noroute", _FAST6))
"""Counters whose packets are all in another one too, where both are counted by these functions."""
_REFUSED = frozenset((("ips_odropped", "ip_tryforward"), ("ip6s_cantforward", "ip6_tryforward")))


def mib_rows(rows: "Iterable[MibRow]") -> tuple[ReasonRow, ...]:
    """One row for each counter and function, each packet in only one of them; largest count first."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        drop = MIB_DROPS.get(row.counter)
        if drop is not None and (not drop.places or row.function in drop.places):
            key = row.counter, row.function
            counts[key] = counts.get(key, 0) + row.drops
    for whole, part, places in _WITHIN:
        for place in places:
            if (whole, place) in counts:
                counts[whole, place] -= counts.get((part, place), 0)
    kept = sorted((-count, *key) for key, count in counts.items() if count > 0)
    return tuple(ReasonRow(counter, function, -count) for count, counter, function in kept)


def refused_by_output(row: ReasonRow) -> bool:
    """Whether these packets got as far as the outgoing interface, which did not take them."""
    return (row.reason, row.location) in _REFUSED
