"""Values that change by themselves: counters, clocks, gauges. They are not settings, and are not compared.

Nor are second names of settings that only some programs print.

The list is by name, because two readings in a quiet lab show no packet counter moving. A value that was seen
to change between two readings is left out too, whatever its name (`SettingsSource.unsteady`).

In a pattern ``*`` is any text, ``#`` a number, ``{a,b}`` one of several; a pattern matches a whole key.
docs/settings.md has this list for users, and a test checks that the two agree.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Volatile:
    """Patterns for keys of the source `source` that are not settings; `but`: exceptions, which are settings.

    `where`: this holds only on a host that also has a key that matches this pattern; "": on every host.
    """

    source: str
    why: str
    keys: tuple[str, ...]
    but: tuple[str, ...] = ()
    where: str = ""


VOLATILE = (
    # FreeBSD
    Volatile(
        "sysctl",
        "clocks, processor time, processes",
        (
            "kern.{cp_time,cp_times,boottime,boot_id,lastpid,openfiles,msgbuf,arandom}",
            "kern.tty_n{in,out}",
            "kern.timecounter.tc.*.{counter,frequency}",  # calibrated again at each boot
            "kern.eventtimer.et.*.frequency",
            "machdep.tsc_freq",
        ),
    ),
    Volatile(
        "sysctl",
        "memory, buffers and files in use",
        (
            "kern.ipc.{numopensockets,pipekva,pipes,pipeallocfail,pipefragretry,piperesizefail}",
            "kern.ipc.{nsfbufspeak,nsfbufsused,sfstat,tls.stats.*,num_snd_tags}",
            "vm.{loadavg,vmtotal,zone_stats,phys_free,kvm_free,objects,swap_objects}",
            "vm.{stats,uma,reserv}.*",
            "vm.{swap_reserved,swap_total,kmem_map_size,kmem_map_free}",
            "vm.domain.#.{stats,pidctrl}.*",
            "vm.pmap.*{count,frees,allocs,failures,failure,retries,mappings,promotions,demotions,saves}",
            "vfs.{numvnodes,freevnodes,vnodes_created,recycles,recycles_free,numdirtybuffers,numfreebuffers}",
            "vfs.{bufspace,mappedbufspace,unmappedbufspace,bufmallocspace,bufkvaspace,runningbufspace}",
            "vfs.{bufdefragcnt,buffreekvacnt,bufreusecnt,getnewbufcalls,getnewbufrestarts,mappingrestarts}",
            "vfs.{numbufallocfails,notbufdflushes,altbufferflushes,recursiveflushes,barrierwrites}",
            "vfs.{cache.stats.*,cache.nchstats,cache.debug.*,vnode.stats.*,deferred_inact}",
            "vfs.cache.neg.{count,created,evicted,evict_skipped_*,hits}",
            "vfs.vnode.vnlru.{recycles,recycles_free,direct_recycles_free,failed_runs,uma_reclaim_calls}",
            "vfs.zfs.{anon,mru,mru_ghost,mfu,mfu_ghost,uncached}_{size,metadata_esize,data_esize}",
            "vfs.zfs.l2c_only_size",
            "vfs.aio.{num_aio_procs,num_queue_count,num_buf_aio,num_unmapped_aio}",
            "vfs.ufs.dirhash_{mem,lowmemcount}",
            "hw.{usermem,busdma.*bpages,busdma.*bounced,busdma.*deferred}",
            "dev.netmap.{if,ring,buf}_curr_*",
        ),
    ),
    Volatile(
        "sysctl",
        "state of disks, random numbers, statistics of the kernel's own",
        (
            "kern.geom.conf{xml,txt,dot}",
            "kern.random.*",
            "kern.crypto_stats",
            "kstat.*",
            "debug.{to_avg_*,hashstat.*,softdep.*,witness.*_cnt,vnlru_nowhere,rush_requests}",
            "kern.epoch.stats.*",
            "debug.smr.*",
            "kern.cam.{ada,da,nda}.#.{trim_count,trim_ranges,trim_lbas,deletes}",
            "dev.nvme.#.*{num_cmds,num_intr_handler_calls,num_retries,num_failures,num_ignored}",
            "dev.nvme.#.*{num_recovery_nolock,sq_head,sq_tail,cq_head}",
            "dev.{mps,mpr}.#.{io_cmds_active,io_cmds_highwater,chain_free,chain_free_lowwater}",
            "dev.mpr.#.{prp_pages_free,prp_pages_free_lowwater}",
            "dev.{mrsas,mpi3mr}.#.{fw_outstanding,io_cmds_highwater}",
        ),
        but=(
            "kern.random.{harvest.mask*,random_sources,block_seeded_status}",
            "kern.random.{initial_seeding,fortuna}.*",
        ),
    ),
    Volatile(
        "sysctl",
        "connections and fragments at the moment, drops of netisr's queues",
        (
            "net.inet.{tcp,udp}.pcbcount",
            "net.inet.tcp.{states,hostcache.count,hostcache.list,syncache.count,sack.globalholes}",
            "net.inet.tcp.{functions_available,cc.available}",  # tables with the connections of each
            "net.inet.tcp.{pacing_count,pacing_failures,hpts.stats.*}",
            "net.inet.tcp.lro.{fullqueue,wokeup,compressed,single,lockcnt,sackwakeups,extra_mbuf}",
            "net.inet.tcp.lro.{would_have_but,with_m_ackcmp,without_m_ackcmp,csum_hw,csum_hw_ph,csum_sw}",
            "net.local.{inflight,deferred,taskcount,sockcount}",
            "net.inet.tcp.reass.{overflows,cursegments}",
            "net.inet.ip.{curfrags,fragpackets,frags,random_id_total,random_id_collisions,rl.*}",
            "net.inet6.ip6.{fragpackets,frags}",
            "net.{inet.ip,inet6.ip6}.{intr_queue_drops,intr_direct_queue_drops}",
            "net.inet.ip.fw.{dyn_count,curr_dyn_buckets}",
            "net.inet.ip.dummynet.{curr_time,tick_*,io_pkt*,queue_count,si_count,schk_count,fsk_count}",
        ),
    ),
    Volatile(
        "sysctl",
        "counters of network cards and their queues",
        (
            "hw.{intrcnt,intrs,mca.count}",
            "dev.*.#.iflib.{rx,tx}q#.*",
            "dev.*.#.{queue#,queue_rx_#,queue_tx_#,rxq#,txq#,rx#,tx#,que#}.*",
            "dev.*.#.{stats,stat,statistics,counters,interrupts,mac_stats,hw_stats,hwstats,swstats}.*",
            "dev.*.#.stats",
            "dev.{cxl,cxgbe,cc,vcxl,vcc}.#.{rxq,txq,nm_rxq,nm_txq,ofld_rxq,ofld_txq,tc}.*",
            "dev.t{4,5,6}nex.#.misc.*",
            "dev.mce.#.{vstats,pstats,rxstat#,txstat#*,priority_stats,debug_stats}.*",
            "dev.{ixl,iavf,ice}.#.{pf,vf,vsi,hw,vc,debug}.*",
            "dev.*.#.{dropped,rx_overruns,watchdog_timeouts,watchdog_events,link_irq,admin_irq}",
            "dev.*.#.{tx_dma_fail,mbuf_alloc_fail,mbuf_defrag_fail,mbuf_defrag_failed,cluster_alloc_fail}",
            "dev.*.#.{reg_dump,debug_dump,rs_dump}",
            "dev.*.#.{rx,tx}_{csum_offloaded,csum_failed,tso_offloaded,task_rescheduled,defragged}",
            "dev.*.#.{rx,tx}_{packets,bytes,error,errors,drop,drops}",
            "dev.netmap.iflib_rx_miss*",
        ),
        # em, igb and igc cannot be given a rate for a queue: theirs is what adaptive moderation has chosen
        but=("dev.*.cpu", "dev.*.affinity", "dev.*.num_desc", "dev.{ix,ixv}.*.interrupt_rate"),
    ),
    Volatile(
        "sysctl",
        "temperatures, power, idle states of processors",
        (
            "*temperature",
            "*temperature#",
            "dev.amdtemp.#.{core#.sensor#,sensor#.core#,ccd#}",
            "dev.cpu.#.{cx_usage,cx_usage_counters,cx_method,coretemp.*}",
            "hw.{sensors,acpi.battery}.*",
            "hw.acpi.acline",
            "dev.*.{voltage,core_vdd,fan_speed,rpm,power_draw}",
        ),
    ),
    Volatile(
        "sysctl",
        "clock rates that the processor chooses and hwpstate measures",
        ("dev.cpu.#.freq",),
        # without CPPC hwpstate_amd sets it, and has no epp (hwpstate_amd.c, hwpstate_intel.c)
        where="dev.hwpstate_{intel,amd}.#.epp",
    ),
    # Linux
    Volatile(
        "sysctl",
        "files, processes and connections at the moment, random numbers",
        (
            "fs.{dentry-state,inode-nr,inode-state,file-nr,aio-nr,mqueue.queues_count}",
            "fs.quota.{lookups,drops,reads,writes,cache_hits,allocated_dquots,free_dquots,syncs}",
            "kernel.{ns_last_pid,pty.nr,random.boot_id,random.uuid,random.entropy_avail}",
            "kernel.perf_event_max_sample_rate",  # the kernel lowers it when it is busy
            "kernel.{sched_domain.cpu#.domain#.max_newidle_lb_cost,hung_task_detect_count}",
            "kernel.spl.kmem.slab_*",
            "net.netfilter.nf_conntrack_count",
            "net.{ipv4.netfilter.ip_conntrack_count,nf_conntrack_count}",
            "sunrpc.transports",
            "dev.cdrom.*",
        ),
    ),
    Volatile(
        "sysctl",
        "older names of settings in milliseconds, which procps leaves out and busybox does not",
        ("net.ipv{4,6}.neigh.*.{base_reachable_time,retrans_time}",),
    ),
    Volatile(
        "ip addr",
        "temporary addresses, lifetimes of addresses, timers, counters of bonds",
        ("* temporary", "* valid_lft", "* link-netnsid", "* *_timer", "* link_failure_count"),
    ),
    # transceivers, with ifconfig -v
    Volatile("ifconfig", "the transceiver's temperature and light", ("* module temperature", "* {RX,TX}")),
    Volatile("ifconfig", "temporary addresses, the process that has a tun open", ("* temporary", "* Opened")),
)


@cache
def _of(source: str, there: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """All patterns for the keys of one source as one, and those for the exceptions."""
    fits = [one for one in VOLATILE if one.source == source and (not one.where or one.where in there)]
    return _compiled([key for one in fits for key in one.keys]), _compiled(
        [key for one in fits for key in one.but]
    )


def _compiled(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, patterns)) or r"(?!)", re.DOTALL)


def _expression(pattern: str) -> str:
    """A pattern of the list as a regular expression."""
    marks = {"*": ".*", "#": "[0-9]+", "{": "(?:", "}": ")", ",": "|"}
    return "".join(marks.get(character) or re.escape(character) for character in pattern)


def conditions(source: str, keys: Iterable[str]) -> frozenset[str]:
    """The `where` patterns that a reading of `source` with these keys fulfils."""
    conditional = {one.where for one in VOLATILE if one.source == source and one.where}
    if not conditional:
        return frozenset()
    names = tuple(keys)
    return frozenset(where for where in conditional if any(map(_compiled([where]).fullmatch, names)))


def is_volatile(source: str, key: str, there: frozenset[str] = frozenset()) -> bool:
    """Whether the value of this key changes by itself. `there`: what `conditions` returns for its reading."""
    patterns, but = _of(source, there)
    return patterns.fullmatch(key) is not None and but.fullmatch(key) is None
