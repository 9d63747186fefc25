"""What a FreeBSD host says of itself: uname, pciconf, ifconfig, pfctl, ipfw, netstat -rn."""

from pathlib import Path

from fixtures import Agree, freebsd

from fwdtui.core.parse import freebsd_uname, ifconfig, ipfw, netstat_rn, pciconf, pfctl
from fwdtui.core.parse.freebsd_uname import FreebsdKernel
from fwdtui.core.parse.ipfw import IpfwRule, IpfwRules
from fwdtui.core.parse.pciconf import PciDevice


def test_a_git_revision_with_its_branch() -> None:
    assert freebsd_uname.parse(freebsd("uname-a-fbsd15-git")).value == FreebsdKernel(
        "dut1", "15.0-CURRENT", "n266000-0123456789ab", "main", False, 8, "GENERIC-NODEBUG", "amd64"
    )


def test_a_subversion_revision_with_its_m_for_modified() -> None:
    assert freebsd_uname.parse(freebsd("uname-a-fbsd12-svn")).value == FreebsdKernel(
        "dut2.example.net", "12.0-CURRENT", "r312900M", "", True, 21, "GENERIC-NODEBUG", "amd64"
    )


def test_a_kernel_without_a_revision_still_names_its_configuration() -> None:
    kernel = freebsd_uname.parse(freebsd("uname-a-fbsd16-kernconf")).value
    assert (kernel.revision, kernel.config, kernel.release) == ("", "MYKERNEL", "16.0-CURRENT")


def test_uname_inside_a_bench_lab_info_file() -> None:
    text = freebsd("bench-info-UNAME")
    first = freebsd_uname.parse(text).value
    assert (first.host, first.release, first.revision) == ("dut2.example.net", "12.0-CURRENT", "r312900M")
    second = freebsd_uname.parse(text[text.index('CFG="simple_tx_on"') :]).value
    assert (second.host, second.config, second.machine) == ("dut4.lab", "BSDRP-AMD64", "amd64")


def test_cards_and_their_models() -> None:
    parsed = pciconf.parse(freebsd("pciconf-lvbc"))
    assert parsed.value == (
        PciDevice(
            "igb0",
            "0:0:20:0",
            "Intel Corporation",
            "Ethernet Connection I354",
            "network",
            "ethernet",
            "8086",
            "1f41",
        ),
        PciDevice(
            "t5iov0",
            "0:4:0:0",
            "Chelsio Communications Inc",
            "T520-SO Unified Wire Ethernet Controller",
            "network",
            "ethernet",
            "1425",
            "5007",
        ),
    )
    assert parsed.value[0].model == "Intel Corporation Ethernet Connection I354"


def test_cards_without_indentation_and_among_other_lines() -> None:
    pasted = pciconf.parse(freebsd("pciconf-lv-pasted"))
    assert [(device.name, device.device) for device in pasted.value] == [
        ("ix0", "Ethernet Controller X550"),
        ("ixl1", "Ethernet Controller X710 for 10GbE SFP+"),
    ]
    found = pciconf.parse(freebsd("pciconf-lv-grep"))
    assert [device.device for device in found.value] == [
        "82545EM Gigabit Ethernet Controller (Copper)",
        "PRO/Wireless 5100 AGN [Shiloh] Network Connection",
    ]
    assert pasted.skipped == found.skipped == ()


def test_link_speed_and_offloads_of_a_fibre() -> None:
    (ix0,) = ifconfig.parse(freebsd("ifconfig-v-fibre")).value
    assert (ix0.name, ix0.mtu, ix0.up, ix0.link, ix0.status) == ("ix0", 9000, True, True, "active")
    assert (ix0.media, ix0.active) == ("Ethernet autoselect", "10Gbase-SR")
    assert ix0.media_options == ("full-duplex", "rxpause", "txpause")
    assert ix0.options == ("RXCSUM", "TXCSUM", "VLAN_MTU", "TSO4", "LRO"), "those of nd6 are not its own"
    assert ix0.plugged == "SFP/SFP+/SFP28 10G Base-SR (LC)"
    assert ix0.addresses == ("198.51.100.1/24 broadcast 198.51.100.255",)


def test_media_on_the_line_of_hwaddr_and_without_parentheses() -> None:
    (cxl3,) = ifconfig.parse(freebsd("ifconfig-v-one-line")).value
    assert (cxl3.media, cxl3.active) == ("Ethernet 10Gbase-LR", "")
    assert cxl3.media_options == ("full-duplex", "rxpause", "txpause")
    assert (cxl3.ether, cxl3.link) == ("02:00:00:00:00:03", True)


def test_an_interface_without_a_status_line_has_no_known_link() -> None:
    igb0, igb1 = ifconfig.parse(freebsd("ifconfig-cut")).value
    assert (igb0.link, igb1.link) == (True, None)
    (lo0,) = ifconfig.parse(freebsd("ifconfig-loopback")).value
    assert (lo0.name, lo0.link, lo0.options, len(lo0.addresses)) == ("lo0", None, (), 3)


def test_vlan_and_lagg_name_what_they_stand_on() -> None:
    before, after = ifconfig.parse(freebsd("ifconfig-vlan")).value
    assert (before.vlan, before.parent, before.active) == (10, "ix1", "40Gbase-SR4")
    assert (after.vlan, after.parent, after.active) == (10, "ix1", "100GBase-SR4")
    (lagg0,) = ifconfig.parse(freebsd("ifconfig-lagg")).value
    assert (lagg0.members, lagg0.groups, lagg0.media) == (("em0", "em1"), ("lagg",), "Ethernet autoselect")


def test_pf_enabled_with_its_states() -> None:
    plain = pfctl.parse(freebsd("pfctl-si-plain")).value
    assert (plain.enabled, plain.since, plain.states) == (True, "0 days 00:26:05", 2)
    assert plain.state_table == {"searches": 11_005, "inserts": 5, "removals": 3}
    assert plain.counters == {"match": 11_006, "bad-offset": 0, "proto-cksum": 7}


def test_pf_with_a_loginterface_keeps_its_statistics_apart() -> None:
    status = pfctl.parse(freebsd("pfctl-si-loginterface")).value
    assert (status.since, status.states) == ("161 days 21:24:45", 649)
    assert status.state_table == {"searches": 11_005, "inserts": 5, "removals": 3}
    assert status.counters == {"match": 473, "state-mismatch": 24}


def test_ipfw_rules_with_their_counters() -> None:
    found = ipfw.parse(freebsd("ipfw-show")).value
    assert found.loaded is True
    assert [(rule.number, rule.packets, rule.bytes) for rule in found.rules] == [
        (1000, 90, 7200), (1002, 5, 300), (1002, 6, 360), (60004, 50_003, 69_000_002), (65535, 12, 3400),
    ]  # fmt: skip
    assert found.rules[3].body.endswith("// wan -> lan: down,75 weight")


def test_a_table_of_routes_is_counted_by_family() -> None:
    assert netstat_rn.parse(freebsd("netstat-rn")).value == {"inet": 3, "inet6": 1}


def test_counted_lines_lose_the_four_of_the_header() -> None:
    assert netstat_rn.parse_counted(freebsd("rt_algo-counted")).value == {"inet": 500_000, "inet6": 60_000}


def test_reproducible_builds_have_no_path() -> None:
    line = "FreeBSD r1 14.1-RELEASE FreeBSD 14.1-RELEASE releng/14.1-n267679-10e31f0946d8 GENERIC amd64"
    assert freebsd_uname.parse(line).value == FreebsdKernel(
        "r1", "14.1-RELEASE", "n267679-10e31f0946d8", "releng/14.1", False, None, "GENERIC", "amd64"
    )
    dirty = freebsd_uname.parse(line.replace("46d8", "46d8-dirty")).value
    assert dirty.modified and dirty.revision == "n267679-10e31f0946d8"


def test_what_is_no_uname_line_is_quoted_in_one_short_line() -> None:
    (note,) = freebsd_uname.parse("\U000e0001\u0378" * 100 + "\nmore").skipped
    assert note.startswith("no uname line of FreeBSD: '") and len(note) < 120


def test_another_system_is_no_freebsd() -> None:
    parsed = freebsd_uname.parse("Linux x 6.1.0 #1 SMP x86_64 GNU/Linux\n")
    assert parsed.value == FreebsdKernel()
    assert "no uname line" in parsed.skipped[0]


def test_ids_of_old_releases_stand_in_chip() -> None:
    line = "none3@pci0:2:1:0:\tclass=0x020000 card=0x075015ad chip=0x100f8086 rev=0x01 hdr=0x00\n"
    device = pciconf.parse(line).value[0]
    assert (device.name, device.vendor_id, device.device_id, device.model) == ("none3", "8086", "100f", "")


def test_no_carrier_is_no_link() -> None:
    text = "igb0: flags=8802<BROADCAST,SIMPLEX> metric 0 mtu 1500\n\tstatus: no carrier\n\tdrivername: igb3\n"
    (igb0,) = ifconfig.parse(text).value
    assert (igb0.up, igb0.link, igb0.driver) == (False, False, "igb3")


def test_an_unknown_interface_is_a_complaint() -> None:
    parsed = ifconfig.parse("ifconfig: interface igb9 does not exist\n")
    assert parsed.value == ()
    assert "igb9" in parsed.skipped[0]


def test_pf_disabled_absent_and_unknown() -> None:
    assert (
        pfctl.parse("Status: Disabled for 0 days 00:00:12           Debug: Urgent\n").value.enabled is False
    )
    absent = pfctl.parse("pfctl: /dev/pf: No such file or directory\n")
    assert absent.value.enabled is False and absent.skipped
    assert pfctl.parse("pfctl: /dev/pf: Permission denied\n").value.enabled is None
    assert pfctl.parse("").value.enabled is None


def test_a_kernel_without_ipfw_has_no_rules_and_is_not_taken_for_an_empty_firewall() -> None:
    absent = ipfw.parse("ipfw: setsockopt(IP_FW_XGET): Protocol not available\n")
    assert absent.value == IpfwRules(loaded=False)
    assert ipfw.parse("").value == IpfwRules(loaded=None)
    assert ipfw.parse("65535 12 3400 deny ip from any to any\n").value.rules == (
        IpfwRule(65535, 12, 3400, "deny ip from any to any"),
    )


def test_the_lines_around_a_table_are_no_routes() -> None:
    for lines, routes in ((712793, 712789), (5, 1), (4, 0), (3, 0)):
        assert netstat_rn.parse_counted(f"netstat -rn4 | wc -l : {lines}\n").value == {"inet": routes}
    assert netstat_rn.parse_counted("netstat -rn4 | wc -l :        0\n").value == {}, "netstat failed"


# the same in real results


def real_a_git_revision_with_its_branch(captures: Path) -> None:
    kernel = freebsd_uname.parse((captures / "freebsd/uname-a-fbsd15-current.txt").read_text()).value
    assert kernel == FreebsdKernel(
        "bigone", "15.0-CURRENT", "n266813-4b92c7721dee", "main", False, 8, "GENERIC-NODEBUG", "amd64"
    )


def real_a_subversion_revision_with_its_m_for_modified(captures: Path) -> None:
    kernel = freebsd_uname.parse((captures / "freebsd/uname-a-fbsd12-current-svn.txt").read_text()).value
    assert kernel == FreebsdKernel(
        "lame4.bsdrp.net", "12.0-CURRENT", "r312988M", "", True, 21, "GENERIC-NODEBUG", "amd64"
    )


def real_a_kernel_without_a_revision_still_names_its_configuration(captures: Path) -> None:
    kernel = freebsd_uname.parse((captures / "freebsd/uname-a-fbsd16-current-kernconf.txt").read_text()).value
    assert (kernel.revision, kernel.config, kernel.release) == ("", "MYKERNEL", "16.0-CURRENT")


def real_uname_inside_a_bench_lab_info_file(captures: Path) -> None:
    text = (captures / "freebsd/bench-info-UNAME.txt").read_text()
    first = freebsd_uname.parse(text).value
    assert (first.host, first.release, first.revision) == ("netgate.bsdrp.net", "11.1-RELEASE-p1", "r322489M")
    second = freebsd_uname.parse(text[text.index('CFG="simple_tx_on"') :]).value
    assert (second.host, second.config, second.machine) == ("apu2-2.lab", "BSDRP-AMD64", "amd64")


def real_cards_and_their_models(captures: Path) -> None:
    parsed = pciconf.parse((captures / "freebsd/pciconf-lvbc-igb0-t5nex.txt").read_text())
    assert parsed.value == (
        PciDevice(
            "igb0",
            "0:0:20:0",
            "Intel Corporation",
            "Ethernet Connection I354",
            "network",
            "ethernet",
            "8086",
            "1f41",
        ),
        PciDevice(
            "t5iov0",
            "0:4:0:0",
            "Chelsio Communications Inc",
            "T520-SO Unified Wire Ethernet Controller",
            "network",
            "ethernet",
            "1425",
            "5007",
        ),
    )
    assert parsed.value[0].model == "Intel Corporation Ethernet Connection I354"


def real_cards_without_indentation_and_among_other_lines(captures: Path) -> None:
    ix = pciconf.parse((captures / "freebsd/pciconf-lv-ix-ixl-iavf.txt").read_text())
    assert [device.name for device in ix.value] == ["ix0", "ix1", "ixl0", "ixl1", "iavf0"]
    assert ix.value[2].device == "Ethernet Controller X710 for 10GbE SFP+"
    em = pciconf.parse((captures / "freebsd/pciconf-lv-em0-grep-network.txt").read_text())
    assert [device.device for device in em.value] == [
        "82545EM Gigabit Ethernet Controller (Copper)",
        "PRO/Wireless 5100 AGN [Shiloh] Network Connection",
    ]
    assert ix.skipped == em.skipped == ()


def real_link_speed_and_offloads_of_a_fibre(captures: Path) -> None:
    (ix0,) = ifconfig.parse((captures / "freebsd/ifconfig-v-ix0.txt").read_text()).value
    assert (ix0.name, ix0.mtu, ix0.up, ix0.link, ix0.status) == ("ix0", 9000, True, True, "active")
    assert (ix0.media, ix0.active) == ("Ethernet autoselect", "10Gbase-SR")
    assert ix0.media_options == ("full-duplex", "rxpause", "txpause")
    assert {"LRO", "TSO4", "TXCSUM"} <= set(ix0.options)
    assert "PERFORMNUD" not in ix0.options  # that is of nd6
    assert ix0.plugged == "SFP/SFP+/SFP28 10G Base-SR (LC)"
    assert ix0.addresses == ("10.10.2.101/24 broadcast 10.10.2.255",)


def real_media_on_the_line_of_hwaddr_and_without_parentheses(captures: Path) -> None:
    (cxl3,) = ifconfig.parse((captures / "freebsd/ifconfig-v-cxl3.txt").read_text()).value
    assert (cxl3.media, cxl3.active) == ("Ethernet 10Gbase-LR", "")
    assert cxl3.media_options == ("full-duplex", "rxpause", "txpause")
    assert (cxl3.ether, cxl3.link) == ("00:07:43:3d:b7:70", True)


def real_an_interface_without_a_status_line_has_no_known_link(captures: Path) -> None:
    igb0, igb1 = ifconfig.parse((captures / "freebsd/ifconfig-igb0-igb1-fbsd9era.txt").read_text()).value
    assert (igb0.link, igb1.link) == (True, None)
    _vtnet0, lo0 = ifconfig.parse((captures / "freebsd/ifconfig-vtnet0-fbsd14.5.txt").read_text()).value
    assert (lo0.name, lo0.link, lo0.options, len(lo0.addresses)) == ("lo0", None, (), 3)


def real_vlan_and_lagg_name_what_they_stand_on(captures: Path) -> None:
    before, after = ifconfig.parse((captures / "freebsd/ifconfig-vlan0-12.2-and-13.0.txt").read_text()).value
    assert (before.vlan, before.parent, before.active) == (10, "iavf0", "40Gbase-SR4")
    assert (after.vlan, after.parent, after.active) == (10, "iavf0", "100GBase-SR4")
    (lagg0,) = ifconfig.parse((captures / "freebsd/ifconfig-lagg0.txt").read_text()).value
    assert (lagg0.members, lagg0.groups, lagg0.media) == (("em0", "em1"), ("lagg",), "Ethernet autoselect")
    two = ifconfig.parse((captures / "freebsd/ifconfig-vtnet0-lo0-fbsd15.txt").read_text()).value
    assert [item.name for item in two] == ["vtnet0", "lo0"]


def real_pf_enabled_with_its_states(captures: Path) -> None:
    plain = pfctl.parse((captures / "freebsd/pfctl-si-plain.txt").read_text()).value
    assert (plain.enabled, plain.since, plain.states) == (True, "0 days 00:26:05", 2)
    assert plain.state_table == {"searches": 11325, "inserts": 5, "removals": 3}
    assert (plain.counters["match"], plain.counters["proto-cksum"], len(plain.counters)) == (11226, 0, 15)


def real_pf_with_a_loginterface_keeps_its_statistics_apart(captures: Path) -> None:
    status = pfctl.parse((captures / "freebsd/pfctl-si-with-loginterface.txt").read_text()).value
    assert (status.since, status.states) == ("161 days 21:24:45", 649)
    assert status.state_table["searches"] == 18421725761
    assert "Bytes In" not in {**status.state_table, **status.counters}
    assert status.counters["state-mismatch"] == 24393


def real_ipfw_rules_with_their_counters(captures: Path) -> None:
    portal = ipfw.parse((captures / "freebsd/ipfw-show-opnsense-captiveportal.txt").read_text())
    assert portal.value.loaded is True
    assert len(portal.value.rules) == 14
    assert [rule.number for rule in portal.value.rules].count(1002) == 4
    queues = ipfw.parse((captures / "freebsd/ipfw-show-queue-comments.txt").read_text()).value.rules
    assert (queues[0].number, queues[0].packets, queues[0].bytes) == (60004, 50573, 69792852)
    assert queues[0].body.endswith("// wan -> lan: down,75 weight")


def real_routes_are_counted_by_family(captures: Path) -> None:
    assert netstat_rn.parse((captures / "freebsd/netstat-rn-fbsd14.5.txt").read_text()).value == {"inet": 2}
    head = "Destination        Gateway\n"
    both = f"Routing tables\n\nInternet:\n{head}default 1\n\nInternet6:\n{head}::1 lo0\n::2 x\n"
    assert netstat_rn.parse(both).value == {"inet": 1, "inet6": 2}
    assert netstat_rn.parse("").value == {}


def real_counted_lines_lose_the_four_of_the_header(captures: Path) -> None:
    for name in ("rt_algo-dmesg-and-netstat-rn-count.txt", "rt_algo-dmesg-dpdk_lpm.txt"):
        text = (captures / "freebsd" / name).read_text()
        assert netstat_rn.parse_counted(text).value == {"inet": 712789, "inet6": 104030}


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_a_git_revision_with_its_branch,
        real_a_subversion_revision_with_its_m_for_modified,
        real_a_kernel_without_a_revision_still_names_its_configuration,
        real_uname_inside_a_bench_lab_info_file,
        real_cards_and_their_models,
        real_cards_without_indentation_and_among_other_lines,
        real_link_speed_and_offloads_of_a_fibre,
        real_media_on_the_line_of_hwaddr_and_without_parentheses,
        real_an_interface_without_a_status_line_has_no_known_link,
        real_vlan_and_lagg_name_what_they_stand_on,
        real_pf_enabled_with_its_states,
        real_pf_with_a_loginterface_keeps_its_statistics_apart,
        real_ipfw_rules_with_their_counters,
        real_routes_are_counted_by_family,
        real_counted_lines_lose_the_four_of_the_header,
    )
