"""`netstat -Q`. Source: usr.bin/netstat/netisr.c, netisr_stats()."""

from fwdtui.labs.simulated.view import View

_PROTOCOLS = (
    ("ip", 1, 256, "flow", "default", "---"),
    ("igmp", 2, 256, "source", "default", "---"),
    ("rtsock", 3, 256, "source", "default", "---"),
    ("arp", 4, 256, "source", "default", "---"),
    ("ether", 5, 256, "source", "direct", "---"),
    ("ip6", 6, 256, "flow", "default", "---"),
)


def netstat(view: View) -> str:
    """All three blocks: configuration, protocols, workstreams."""
    setup = view.setup
    threads = len(view.netisr)
    lines = [
        "Configuration:",
        f"{'Setting':<25} {'Current':>12} {'Limit':>12}",
        f"{'Thread count':<25} {threads:>12} {threads:>12}",
        f"{'Default queue limit':<25} {256:>12} {10240:>12}",
        f"{'Dispatch policy':<25} {setup.dispatch:>12} {'n/a':>12}",
        f"{'Threads bound to CPUs':<25} {'enabled':>12} {'n/a':>12}",
        "",
        "Protocols:",
        f"{'Name':<6} {'Proto':>5} {'QLimit':>6} {'Policy':<6} {'Dispatch':<8} {'Flags':<5}",
    ]
    for name, number, limit, policy, dispatch, flags in _PROTOCOLS:
        limit = setup.netisr_limit if name == "ip" else limit
        lines.append(f"{name:<6} {number:>5} {limit:>6} {policy:>6} {dispatch:>8}   {flags}")
    lines += [
        "",
        "Workstreams:",
        f"{'WSID':>4} {'CPU':>3}   {'Name':<6} {'Len':>5} {'WMark':>5} {_q('Disp' + chr(39) + 'd')} "
        f"{_q('HDisp' + chr(39) + 'd')} {_q('QDrops')} {_q('Queued')} {_q('Handled')}",
    ]
    for thread, line in enumerate(view.netisr):
        directly = view.directly[thread]
        for name, *_ in _PROTOCOLS:
            counts = _NOTHING
            if name == "ip":
                queued = line.arrived - line.dropped
                counts = _counts(
                    line.waiting, line.most, directly, 0, line.dropped, queued, line.passed + directly
                )
            elif name == "ether":
                counts = _counts(0, 0, directly + line.arrived, 0, 0, 0, directly + line.arrived)
            lines.append(f"{thread:>4} {thread:>3}   {name:<6} {counts}")
    return "\n".join(lines) + "\n"


def _q(text: str) -> str:
    return f"{text:>8}"


def _counts(length: int, mark: int, *rest: int) -> str:
    return f"{length:>5} {mark:>5} " + " ".join(_q(str(count)) for count in rest)


_NOTHING = _counts(*[0] * 7)
