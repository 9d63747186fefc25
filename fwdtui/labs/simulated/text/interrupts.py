"""`vmstat -i`. Source: usr.bin/vmstat/vmstat.c, print_intrcnts()."""

from fwdtui.labs.simulated.view import View

_FIRST = 128  # irq of the first queue
_TIMER = 127  # interrupts per second and core


def vmstat(view: View) -> str:
    """All interrupt sources. The rates are averages since boot."""
    rows = [("irq4: uart0", 6)]
    rows += [(f"cpu{number}:timer", int(view.uptime * _TIMER)) for number in range(len(view.cores))]
    irq = _FIRST
    for port in view.ports:
        for queue, count in enumerate(port.irqs):
            rows.append((f"irq{irq}: {port.name}:rxq{queue}", count))
            irq += 1
        if port.irqs:
            rows.append((f"irq{irq}: {port.name}:aq", 2))
            irq += 1
    rows = [row for row in rows if row[1]]
    rows.append(("Total", sum(count for _, count in rows)))
    lines = [f"{'interrupt':<25} {'total':>14} {'rate':>10}"]
    lines += [f"{name:<25} {count:>14} {int(count / max(view.uptime, 1.0)):>10}" for name, count in rows]
    return "\n".join(lines) + "\n"
