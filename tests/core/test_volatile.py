"""What is no setting, because it changes by itself; and that users can read which values these are."""

import re
from pathlib import Path

import pytest

from fwdtui.core.volatile import VOLATILE, conditions, is_volatile

DOCS = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
COUNTERS = [
    *(
        "kern.cp_times",
        "kern.boottime",
        "kern.boot_id",
        "kern.openfiles",
        "kern.timecounter.tc.TSC-low.frequency",
    ),
    *(
        "vm.stats.sys.v_intr",
        "vm.uma.mbuf.stats.allocs",
        "vm.loadavg",
        "vm.pmap.pde.mappings",
        "kstat.zfs.misc.x",
    ),
    *("vfs.numvnodes", "vfs.cache.stats.dothits", "hw.intrcnt", "hw.usermem", "kern.random.rekeys"),
    *("vfs.ufs.dirhash_mem", "vfs.ufs.dirhash_lowmemcount"),
    *("dev.em.0.iflib.txq0.r_drops", "dev.ix.1.iflib.rxq07.rxq_fl0.credits", "dev.ix.0.queue3.rx_packets"),
    *("dev.em.0.queue_rx_0.rx_irq", "dev.igb.0.mac_stats.crc_errs", "dev.em.0.interrupts.rx_overrun"),
    *(
        "dev.cxl.0.stats.rx_drop",
        "dev.cxl.0.txq.3.cidx",
        "dev.mce.0.vstats.rx_packets",
        "dev.mce.0.rxstat4.packets",
    ),
    *("dev.ixl.0.pf.mac.crc_errors", "dev.vtnet.0.rxq0.csum", "dev.em.0.dropped", "dev.em.0.reg_dump"),
    *(
        "dev.cpu.0.temperature",
        "hw.acpi.thermal.tz0.temperature",
        "dev.cpu.3.cx_usage",
        "dev.t5nex.0.temperature",
    ),
    *(
        "fs.dentry-state",
        "fs.file-nr",
        "kernel.ns_last_pid",
        "kernel.random.uuid",
        "kernel.random.entropy_avail",
    ),
    *("net.ipv4.neigh.default.retrans_time", "net.ipv6.neigh.eth0.100.base_reachable_time"),
    *("net.netfilter.nf_conntrack_count", "net.inet.tcp.pcbcount", "net.inet.ip.dummynet.curr_time"),
    *(
        "net.inet.ip.intr_queue_drops",
        "net.inet6.ip6.intr_queue_drops",
        "net.inet.ip.intr_direct_queue_drops",
    ),
    *("dev.nvme.0.num_cmds", "dev.nvme.0.adminq.sq_head", "dev.nvme.1.ioq15.num_intr_handler_calls"),
    *("dev.mpr.0.io_cmds_highwater", "dev.mps.0.chain_free_lowwater", "kern.cam.ada.0.trim_lbas"),
    *("vfs.zfs.mru_size", "vfs.zfs.mfu_ghost_data_esize", "vfs.zfs.anon_size", "vfs.zfs.l2c_only_size"),
    *("vfs.vnode.vnlru.recycles_free", "kern.epoch.stats.epoch_calls", "debug.vnlru_nowhere"),
    *("net.inet.tcp.functions_available", "net.inet.tcp.cc.available", "net.inet.ip.random_id_total"),
    *("vfs.cache.neg.evicted", "vfs.cache.debug.zap_bucket_fail", "debug.smr.advance", "net.local.sockcount"),
    *("net.inet.tcp.lro.csum_sw", "net.inet.tcp.hpts.stats.loops", "net.inet.ip.rl.active"),
    *("dev.amdtemp.0.core0.sensor0", "dev.amdtemp.0.ccd1"),
    *("dev.igb.0.queue_rx_3.interrupt_rate", "dev.igc.1.queue_tx_0.interrupt_rate"),
    *("kernel.sched_domain.cpu0.domain1.max_newidle_lb_cost", "kernel.spl.kmem.slab_kvmem_alloc"),
]
SETTINGS = [
    "vfs.ufs.dirhash_maxmem",
    *("dev.igb.0.iflib.tx_abdicate", "dev.em.0.iflib.txq0.cpu", "dev.ix.0.fc", "dev.ix.0.enable_aim"),
    *("dev.ix.0.queue3.interrupt_rate", "dev.mce.0.conf.channels", "dev.em.0.rx_int_delay", "dev.cpu.0.freq"),
    *(
        "net.inet.ip.intr_queue_maxlen",
        "net.inet.ip.forwarding",
        "net.isr.dispatch",
        "net.isr.maxqlimit",
        "net.link.ifqmaxlen",
        "hw.ncpu",
    ),
    *("kern.random.harvest.mask", "kern.hz", "kern.ipc.nmbclusters", "vm.kmem_size", "vfs.zfs.arc_max"),
    *("vm.pmap.pcid_enabled", "kern.geom.collectstats", "hw.acpi.thermal.tz0._CRT", "kern.maxfiles"),
    *(
        "kernel.random.write_wakeup_threshold",
        "net.netfilter.nf_conntrack_max",
        "fs.file-max",
        "vm.swappiness",
    ),
    *(
        "net.core.netdev_budget",
        "net.ipv4.conf.eth0/100.forwarding",
        "kernel.pty.max",
        "net.inet.tcp.hostcache.expire",
    ),
    *("dev.nvme.0.ioq0.num_entries", "dev.nvme.0.num_io_queues", "dev.nvme.0.int_coal_time"),
    *("dev.mpr.0.max_chains", "kern.cam.nda.0.trim_goal", "vfs.zfs.arc_free_target"),
    *("vfs.vnode.vnlru.max_free_per_call", "net.inet.tcp.functions_default", "net.inet.tcp.cc.algorithm"),
    *("net.inet.tcp.lro.entries", "net.inet.tcp.hpts.minsleep", "net.local.stream.sendspace"),
    *("vfs.cache.param.neg_min", "net.inet.tcp.pacing_limit"),
    *("net.inet.ip.random_id", "dev.amdtemp.0.sensor_offset", "kernel.sched_domain.cpu0.domain1.flags"),
]


@pytest.mark.parametrize("key", COUNTERS)
def test_counters_clocks_and_gauges_are_volatile(key: str) -> None:
    assert is_volatile("sysctl", key)
    assert not is_volatile("/etc/sysctl.conf", key), "what a file sets is a setting whatever it is"


@pytest.mark.parametrize("key", SETTINGS)
def test_settings_are_not(key: str) -> None:
    assert not is_volatile("sysctl", key)


def test_other_sources_have_their_own() -> None:
    assert is_volatile("ip addr", "eth0 valid_lft") and is_volatile("ip addr", "br0 gc_timer")
    assert not is_volatile("ip addr", "eth0 mtu") and not is_volatile("sysctl", "eth0 valid_lft")
    assert is_volatile("ifconfig", "ix0 module temperature") and not is_volatile("ifconfig", "ix0 media")
    assert is_volatile("ifconfig", "tun0 Opened") and not is_volatile("ifconfig", "tun0 options")


@pytest.mark.parametrize("driver", ["intel", "amd"])
def test_a_clock_rate_is_no_setting_where_hwpstate_measures_it(driver: str) -> None:
    there = conditions("sysctl", ["dev.cpu.0.freq", f"dev.hwpstate_{driver}.0.epp"])
    assert is_volatile("sysctl", "dev.cpu.0.freq", there) and is_volatile("sysctl", "dev.cpu.17.freq", there)
    for setting in ("dev.cpu.0.freq_levels", f"dev.hwpstate_{driver}.0.epp"):
        assert not is_volatile("sysctl", setting, there)
    # est(4), and AMD's without CPPC, which has no epp
    for keys in (["dev.est.0.freq_settings"], ["dev.hwpstate_amd.0.freq_settings"], []):
        assert not is_volatile("sysctl", "dev.cpu.0.freq", conditions("sysctl", keys))


def test_the_list_is_in_the_documentation_word_for_word() -> None:
    section = DOCS.read_text(encoding="utf-8").partition("## What changes by itself")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| (.+) \|$", section, re.MULTILINE)
    cells = [(*row[:2], *row[2].partition(" only where there is ")[::2]) for row in rows]
    told = [
        (source, why, re.findall(r"`([^`]+)`", keys.partition(" but not ")[0]))
        for source, why, keys, _ in cells
    ]
    assert told == [(one.source, one.why, list(one.keys)) for one in VOLATILE]
    excepted = [re.findall(r"`([^`]+)`", keys.partition(" but not ")[2]) for _, _, keys, _ in cells]
    assert excepted == [list(one.but) for one in VOLATILE]
    assert [where.strip("`") for _, _, _, where in cells] == [one.where for one in VOLATILE]
