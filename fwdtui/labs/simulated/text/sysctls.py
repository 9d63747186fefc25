"""sysctl names and values, one per line: ``name=value``, as `sysctl -e` prints them, in the tree's order.

Sources: sys/net/iflib.c, iflib_add_device_sysctl_post(); sys/dev/ixgbe/if_ix.c, ixgbe_add_hw_stats();
sys/dev/e1000/if_em.c; kern.cp_times in sys/kern/kern_clock.c.
"""

import time
import uuid

from fwdtui.labs.simulated.dut import Line
from fwdtui.labs.simulated.hosts import DUT
from fwdtui.labs.simulated.view import Port, View

_STATHZ = 127
_FRAME = 64
# random(4)'s sources as BSDRP sets them: those in brackets are not harvested
_HARVESTED = "[UMA],[FS_ATIME],SWI,[INTERRUPT],NET_NG,[NET_ETHER],NET_TUN,MOUSE,KEYBOARD,ATTACH,CACHED"


def sysctls(view: View) -> dict[str, str]:
    """The line of each sysctl of this host, by its name."""
    values = {**_kernel(view), **_network(view)}
    for port in view.ports:
        if port.name.startswith("ix"):
            values |= _ix(port)
        elif port.name.startswith("igb"):
            values |= _igb(port)
    return {name: f"{name}={value}\n" for name, value in values.items()}


def _kernel(view: View) -> dict[str, object]:
    cores = len(view.cores)
    seconds, microseconds = divmod(view.boot + view.stepped, 1_000_000)  # setting the clock moves it
    date = time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(seconds))
    ticks = [
        int(spent * _STATHZ)
        for core in view.cores
        for spent in (core.user, 0.0, core.system, core.interrupt, core.idle + view.idled)
    ]
    return {
        "kern.ostype": "FreeBSD",
        "kern.osrelease": "15.0-RELEASE",
        "kern.osreldate": 1500068,
        "kern.hostname": view.name,
        "kern.boot_id": str(uuid.UUID(int=view.boot)),
        "kern.clockrate": "{ hz = 1000, tick = 1000, profhz = 8128, stathz = 127 }",
        "kern.boottime": f"{{ sec = {seconds}, usec = {microseconds} }} {date}",
        "kern.cp_times": " ".join(map(str, ticks)),
        "kern.cp_time": " ".join(str(sum(ticks[state::5])) for state in range(5)),
        "kern.timecounter.hardware": "TSC-low",
        "kern.smp.cpus": cores,
        "kern.smp.threads_per_core": 1,
        "kern.vm_guest": "none",
        "kern.random.harvest.mask": 351,
        "kern.random.harvest.mask_symbolic": _HARVESTED,
        "vm.pmap.pti": 0,
        "hw.machine": "amd64",
        "hw.model": f"simulated, {cores} cores",
        "hw.ncpu": cores,
        "hw.physmem": 8 << 30,
        "hw.ibrs_active": 0,
        "hw.acpi.cpu.cx_lowest": "C1",
        "dev.cpu.0.freq_levels": "2400/-1 1600/-1 800/-1",
        "dev.cpu.0.freq": 2400,
    }


def _network(view: View) -> dict[str, object]:
    setup = view.setup
    forwarding = int(view.name == DUT)
    return {
        "net.iflib.prefer_mpring": 1,
        "net.isr.numthreads": len(view.netisr),
        "net.isr.maxprot": 16,
        "net.isr.defaultqlimit": 256,
        "net.isr.maxqlimit": 10240,
        "net.isr.bindthreads": 1,
        "net.isr.maxthreads": len(view.netisr),
        "net.isr.dispatch": setup.dispatch,
        "net.inet.ip.forwarding": forwarding,
        "net.inet.ip.redirect": 0,
        "net.inet6.ip6.forwarding": forwarding,
        "net.inet6.ip6.redirect": 0,
        "net.route.algo.inet.algo": "radix4",
        "net.route.algo.inet6.algo": "radix6",
    }


def _iflib(port: Port, unit: str) -> dict[str, object]:
    values: dict[str, object] = {
        f"{unit}.iflib.driver_version": "5.0.1-k" if port.name.startswith("ix") else "2.5.28-fbsd",
        f"{unit}.iflib.simple_tx": 0,
        f"{unit}.iflib.tx_abdicate": 0,
        f"{unit}.iflib.rx_budget": 0,
        f"{unit}.iflib.core_offset": 0,
        f"{unit}.iflib.separate_txrx": 0,
        f"{unit}.iflib.use_logical_cores": 0,
        f"{unit}.iflib.override_nrxqs": 0,
        f"{unit}.iflib.override_ntxqs": 0,
    }
    pad = len(str(len(port.transmit) - 1))
    for number, line in enumerate(port.transmit):
        queue = f"{unit}.iflib.txq{number:0{pad}}"
        values |= {
            f"{queue}.cpu": number,
            f"{queue}.ring_state": _ring_state(line),
            f"{queue}.r_enqueues": line.arrived - line.dropped if line.arrived else line.passed,
            f"{queue}.r_drops": line.dropped,
            f"{queue}.r_starts": line.passed,
            f"{queue}.r_stalls": 0,
            f"{queue}.r_restarts": 0,
            f"{queue}.r_abdications": 0,
            f"{queue}.txq_in_use": min(line.waiting, 2047),
            f"{queue}.txq_processed": line.passed,
            f"{queue}.txq_cleaned": line.passed,
            f"{queue}.no_desc_avail": 0,
        }
    for number, _ in enumerate(port.receive):
        values[f"{unit}.iflib.rxq{number:0{pad}}.cpu"] = number
        values[f"{unit}.iflib.rxq{number:0{pad}}.rxq_fl0.credits"] = 2047
    return values


def _ring_state(line: Line) -> str:
    tail = line.arrived % 2048
    head = (line.arrived - line.waiting) % 2048
    state = "BUSY" if line.waiting else "IDLE"
    return f"pidx_head: {tail:04} pidx_tail: {tail:04} cidx: {head:04} state: {state}"


def _ix(port: Port) -> dict[str, object]:
    unit = f"dev.ix.{port.name[2:]}"
    values = _device(port, unit, "ix", f"Intel(R) X520 82599ES (SFI/SFP+), {port.model}")
    values |= {f"{unit}.fc": 0, f"{unit}.enable_aim": 0, **_iflib(port, unit)}
    for number, (rx, tx) in enumerate(zip(port.receive, port.transmit, strict=True)):
        queue = f"{unit}.queue{number}"
        values |= {
            f"{queue}.rx_packets": rx.passed,
            f"{queue}.rx_bytes": rx.passed * _FRAME,
            f"{queue}.rx_discarded": 0,
            f"{queue}.tx_packets": tx.passed,
            f"{queue}.irqs": port.irqs[number],
        }
    received = port.input + port.missed
    values |= {
        f"{unit}.mac_stats.crc_errs": 0,
        f"{unit}.mac_stats.rec_len_errs": 0,
        f"{unit}.mac_stats.rx_missed_packets": port.missed,
        f"{unit}.mac_stats.xon_txd": 0,
        f"{unit}.mac_stats.xon_recvd": 0,
        f"{unit}.mac_stats.xoff_txd": 0,
        f"{unit}.mac_stats.xoff_recvd": 0,
        f"{unit}.mac_stats.total_octets_rcvd": received * _FRAME,
        f"{unit}.mac_stats.good_octets_rcvd": port.input * _FRAME,
        f"{unit}.mac_stats.total_pkts_rcvd": received,
        f"{unit}.mac_stats.good_pkts_rcvd": port.input,
        f"{unit}.mac_stats.total_pkts_txd": port.output,
        f"{unit}.mac_stats.good_pkts_txd": port.output,
    }
    return values


def _igb(port: Port) -> dict[str, object]:
    unit = f"dev.igb.{port.name[3:]}"
    values = _device(port, unit, "igb", f"Intel(R) {port.model} (Copper)")
    values |= {f"{unit}.fc": 3, **_iflib(port, unit)}
    values |= {
        f"{unit}.queue_rx_0.rx_irq": port.irqs[0],
        f"{unit}.queue_tx_0.tx_irq": 0,
        f"{unit}.mac_stats.missed_packets": port.missed,
        f"{unit}.mac_stats.recv_no_buff": 0,
        f"{unit}.mac_stats.crc_errs": 0,
        f"{unit}.mac_stats.total_pkts_recvd": port.input,
        f"{unit}.mac_stats.good_pkts_recvd": port.input,
        f"{unit}.mac_stats.total_pkts_txd": port.output,
        f"{unit}.mac_stats.good_pkts_txd": port.output,
    }
    return values


def _device(port: Port, unit: str, driver: str, description: str) -> dict[str, object]:
    return {
        f"{unit}.%desc": description,
        f"{unit}.%driver": driver,
        f"{unit}.%location": f"slot=0 function={port.index - 1} dbsf=pci0:1:0:{port.index - 1}",
        f"{unit}.%pnpinfo": f"vendor=0x8086 device=0x{port.device_id} class=0x020000",
        f"{unit}.%parent": "pci1",
    }
