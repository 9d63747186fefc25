"""A FreeBSD frame -> a sample: text as netstat, sysctl and vmstat print it."""

import pytest
from fixtures import freebsd

from fwdtui.collectors import freebsd_sampler
from fwdtui.collectors.base import Readout
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.freebsd_sampler import FreebsdHello, FreebsdSampling, counters_of, read_hello
from fwdtui.collectors.watch import Watch

HELLO = Frame(
    0,
    "H",
    {
        "clock": "date",
        "boot": "kern.boot_id=77\nkern.clockrate={ hz = 1000, tick = 1000, profhz = 8126, stathz = 127 }",
        "names": "dev.ix.0.%desc\ndev.ix.0.queue0.rx_packets\ndev.ix.0.queue10.rx_packets\n"
        "dev.ix.0.mac_stats.rx_missed_packets\ndev.ix.0.debug\ndev.ix.0.iflib.simple_tx\nsysctl: unknown",
        "soft": "net.iflib.prefer_mpring=1\ndev.ix.0.iflib.simple_tx=0",
        "ports": "cxl1: <port 1> on t5nex0",
    },
)
NETSTAT = """\
Name    Mtu Network       Address              Ipkts Ierrs Idrop     Ibytes     Opkts Oerrs     Obytes  Coll  Drop
ix0    1500 <Link#1>      00:0d:b9:41:ca:3c 77816389     0    12 4668983340         2     0        120     0     0 
ix0       - 198.18.0.0/15 198.18.0.2              77     -     -       4620         2     -        120     -     - 
ix1*   1500 <Link#2>      00:0d:b9:41:ca:3d        5     0     0        300  70000000     1 4200000000     0     3 
"""  # noqa: E501, W291
SYSCTL = """\
kern.boottime={ sec = 1789900651, usec = 837885 } Sun Sep 20 10:37:31 2026
kern.cp_times=1 2 3 4 5 0 0 0 0 0 6 7 8 9 10
dev.ix.0.queue0.rx_packets=38908194
dev.ix.0.queue10.rx_packets=38908195
dev.ix.0.mac_stats.rx_missed_packets=12
"""
PLAIN = Frame(
    3,
    "P",
    {
        "before": "1789905651.837885000",
        "netstat": NETSTAT,
        "sysctl": SYSCTL,
        "after": "1789905651.843885000",
    },
)
SAID = read_hello(HELLO)
BOTH = ("ix0", "ix1")


def read_frame(frame: Frame, hello: FreebsdHello, interfaces: tuple[str, ...], boottime: str) -> Readout:
    return freebsd_sampler.read_frame(frame, counters_of(frame, hello), hello, interfaces, boottime)


def test_the_first_frame_chooses_what_to_ask_for() -> None:
    assert SAID.boot == "77"
    assert SAID.oids == (
        "dev.ix.0.queue0.rx_packets",
        "dev.ix.0.queue10.rx_packets",
        "dev.ix.0.mac_stats.rx_missed_packets",
    )
    assert SAID.ports == {("t5nex0", 1): "cxl1"}
    sampling = FreebsdSampling(Watch("dut", BOTH), "T", 1.0)
    assert sampling.greeting(HELLO) == [b"O 0 " + " ".join(SAID.oids).encode()]
    assert FreebsdSampling(Watch("dut", BOTH), "T", 1.0).greeting(Frame(0, "H")) == []


def changed(frame: Frame, seq: int, **replaced: tuple[str, str]) -> Frame:
    """The frame with some text of a section replaced by another."""
    sections = {name: text.replace(*replaced.get(name, ("", ""))) for name, text in frame.sections.items()}
    return Frame(seq, frame.kind, sections)


ATTACHED = {"netstat": ("<Link#1>", "<Link#7>")}  # anew: its interface has another number
MORE = Frame(8, "S", {"names": f"{HELLO.text('names')}\ndev.ix.0.queue11.rx_packets"})
WANTED = b"dev.ix.0.queue0.rx_packets dev.ix.0.queue10.rx_packets dev.ix.0.mac_stats.rx_missed_packets"


def attached_anew() -> FreebsdSampling:
    """A sampler whose ix0 has been attached again, with a queue more."""
    sampling = FreebsdSampling(Watch("dut", BOTH), "T", 1.0)
    sampling.greeting(HELLO)
    sampling.read(PLAIN)
    assert sampling.line("S", 4) == b"S 4", "as long as nothing changes, names are not asked for again"
    sampling.read(changed(PLAIN, 5, **ATTACHED))
    assert sampling.line("S", 8) == b"S 8 names"
    sampling.read(MORE)
    return sampling


def test_after_a_driver_was_attached_again_its_new_queues_are_asked_for() -> None:
    sampling = attached_anew()
    new = WANTED + b" dev.ix.0.queue11.rx_packets"
    assert sampling.line("P", 10) == b"P 10 " + new
    more = ("rx_missed_packets=12\n", "rx_missed_packets=12\ndev.ix.0.queue11.rx_packets=5\n")
    sample = sampling.read(changed(PLAIN, 10, **ATTACHED, sysctl=more)).sample
    assert [(row.index, row.packets) for row in sample.queues][-1] == (11, 5)
    assert sampling.line("P", 11) == b"P 11"


def test_names_are_listed_until_two_lists_are_equal_as_a_driver_may_still_be_attaching() -> None:
    sampling = attached_anew()
    assert sampling.line("S", 9) == b"S 9 names"
    whole = f"{MORE.text('names')}\ndev.ix.0.queue12.rx_packets"
    sampling.read(Frame(9, "S", {"names": whole}))
    assert sampling.line("P", 10).endswith(b"queue11.rx_packets dev.ix.0.queue12.rx_packets")
    assert sampling.line("S", 11) == b"S 11 names"
    sampling.read(Frame(11, "S", {"names": whole}))
    assert sampling.line("S", 12) == b"S 12"


def test_a_list_like_the_one_before_the_change_may_have_come_before_the_drivers_names() -> None:
    sampling = FreebsdSampling(Watch("dut", BOTH), "T", 1.0)
    sampling.greeting(HELLO)
    sampling.read(PLAIN)
    sampling.read(changed(PLAIN, 5, **ATTACHED))
    sampling.read(Frame(6, "S", {"names": HELLO.text("names")}))
    assert sampling.line("S", 7) == b"S 7 names"
    sampling.read(MORE)
    assert sampling.line("P", 9).endswith(b" dev.ix.0.queue11.rx_packets")


def test_a_driver_none_of_whose_names_is_listed_is_asked_for_those_of_before() -> None:
    sampling = attached_anew()
    sampling.read(Frame(9, "S", {"names": MORE.text("names")}))
    sampling.read(changed(PLAIN, 10))
    sampling.read(Frame(11, "S", {"names": ""}))
    assert sampling.line("S", 12) == b"S 12 names"
    assert sampling.hello.oids[-1] == "dev.ix.0.queue11.rx_packets"
    sampling.read(Frame(12, "S", {"names": ""}))
    assert sampling.line("S", 13) == b"S 13", "a driver that is gone is not waited for"


def test_the_new_choice_is_sent_until_a_tick_that_carried_it_is_answered() -> None:
    sampling = attached_anew()
    first = sampling.line("P", 10)
    sampling.read(changed(PLAIN, 9, **ATTACHED))  # asked for before
    assert sampling.line("P", 11) == first.replace(b"P 10", b"P 11")


@pytest.mark.parametrize(
    "change",
    [
        {"sysctl": ("dev.ix.0.queue10.rx_packets=38908195\n", "")},  # a name stopped answering
        {"netstat": ("<Link#2>", "<Link#9>")},
        {"netstat": (NETSTAT.splitlines()[3], "")},  # ix1 is gone, and may come back
    ],
)
def test_names_are_asked_for_again_when_drivers_seem_to_have_changed(
    change: dict[str, tuple[str, str]],
) -> None:
    sampling = FreebsdSampling(Watch("dut", BOTH), "T", 1.0)
    sampling.greeting(HELLO)
    sampling.read(PLAIN)
    sampling.read(changed(PLAIN, 4, **change))
    assert sampling.line("S", 4) == b"S 4 names"
    sampling.read(Frame(4, "S", {"names": HELLO.text("names")}))
    assert sampling.line("P", 5) == b"P 5", "these are the names that it asks for already"


def test_uptime_is_wall_clock_minus_boot_time() -> None:
    readout = read_frame(PLAIN, SAID, BOTH, "")
    assert readout.begin == pytest.approx(5000.0, abs=1e-6)
    assert readout.end == pytest.approx(5000.006, abs=1e-6)
    assert readout.sample.t == pytest.approx(5000.003, abs=1e-6)
    assert readout.sample.wall == pytest.approx(1789905651.837885)
    assert (readout.sample.boot, readout.sample.resolution) == ("77", 1e-6)


def test_a_plain_frame_has_interfaces_cores_queues_and_stages() -> None:
    sample = read_frame(PLAIN, SAID, BOTH, "").sample
    ix0, ix1 = sample.interfaces
    assert (ix0.name, ix0.rx_packets, ix0.rx_dropped, ix0.link, ix0.up) == ("ix0", 77816389, 12, 1, True)
    assert (ix1.name, ix1.tx_packets, ix1.tx_dropped, ix1.up) == ("ix1", 70000000, 3, False)
    assert [(core.cpu, core.irq, core.idle) for core in sample.cpus] == [(0, 4, 5), (2, 9, 10)]
    assert [(q.interface, q.index, q.packets) for q in sample.queues] == [
        ("ix0", 0, 38908194),
        ("ix0", 10, 38908195),
    ]
    assert [(s.stage, s.value) for s in sample.stages] == [("rx-ring", 12)]
    assert sample.forwarded is None  # nothing cheap tells it
    assert sample.skipped == ()


def test_frames_without_a_boot_time_of_their_own_use_the_last_one() -> None:
    sampling = FreebsdSampling(Watch("dut", BOTH), "T", 1.0)
    sampling.greeting(HELLO)
    slow = Frame(4, "S", {"before": "1789905652.0", "netisr": "", "vmstat": "", "after": "1789905652.0"})
    assert sampling.read(slow).begin is None
    sampling.read(PLAIN)
    slow = Frame(4, "S", {"before": "1789905652.837885000", "after": "1789905652.937885000"})
    readout = sampling.read(slow)
    assert readout.begin == pytest.approx(5001.0, abs=1e-6)
    assert readout.sample.interfaces == ()


def test_an_interface_that_is_not_there_is_said() -> None:
    sample = read_frame(PLAIN, SAID, ("ix0", "ix7"), "").sample
    assert [row.name for row in sample.interfaces] == ["ix0"]
    assert sample.skipped == ("no interface ix7",)


def test_a_name_that_an_old_netstat_cut_is_the_one_that_was_asked_for() -> None:
    cut = NETSTAT.replace("ix0    1500", "vtnet  1500").replace("Name    Mtu", "Name    Mtu")
    frame = Frame(1, "P", {**PLAIN.sections, "netstat": cut.replace("vtnet ", "vtnet ")})
    old = read_hello(Frame(0, "H", {**HELLO.sections, "boot": "kern.clockrate={ hz = 1000 }"}))
    sample = read_frame(frame, old, ("vtnet0",), "").sample
    assert [row.name for row in sample.interfaces] == ["vtnet0"]


def test_an_interface_that_is_gone_does_not_get_the_counters_of_one_whose_name_it_begins_with() -> None:
    """A netstat that does not cut names makes its column five wide if no name is longer than lagg0."""
    frame = Frame(1, "P", {**PLAIN.sections, "netstat": NETSTAT.replace("ix0    1500", "lagg0  1500")})
    sample = read_frame(frame, SAID, ("lagg0", "lagg0.100"), "").sample
    assert [row.name for row in sample.interfaces] == ["lagg0"]
    assert sample.skipped == ("no interface lagg0.100",)


def test_a_date_without_fractions_is_a_clock_of_seconds() -> None:
    frame = Frame(1, "P", {**PLAIN.sections, "before": "1789905651", "after": "1789905652"})
    readout = read_frame(frame, SAID, BOTH, "")
    assert readout.sample.resolution == 1.0
    assert readout.end is not None and readout.begin is not None
    assert readout.end - readout.begin == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("hz", "grain"), [("{ hz = 100, tick = 10000 }", 0.01), ("{ hz = 1000 }", 0.001), ("", 0.01)]
)
def test_a_pipes_time_may_be_as_coarse_as_a_clock_tick(hz: str, grain: float) -> None:
    assert read_hello(Frame(0, "H", {"clock": "stat", "boot": f"kern.clockrate={hz}"})).grain == grain


def test_a_slow_frame_has_netisr_and_interrupts() -> None:
    netisr, vmstat = freebsd("netstat-Q-cut-columns"), freebsd("vmstat-i-que-t5nex")
    frame = Frame(
        5, "S", {"before": "1789905652.0", "netisr": netisr, "vmstat": vmstat, "after": "1789905652.0"}
    )
    sample = read_frame(frame, FreebsdHello(), BOTH, "{ sec = 1789900651, usec = 837885 }").sample
    assert {row.workstream for row in sample.netisr} == {0, 1, 2, 3}
    assert any(row.interface == "igb1" and row.queue == 0 for row in sample.interrupts)


def test_any_text_gives_what_could_be_read() -> None:
    for garbage in ("", "\x00\xff", "netstat: kvm not available\n" * 3, "1" * 100_000):
        for name in PLAIN.sections:
            read_frame(Frame(1, "P", {**PLAIN.sections, name: garbage}), SAID, BOTH, "")
        read_hello(Frame(0, "H", dict.fromkeys(HELLO.sections, garbage)))
