"""What FreeBSD says of a host makes each rule speak or be silent, with the boundary between the two."""

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from fwdtui.core.findings import Finding
from fwdtui.core.host_settings import HostSettings, SettingsSource
from fwdtui.core.hygiene import rules, unread
from fwdtui.core.hygiene.finding import Subject
from fwdtui.core.lab import parse
from fwdtui.core.settings_reading import source

KINDS = {
    "sysctl": "sysctl",
    "/etc/rc.conf": "rc.conf",
    "/etc/rc.conf.local": "rc.conf",
    "/etc/rc.conf.d/powerd": "rc.conf",
    "/usr/local/etc/rc.conf.d/powerd": "rc.conf",
    "/etc/rc.conf.misc": "rc.conf",
    "/etc/defaults/vendor.conf": "rc.conf",
    "ifconfig": "ifconfig",
    "kernel configuration": "kernel config, FreeBSD",
}
SYSCTLS = {
    "kern.vm_guest": "none",
    "kern.smp.threads_per_core": "1",
    "kern.random.harvest.mask": "351",
    "kern.random.harvest.mask_symbolic": "[UMA],[FS_ATIME],SWI,[INTERRUPT],NET_NG,[NET_ETHER],NET_TUN",
    "vm.pmap.pti": "0",
    "net.inet.ip.forwarding": "1",
    "net.inet.ip.redirect": "0",
    "net.inet6.ip6.redirect": "0",
    "net.isr.dispatch": "direct",
    "net.isr.numthreads": "1",
    "net.isr.bindthreads": "0",
    "hw.ncpu": "4",
    "hw.ibrs_active": "0",
    "hw.acpi.cpu.cx_lowest": "C1",
    "dev.cpu.0.cx_lowest": "C1",
    "dev.cpu.0.freq": "2200",
    "dev.cpu.0.freq_levels": "2200/35000 1800/28000 800/-1",
    "dev.igb.0.fc": "0",
    "dev.igb.0.iflib.override_nrxds": "0",
    "dev.igb.0.iflib.override_nrxqs": "0",
    "dev.igb.0.iflib.disable_msix": "0",
}
IFCONFIG = """\
igb0: flags=8863<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
\toptions={options}
\tether 02:00:00:00:00:01
\tmedia: Ethernet autoselect (1000baseT <{media}>)
\tstatus: active
"""


def ifconfig(options: str = "4e50028<VLAN_MTU,JUMBO_MTU>", media: str = "full-duplex") -> dict[str, str]:
    return {"ifconfig": IFCONFIG.format(options=options, media=media)}


def sysctls(**values: str) -> dict[str, str]:
    """The quiet ones, with these in their place; __ stands for a dot."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return {"sysctl": "".join(f"{name}={value}\n" for name, value in {**SYSCTLS, **named}.items())}


def kernel(*options: str) -> dict[str, str]:
    lines = ["ident\tROUTER", "machine\tamd64", "options\tINET", "options\tINVARIANT_SUPPORT", *options]
    return {"kernel configuration": "".join(f"{line}\n" for line in lines)}


QUIET = {**sysctls(), "/etc/rc.conf": 'gateway_enable="YES"\n', **ifconfig(), **kernel()}


def subject(texts: Mapping[str, str], *instead: SettingsSource, roles: tuple[str, ...] = ("dut",)) -> Subject:
    told = {**QUIET, **texts}
    names = [line.partition("=")[0] for line in told["sysctl"].splitlines()]
    sources = [
        source(KINDS[name], name, text, names=names)
        for name, text in told.items()
        if name not in {one.name for one in instead}
    ]
    ports = ("igb0",) if "dut" in roles else ()
    return Subject(HostSettings("h", "freebsd", roles, sources=(*sources, *instead)), ("igb0",), ports)


def found(
    texts: Mapping[str, str], *instead: SettingsSource, roles: tuple[str, ...] = ("dut",)
) -> list[Finding]:
    return list(rules.findings(subject(texts, *instead, roles=roles)))


def test_a_service_may_be_enabled_in_each_file_that_is_read_after_rc_conf() -> None:
    no = 'powerd_enable="NO"\n'
    for file in ("/etc/rc.conf.local", "/etc/rc.conf.d/powerd", "/usr/local/etc/rc.conf.d/powerd"):
        seen = found({"/etc/rc.conf": no, file: 'powerd_enable="YES"\n'})
        assert "rc.conf starts powerd" in [one.seen for one in seen], file
    for file in ("/etc/rc.conf.misc", "/etc/defaults/vendor.conf"):
        for others, spoken in (({}, True), ({"/etc/rc.conf": no}, False)):
            seen = found({file: 'powerd_enable="YES"\n', **others})
            assert ("rc.conf starts powerd" in [one.seen for one in seen]) == spoken, file


class Case(NamedTuple):
    """`speaks`: texts and what is seen; `silent`: texts about which this rule says nothing."""

    code: str
    speaks: tuple[Mapping[str, str], str]
    silent: tuple[Mapping[str, str], ...]
    do: str


CASES = (
    Case(
        "kernel-debug",
        (kernel("options\tWITNESS", "options\tINVARIANTS"), "the kernel was built with WITNESS, INVARIANTS"),
        (
            kernel("options\tWITNESS_SKIPSPIN"),
            kernel("nooptions\tINVARIANTS"),
            kernel("options\tINVARIANTS", "nooptions\tINVARIANTS"),
        ),
        "make -C /usr/src kernel KERNCONF=GENERIC-NODEBUG",
    ),
    Case(
        "fastforwarding",
        (sysctls(net__inet__ip__fastforwarding="0"), "net.inet.ip.fastforwarding is 0"),
        (sysctls(net__inet__ip__fastforwarding="1"), sysctls()),
        "sysctl net.inet.ip.fastforwarding=1",
    ),
    Case(
        "redirects",
        (sysctls(net__inet__ip__redirect="1", kern__osreldate="1299999"), "net.inet.ip.redirect is 1"),
        (
            sysctls(net__inet__ip__redirect="0", kern__osreldate="1203000"),
            sysctls(net__inet__ip__redirect="1", kern__osreldate="1300000"),  # its fast path sends them
            sysctls(net__inet__ip__redirect="1"),  # of an unknown release
        ),
        "sysctl net.inet.ip.redirect=0",
    ),
    Case(
        "harvest",
        (
            sysctls(
                kern__random__harvest__mask="511",
                kern__random__harvest__mask_symbolic="[UMA],[FS_ATIME],SWI,INTERRUPT,NET_NG,NET_ETHER,NET_TUN",
            ),
            "entropy is harvested from NET_ETHER and INTERRUPT",
        ),
        (sysctls(), sysctls(kern__random__harvest__mask="351", kern__random__harvest__mask_symbolic="")),
        "sysrc harvest_mask=351 && service random restart",
    ),
    Case(
        "netisr-one-thread",
        (
            sysctls(net__isr__dispatch="deferred"),
            "net.isr.dispatch is deferred, and one thread serves 4 CPUs",
        ),
        (
            sysctls(net__isr__dispatch="direct"),
            sysctls(net__isr__dispatch="deferred", net__isr__numthreads="2", net__isr__bindthreads="1"),
            sysctls(net__isr__dispatch="deferred", hw__ncpu="1"),
        ),
        "sysrc -f /boot/loader.conf net.isr.maxthreads=-1",
    ),
    Case(
        "netisr-unbound",
        (
            sysctls(net__isr__dispatch="hybrid", net__isr__numthreads="4"),
            "the 4 netisr threads are not bound to CPUs",
        ),
        (
            sysctls(net__isr__dispatch="hybrid", net__isr__numthreads="4", net__isr__bindthreads="1"),
            sysctls(net__isr__dispatch="direct", net__isr__numthreads="4"),
        ),
        "sysrc -f /boot/loader.conf net.isr.bindthreads=1",
    ),
    Case(
        "pause",
        (sysctls(dev__igb__0__fc="3"), "flow control is on (dev.igb.0.fc is 3)"),
        (sysctls(dev__igb__0__fc="0"), ifconfig(media="full-duplex")),
        "sysctl dev.igb.0.fc=0",
    ),
    Case(
        "lro",
        (ifconfig("e53fbb<RXCSUM,LRO>"), "LRO is on"),
        (ifconfig("e53fbb<RXCSUM>"),),
        "ifconfig igb0 -lro",
    ),
    Case(
        "tso",
        (ifconfig("e53fbb<RXCSUM,TSO4>"), "TSO4 is on"),
        (ifconfig("e53fbb<VLAN_HWTSO>"),),
        "ifconfig igb0 -tso",
    ),
    Case(
        "powerd",
        ({"/etc/rc.conf": 'powerd_enable="YES"\n'}, "rc.conf starts powerd"),
        (
            {"/etc/rc.conf": 'powerd_enable="NO"\n'},
            # rc.conf(5): the later file counts
            {"/etc/rc.conf": 'powerd_enable="YES"\n', "/etc/rc.conf.local": 'powerd_enable="NO"\n'},
            {"/etc/rc.conf": 'powerd_enable="YES"\n', "/etc/rc.conf.d/powerd": 'powerd_enable="NO"\n'},
        ),
        "service powerd onestop",
    ),
    Case(
        "idle-states",
        (sysctls(dev__cpu__0__cx_lowest="C2"), "processors may sleep as deep as C2"),
        (
            sysctls(dev__cpu__0__cx_lowest="C1"),
            # stock rc.conf asks for C2, where the firmware may have none
            sysctls(dev__cpu__0__cx_lowest="C2", dev__cpu__0__cx_supported="C1/1/1"),
        ),
        "sysctl hw.acpi.cpu.cx_lowest=C1",
    ),
    Case(
        "frequency-limit",
        (sysctls(dev__cpu__0__freq="1800"), "CPU 0 runs at 1800 of 2200 MHz"),
        (sysctls(dev__cpu__0__freq="2200"),),
        "sysctl dev.cpu.0.freq=2200",
    ),
    Case(
        "turbo",
        (
            sysctls(dev__cpu__0__freq="2401", dev__cpu__0__freq_levels="2401/95000 2400/95000 2300/89000"),
            "CPU 0 runs at its turbo level (2401 MHz stands for any above 2400)",
        ),
        (
            sysctls(dev__cpu__0__freq="2400", dev__cpu__0__freq_levels="2401/95000 2400/95000 2300/89000"),
            sysctls(dev__cpu__0__freq="2200"),
            sysctls(dev__cpu__0__freq="2401", dev__cpu__0__freq_levels="2401/95000"),
        ),
        "sysctl dev.cpu.0.freq=2400",
    ),
    Case(
        "smt",
        (sysctls(kern__smp__threads_per_core="2"), "2 threads share a core"),
        (
            sysctls(kern__smp__threads_per_core="1"),
            sysctls(kern__smp__threads_per_core="2", machdep__hyperthreading_allowed="0"),
        ),
        "sysrc -f /boot/loader.conf machdep.hyperthreading_allowed=0",
    ),
    Case(
        "mitigations",
        (sysctls(vm__pmap__pti="1"), "page table isolation is on (vm.pmap.pti is 1)"),
        (sysctls(vm__pmap__pti="0"),),
        "sysrc -f /boot/loader.conf vm.pmap.pti=0",
    ),
    Case(
        "iflib-overrides",
        (
            sysctls(dev__igb__0__iflib__override_nrxds="0,2048"),
            "dev.igb.0.iflib.override_nrxds is 0,2048",
        ),
        (sysctls(dev__igb__0__iflib__override_nrxds="0,0"), sysctls(dev__igb__1__iflib__override_nrxqs="4")),
        "sysrc -f /boot/loader.conf -x dev.igb.0.iflib.override_nrxds",
    ),
    Case(
        "kernel-rss",
        (kernel("options\tRSS"), "the kernel was built with options RSS"),
        (kernel(),),
        "netstat -Q",
    ),
)


def codes(texts: Mapping[str, str], **options: tuple[str, ...]) -> list[str]:
    return [one.code for one in found(texts, **options)]


def test_every_rule_has_its_case() -> None:
    assert sorted(case.code for case in CASES) == sorted(rule.code for rule in rules.RULES["freebsd"])


def test_of_a_clean_host_nothing_is_said() -> None:
    assert found({}) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_rule_speaks(case: Case) -> None:
    texts, seen = case.speaks
    (finding,) = [one for one in found(texts) if one.code == case.code]
    assert (finding.seen, finding.do) == (seen, case.do)
    assert finding.why and finding.source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_rule_is_silent(case: Case) -> None:
    for texts in case.silent:
        assert case.code not in codes(texts)


def test_to_switch_turbo_on_is_no_advice() -> None:
    """Intel's processors list it as one MHz more than the highest frequency that they keep."""
    levels = "2401/95000 2400/95000 2300/89000 1200/30000"
    assert codes(sysctls(dev__cpu__0__freq="2400", dev__cpu__0__freq_levels=levels)) == []
    (slow,) = found(sysctls(dev__cpu__0__freq="1200", dev__cpu__0__freq_levels=levels))
    assert (slow.code, slow.seen) == ("frequency-limit", "CPU 0 runs at 1200 of 2400 MHz")
    assert slow.do == "sysctl dev.cpu.0.freq=2400"


def test_flow_control_is_seen_by_sysctl_else_by_chelsio_else_by_the_media() -> None:
    media = ifconfig(media="full-duplex,rxpause,txpause")
    quiet = "".join(line for line in sysctls()["sysctl"].splitlines(keepends=True) if ".fc=" not in line)
    (by_media,) = found({"sysctl": quiet, **media})
    assert by_media.seen == "flow control is on (rxpause, txpause)"
    assert by_media.do == "ifconfig igb0 -mediaopt rxpause,txpause"
    chelsio = f"{quiet}dev.igb.0.pause_settings=5<PAUSE_RX,PAUSE_TX>\n"
    assert [one.seen for one in found({"sysctl": chelsio})] == ["flow control is on (5<PAUSE_RX,PAUSE_TX>)"]


@pytest.mark.parametrize(
    ("setting", "on"),
    [("7<RX,TX,AUTO>", True), ("2<TX>", True), ("4<AUTO>", False), ("0", False), ("1<PAUSE_RX>", True)],
)
def test_flow_control_of_cxgbe_is_a_flag_for_each_way(setting: str, on: bool) -> None:
    """sysctl_pause_settings() of sys/dev/cxgbe/t4_main.c; that both agree by themselves is none."""
    quiet = "".join(line for line in sysctls()["sysctl"].splitlines(keepends=True) if ".fc=" not in line)
    told = [(one.seen, one.do) for one in found({"sysctl": f"{quiet}dev.igb.0.pause_settings={setting}\n"})]
    assert told == [(f"flow control is on ({setting})", "sysctl dev.igb.0.pause_settings=0")] * on


def test_flow_control_of_ice_has_its_word_behind_its_number() -> None:
    """ice_sysctl_fc_config() of sys/dev/ice/ice_lib.c prints "%d<%s>"."""
    quiet = "".join(line for line in sysctls()["sysctl"].splitlines(keepends=True) if ".fc=" not in line)
    assert [one.seen for one in found({"sysctl": f"{quiet}dev.igb.0.fc=0<None>\n"})] == []
    (full,) = found({"sysctl": f"{quiet}dev.igb.0.fc=3<Full>\n"})
    assert full.seen == "flow control is on (dev.igb.0.fc is 3<Full>)"


@pytest.mark.parametrize("release", ["1203000", "1500068"])
def test_redirects_in_ipv6_keep_packets_off_the_fast_path_of_each_release(release: str) -> None:
    seen = [one.seen for one in found(sysctls(net__inet6__ip6__redirect="1", kern__osreldate=release))]
    assert seen == ["net.inet6.ip6.redirect is 1"]


def test_only_the_dut_forwards() -> None:
    texts = {**sysctls(net__inet6__ip6__redirect="1"), **ifconfig("e53fbb<LRO,TSO4>")}
    assert codes(texts, roles=("generator",)) == []
    assert codes(texts) == ["redirects", "lro", "tso"]


def test_witness_shows_in_its_sysctls_where_the_configuration_cannot_be_read() -> None:
    gone = SettingsSource("kernel configuration", missing="status 1")
    watching = [one.code for one in found(sysctls(debug__witness__watch="1"), gone)]
    assert watching == ["kernel-debug", unread.NOT_READ]
    assert [one.code for one in found(sysctls(debug__witness__watch="-1"), gone)] == [unread.NOT_READ]


def test_newer_names_of_ibrs_count_as_the_older_ones() -> None:
    assert codes(sysctls(hw__ibrs_active="1")) == ["mitigations"]
    assert codes(sysctls(machdep__mitigations__ibrs__active="1")) == ["mitigations"]


def test_of_a_virtual_machine_there_is_one_sentence() -> None:
    few = {"sysctl": "kern.vm_guest=bhyve\nhw.ncpu=2\n"}
    (one,) = found(
        {**few, "ifconfig": "igb0: flags=8863<UP> metric 0 mtu 1500\n\tmedia: Ethernet autoselect\n"}
    )
    assert one.code == unread.VIRTUAL
    assert one.seen == (
        "cannot be read in a virtual machine: idle states, frequency, harvest mask; of igb0: flow control"
    )


@pytest.mark.parametrize(
    ("interface", "lines", "place"),
    [
        ("vlan0", "\tvlan: 10 vlanproto: 802.1q vlanpcp: 0 parent interface: ix0\n", "vlan0 (on ix0)"),
        ("vlan0", "\tvlan: 0 vlanpcp: 0 parent interface: <none>\n", "vlan0"),
        (
            "lagg0",
            "\tlaggproto failover\n\tlaggport: em0 flags=5<MASTER,ACTIVE>\n\tlaggport: em1 flags=0<>\n",
            "lagg0 (on em0, em1)",
        ),
        ("bridge0", "\tmember: igb1 flags=143<LEARNING,DISCOVER>\n", "bridge0 (on igb1)"),
        ("tun0", "", "tun0"),
    ],
)
def test_flow_control_that_is_not_there_of_a_vlan_or_a_lagg_is_where_it_is_on(
    interface: str, lines: str, place: str
) -> None:
    text = source("ifconfig", "ifconfig", f"{interface}: flags=8843<UP> metric 0 mtu 1500\n{lines}")
    host = Subject(HostSettings("h", "freebsd", ("dut",), sources=(text,)), (interface,), (interface,))
    (one,) = (one for one in rules.findings(host) if one.code == unread.NOT_THERE)
    assert one.seen.endswith(f"of {place}: flow control")


LAGG = """\
lagg0: flags=8843<UP> metric 0 mtu 1500
\tlaggproto lacp
\tlaggport: igb0 flags=5<MASTER,ACTIVE>
vlan5: flags=8843<UP> metric 0 mtu 1500
\tvlan: 5 vlanproto: 802.1q vlanpcp: 0 parent interface: lagg0
"""


@pytest.mark.parametrize("port", ["igb0", "lagg0", "vlan5"])
def test_the_members_of_a_lagg_have_their_rules_also_below_a_vlan(port: str) -> None:
    lab = parse(
        f'[generator]\nhost = "g"\ninterface = "g0"\n[dut]\nhost = "h"\nin = "{port}"\nout = "{port}"\n'
    )

    def places(texts: Mapping[str, str]) -> list[tuple[str, str]]:
        texts = {**texts, "ifconfig": texts["ifconfig"] + LAGG}
        sources = tuple(source(KINDS[name], name, text) for name, text in texts.items())
        read = rules.of_host(lab, HostSettings("h", "freebsd", ("dut",), sources=sources))
        return [(one.where, one.code) for one in read.findings]

    assert places(QUIET) == []
    spoilt = {**QUIET, **sysctls(dev__igb__0__fc="3"), **ifconfig("4e50428<VLAN_MTU,LRO>")}
    assert places(spoilt) == [("igb0", "pause"), ("igb0", "lro")]


def test_a_frequency_that_the_processor_chooses_is_neither_limited_nor_turbo() -> None:
    """hwpstate: what dev.cpu.0.freq has is measured, and is low if the processor has nothing to do."""
    levels = "2401/95000 2400/95000"
    for rate in ("800", "2401"):
        chosen = sysctls(
            dev__cpu__0__freq=rate, dev__cpu__0__freq_levels=levels, dev__hwpstate_intel__0__epp="50"
        )
        (one,) = found(chosen)
        assert (one.code, one.seen) == (
            unread.NOT_THERE,
            "not present, so not checked: a set frequency (hwpstate chooses it)",
        )


def test_processors_sleep_no_deeper_than_the_states_that_they_have() -> None:
    supported = "C1/1/1 C2/2/80 C3/3/109"
    (one,) = found(sysctls(dev__cpu__0__cx_lowest="C8", dev__cpu__0__cx_supported=supported))
    assert (one.code, one.seen) == ("idle-states", "processors may sleep as deep as C3")


def test_a_frequency_that_moved_while_it_was_read_is_not_known() -> None:
    """A governor moves it: in the next reading, in which it stood still, it was found as if it were new."""
    values = {name: value for name, value in SYSCTLS.items() if name != "dev.cpu.0.freq"}
    moved = SettingsSource("sysctl", values, unsteady=("dev.cpu.0.freq",))
    lab = parse('[dut]\nhost = "h"\nin = "igb0"\nout = "igb0"\nos = "freebsd"\n')
    read = rules.of_host(lab, subject({}, moved).settings)
    assert read.is_unread("frequency-limit") and read.is_unread("turbo") and not read.is_unread("harvest")
