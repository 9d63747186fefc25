"""Configuration as settings: every form of every text, and nothing of it lost that could differ."""

import pytest

from fwdtui.core.parse import (
    ethtool_settings,
    firewall_rules,
    ifconfig_settings,
    ip_addr,
    kernel_cmdline,
    kernel_config,
    loader_conf,
    rc_conf,
    sysctl_all,
    sysctl_conf,
)
from fwdtui.core.parse.rc_conf import OTHER
from fwdtui.core.volatile import is_volatile

RC = """\
# a comment
hostname="dut.lab"   # another
gateway_enable=YES
update_motd=NO; sendmail_enable='NONE'
export ifconfig_igb1="inet 198.18.0.205/24 \\
-tso4"
cloned_interfaces="lo1
lo2"
odd=a"b c"'d e'\\ f
hostname="again"
. /etc/rc.conf.misc
if [ -e /x ]; then
    pf_enable="YES"
fi
ENV=1 command
last=1
"""


def test_rc_conf_is_read_as_a_shell_reads_it() -> None:
    found = rc_conf.parse(RC)
    assert found.skipped == ()
    assert found.value == {
        "gateway_enable": "YES",
        "update_motd": "NO",
        "sendmail_enable": "NONE",
        "ifconfig_igb1": "inet 198.18.0.205/24 -tso4",
        "cloned_interfaces": "lo1\nlo2",
        "odd": "ab cd e f",
        "hostname": "again",  # where it is set last
        "last": "1",
        # what is no assignment, or one that may not be carried out, is kept as it stands
        OTHER: '. /etc/rc.conf.misc\nif [ -e /x ]; then\npf_enable="YES"\nfi\nENV=1 command',
    }


@pytest.mark.parametrize("text", ['a=1\nb="no end\nc=3\n', "a=1\nb='no end\nc=3\n"])
def test_what_follows_a_quotation_without_an_end_is_not_read_and_told_without_being_quoted(text: str) -> None:
    found = rc_conf.parse(text)
    assert found.value == {"a": "1"}
    assert found.skipped == ("line 2: a quotation that does not end, and all that follows",)


def test_loader_conf_and_kenv() -> None:
    found = loader_conf.parse(
        'net.fibs="16"\t\t# Numbers of FIB\nnet.isr.maxqlimit=430080\n#dev.mce.0.conf.channels=12\n'
        'a="1"\na="2"\nexec="set x=\\"y\\""\nsmbios.bios.vendor="A "quoted" maker"\nhalf="x\nnot one\n'
    )
    assert found.value == {
        "net.fibs": "16",
        "net.isr.maxqlimit": "430080",
        "a": "2",
        "exec": 'set x="y"',
        "smbios.bios.vendor": 'A "quoted" maker',
        OTHER: 'half="x\nnot one',
    }
    assert found.skipped == ("line 8: not a variable", "line 9: not a variable")


def test_sysctl_conf_of_both_systems() -> None:
    found = sysctl_conf.parse(
        "# FreeBSD\nnet.inet.ip.redirect=0 # no redirects\nnet.route.netisr_maxqlen=2048 \n"
        'kern.x="a b"\n; Linux\n-net.ipv4.ip_forward = 1\nnet/ipv4/conf/eth0.100/rp_filter = 0\n'
        "net.ipv4.tcp_rmem = 4096\t87380  6291456\nkernel.core_pattern=|/bin/x %p#1\n-net.ipv4.conf.x\n"
    )
    assert found.value == {
        "net.inet.ip.redirect": "0",
        "net.route.netisr_maxqlen": "2048",
        "kern.x": "a b",
        "net.ipv4.ip_forward": "1",
        "net.ipv4.conf.eth0/100.rp_filter": "0",
        "net.ipv4.tcp_rmem": "4096 87380 6291456",
        "kernel.core_pattern": "|/bin/x %p#1",
        OTHER: "-net.ipv4.conf.x",
    }
    assert found.skipped == ("line 10: not a setting",)


FREEBSD = """\
kern.version=FreeBSD 15.0
 built by: someone

hw.intrs=irq0: attimer0: 1
dev.fake.0.value: 7
dev.igb.0.%desc=Intel(R) I210: fast
net.x=
dev.igb.%parent=
"""


def test_all_sysctls_of_freebsd_where_a_value_looks_like_another_name() -> None:
    names = ["kern.version", "hw.intrs", "dev.igb.0.%desc", "net.x", "dev.igb.%parent"]
    assert sysctl_all.parse(FREEBSD, names).value == {
        "kern.version": "FreeBSD 15.0\n built by: someone",
        "hw.intrs": "irq0: attimer0: 1\ndev.fake.0.value: 7",
        "dev.igb.0.%desc": "Intel(R) I210: fast",
        "net.x": "",
        "dev.igb.%parent": "",
    }
    assert sysctl_all.parse("kern.hz: 1000\nkern.x: a\n b\n").value == {"kern.hz": "1000", "kern.x": "a\n b"}


def test_all_sysctls_of_linux_by_sysctl_and_by_reading_the_files() -> None:
    by_program = sysctl_all.parse(
        "net.ipv4.conf.eth0/100.mtu = 1\nnet.ipv4.tcp_rmem = 4096\t87380\t6291456\n"
        "dev.info = first = 1\ndev.info = \ndev.info = third\nkernel.modprobe = \n"
    )
    by_file = sysctl_all.parse(
        "./net/ipv4/conf/eth0.100/mtu:1\n./net/ipv4/tcp_rmem:4096\t87380\t6291456\n"
        "./dev/info:first = 1\n./dev/info:\n./dev/info:third\n./kernel/modprobe:\n"
    )
    assert by_program.value == by_file.value
    assert by_program.value == {
        "net.ipv4.conf.eth0/100.mtu": "1",
        "net.ipv4.tcp_rmem": "4096 87380 6291456",
        "dev.info": "first = 1\n\nthird",
        "kernel.modprobe": "",
    }


def test_every_line_of_ifconfig_is_a_setting() -> None:
    found = ifconfig_settings.parse(
        "igb0: flags=8863<UP,BROADCAST,RUNNING> metric 0 mtu 1500\n"
        "\toptions=4e527bb<RXCSUM,TXCSUM>\n\tether 00:0d:b9:00:00:01\n"
        "\tinet 198.18.0.205 netmask 0xffffff00 broadcast 198.18.0.255\n"
        "\tinet 198.18.0.206 netmask 0xffffffff broadcast 198.18.0.206 vhid 1\n"
        "\tmedia: Ethernet autoselect (1000baseT <full-duplex>)\n\tstatus: active\n"
        "\tnd6 options=29<PERFORMNUD,AUTO_LINKLOCAL>\n"
        "lagg0: flags=8843<UP> metric 0 mtu 9000\n\tlaggproto lacp lagghash l2,l3,l4\n"
        "\tlaggport: igb0 flags=1c<ACTIVE,COLLECTING>\n\tlaggport: igb1 flags=0<>\n"
        "\tmodule temperature: 51.27 C Voltage: 3.31 Volts\n"
    )
    assert found.skipped == ()
    assert found.value == {
        "igb0 flags": "UP,BROADCAST,RUNNING",
        "igb0 metric": "0",
        "igb0 mtu": "1500",
        "igb0 options": "RXCSUM,TXCSUM",
        "igb0 ether": "00:0d:b9:00:00:01",
        "igb0 inet": "198.18.0.205 netmask 0xffffff00 broadcast 198.18.0.255; "
        "198.18.0.206 netmask 0xffffffff broadcast 198.18.0.206 vhid 1",
        "igb0 media": "Ethernet autoselect (1000baseT <full-duplex>)",
        "igb0 status": "active",
        "igb0 nd6 options": "PERFORMNUD,AUTO_LINKLOCAL",
        "lagg0 flags": "UP",
        "lagg0 metric": "0",
        "lagg0 mtu": "9000",
        "lagg0 laggproto": "lacp lagghash l2,l3,l4",
        "lagg0 laggport": "igb0 flags ACTIVE,COLLECTING; igb1 flags",
        "lagg0 module temperature": "51.27 C Voltage: 3.31 Volts",
    }


def test_an_xdp_program_is_one_setting_and_shifts_no_other() -> None:
    def found(xdp: str) -> dict[str, str]:
        return ip_addr.parse(f"4: eth0: <UP> mtu 1500 {xdp}qdisc mq state UP group default qlen 1000\n").value

    without = found("")
    assert (without["eth0 qdisc"], without["eth0 state"]) == ("mq", "UP")
    assert found("xdp/id:22 ") == found("xdp/id:35 ") == {**without, "eth0 xdp": "native"}
    assert found("xdpgeneric/id:22 ") == {**without, "eth0 xdp": "xdpgeneric"}
    assert found("xdpmulti ") == {**without, "eth0 xdp": "xdpmulti"}
    # a mode that is newer than this iproute2
    assert found("xdp[7]/id:22 ") == found("xdp[7] ") == {**without, "eth0 xdp": "xdp[7]"}


def test_words_of_ip_addr_without_a_value_or_with_two_leave_the_others_their_names() -> None:
    def found(line: str) -> dict[str, str]:
        told = ip_addr.parse(f"3: gen0: <UP>\n    {line} numtxqueues 2 \n").value
        assert (told.pop("gen0 flags"), told.pop("gen0 numtxqueues")) == ("UP", "2")
        return {key.removeprefix("gen0 "): value for key, value in told.items()}

    tap = found("tun type tap pi off vnet_hdr on multi_queue numqueues 2 numdisabled 1 persist on")
    assert tap == {
        "kind": "tun",
        "type": "tap",
        "pi": "off",
        "vnet_hdr": "on",
        "also": "multi_queue",
        "numqueues": "2",
        "numdisabled": "1",
        "persist": "on",
    }
    vxlan = found("vxlan id 42 dev ix0 srcport 0 0 dstport 4789 nolearning ttl auto udpcsum noudp6zerocsumtx")
    assert vxlan == {
        "kind": "vxlan",
        "id": "42",
        "dev": "ix0",
        "srcport": "0 0",
        "dstport": "4789",
        "ttl": "auto",
        "also": "nolearning; udpcsum; noudp6zerocsumtx",
    }
    assert found("x new_word a 1 b on") == {"kind": "x", "new_word": "a 1", "b": "on"}


def test_ip_addr_without_the_numbers_that_the_kernel_gives_out() -> None:
    found = ip_addr.parse(
        "4: eth0: <BROADCAST,UP> mtu 1400 qdisc mq state UP group default qlen 1000\n"
        "    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0  numtxqueues 4 numrxqueues 4 \n"
        "    inet 192.0.2.2/24 brd 192.0.2.255 scope global eth0\n"
        "       valid_lft 3599sec preferred_lft 3599sec\n"
        "    inet6 fd00::2/64 scope global nodad \n       valid_lft forever preferred_lft forever\n"
        "7: eth0.5@eth0: <UP> mtu 1400 qdisc noqueue state UP\n"
        "    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
        "    vlan protocol 802.1Q id 5 <REORDER_HDR> \n"
        "9: veth0@if8: <UP> mtu 1500 qdisc noqueue\n    veth numtxqueues 2\n"
    )
    assert found.skipped == ()
    assert found.value == {
        "eth0 flags": "BROADCAST,UP",
        "eth0 mtu": "1400",
        "eth0 qdisc": "mq",
        "eth0 state": "UP",
        "eth0 group": "default",
        "eth0 qlen": "1000",
        "eth0 link/ether": "02:fc:00:00:00:01",
        "eth0 brd": "ff:ff:ff:ff:ff:ff",
        "eth0 promiscuity": "0",
        "eth0 numtxqueues": "4",
        "eth0 numrxqueues": "4",
        "eth0 inet": "192.0.2.2/24 brd 192.0.2.255 scope global eth0",
        "eth0 valid_lft": "valid_lft 3599sec preferred_lft 3599sec; valid_lft forever preferred_lft forever",
        "eth0 inet6": "fd00::2/64 scope global nodad",
        "eth0.5 on": "eth0",
        "eth0.5 flags": "UP",
        "eth0.5 mtu": "1400",
        "eth0.5 qdisc": "noqueue",
        "eth0.5 state": "UP",
        "eth0.5 link/ether": "02:fc:00:00:00:01",
        "eth0.5 brd": "ff:ff:ff:ff:ff:ff",
        "eth0.5 kind": "vlan",
        "eth0.5 protocol": "802.1Q",
        "eth0.5 id": "5",
        "eth0.5 also": "<REORDER_HDR>",
        "veth0 flags": "UP",
        "veth0 mtu": "1500",
        "veth0 qdisc": "noqueue",
        "veth0 kind": "veth",
        "veth0 numtxqueues": "2",
    }


def test_firewall_rules_keep_their_order_and_lose_their_counters() -> None:
    pf = firewall_rules.parse_pf(
        "# mine\nscrub in all   fragment reassemble\n  [ Evaluations: 5  States: 7 ]\npass in quick on igb1\n"
    )
    assert pf.value == {"rules": "scrub in all fragment reassemble\npass in quick on igb1"}
    listed = "00100 allow ip from any to any via lo0\n65535 deny ip from any to any\n"
    counted = "00100   12   3456 allow ip from any to any via lo0\n65535 0 0 deny ip from any to any\n"
    assert firewall_rules.parse_ipfw(listed) == firewall_rules.parse_ipfw(counted)
    assert firewall_rules.parse_ipfw(listed).value == {"rules": listed.strip()}
    odd = firewall_rules.parse_ipfw("00100 count all\nnot a rule\n")
    assert odd.value == {"rules": "00100 count all\nnot a rule"} and odd.skipped == ("line 2: not a rule",)


def test_the_random_name_of_a_table_that_pfctl_makes_is_none_of_the_rules() -> None:
    def rules(number: str) -> str:
        return firewall_rules.parse_pf(
            f"block drop in from <__automatic_{number}_0> to any\n"
            f"pass in from <__automatic_{number}_1> to any\npass in from <mine_1a_0> to any\n"
        ).value["rules"]

    assert (
        rules("f1fc6d2f")
        == rules("9a3b1")
        == (
            "block drop in from <__automatic_0> to any\n"
            "pass in from <__automatic_1> to any\npass in from <mine_1a_0> to any"
        )
    )


def test_an_address_that_is_being_checked_is_the_same_as_one_that_was() -> None:
    def linux(flag: str) -> dict[str, str]:
        return ip_addr.parse(
            f"4: eth0: <UP> mtu 1500 state UP\n    inet6 fe80::1/64 scope link {flag}proto kernel_ll \n"
        ).value

    def freebsd(flag: str) -> dict[str, str]:
        return ifconfig_settings.parse(
            f"ix0: flags=8843<UP> metric 0 mtu 1500\n\tinet6 fe80::1%ix0 prefixlen 64 {flag}scopeid 0x1\n"
        ).value

    assert linux("tentative ") == linux("") and linux("")["eth0 inet6"].endswith("scope link proto kernel_ll")
    assert freebsd("tentative ") == freebsd("") and freebsd("")["ix0 inet6"].endswith("64 scopeid 0x1")
    assert linux("dadfailed tentative ") != linux("")


def test_an_address_that_is_drawn_anew_every_day_is_apart_from_those_that_are_set() -> None:
    found = ip_addr.parse(
        "4: eth0: <UP> mtu 1500 qdisc mq state UP\n"
        "    inet6 2001:db8::61d7:9c1e:3a10:88f2/64 scope global temporary dynamic \n"
        "       valid_lft 86015sec preferred_lft 13015sec\n"
        "    inet6 2001:db8::2/64 scope global \n       valid_lft forever preferred_lft forever\n"
    ).value
    assert found["eth0 inet6"] == "2001:db8::2/64 scope global"
    assert is_volatile("ip addr", "eth0 temporary") and "2001:db8::61d7" in found["eth0 temporary"]
    found = ifconfig_settings.parse(
        "ix0: flags=8843<UP> metric 0 mtu 1500\n"
        "\tinet6 2001:db8::61d7:9c1e:3a10:88f2 prefixlen 64 autoconf temporary\n"
        "\tinet6 2001:db8::2 prefixlen 64\n"
    ).value
    assert found["ix0 inet6"] == "2001:db8::2 prefixlen 64"
    assert is_volatile("ifconfig", "ix0 temporary") and "2001:db8::61d7" in found["ix0 temporary"]


NFT = """\
table inet filter { # handle 1
	counter c { # handle 3
		packets 1 bytes 84
	}
	set s {
		type ipv4_addr
		elements = { 198.51.100.1 expires 3s200ms,
			198.51.100.2 }
	}

	chain forward { # handle 2
		type filter hook forward priority filter; policy drop;
		ct state established counter packets 5 bytes 420 accept # handle 7
		quota over 25 mbytes used 3 mbytes drop
		udp dport vmap {
			9 : drop
		}
	}
}
table ip empty {
}
"""


def test_nft_by_chain_and_set() -> None:
    found = firewall_rules.parse_nft(NFT)
    assert found.skipped == ()
    assert found.value == {
        "inet filter": "",
        "inet filter, counter c": "",
        "inet filter, set s": "type ipv4_addr\nelements = { 198.51.100.1,\n198.51.100.2 }",
        "inet filter, chain forward": "type filter hook forward priority filter; policy drop;\n"
        "ct state established counter accept\nquota over 25 mbytes drop\nudp dport vmap {\n9 : drop\n}",
        "ip empty": "",
    }


@pytest.mark.parametrize("flags", ["dynamic", "dynamic,timeout", "timeout,dynamic"])
def test_the_elements_of_an_nft_set_that_packets_fill_are_no_settings(flags: str) -> None:
    def listed(name: str, flags: str, elements: str) -> str:
        return f"table ip t {{\n\tset {name} {{\n\t\ttype ipv4_addr\n\t\tflags {flags}\n{elements}\t}}\n}}\n"

    some = "\t\telements = { 198.51.100.1 timeout 1m expires 3s,\n\t\t\t     198.51.100.2 }\n"
    filled, empty = (firewall_rules.parse_nft(listed("seen", flags, text)) for text in (some, ""))
    assert filled == empty and filled.skipped == ()
    assert filled.value == {"ip t": "", "ip t, set seen": f"type ipv4_addr\nflags {flags}"}
    mine = firewall_rules.parse_nft(listed("mine", "interval", some)).value
    assert mine["ip t, set mine"].endswith("elements = { 198.51.100.1 timeout 1m,\n198.51.100.2 }")


@pytest.mark.parametrize("owner", ["progname firewalld", "handle 3 progname firewalld", "progname my fw"])
def test_a_table_that_a_program_owns_is_read_like_any_other(owner: str) -> None:
    """As that of firewalld on current systems; nft names the owner in a comment behind the brace."""
    table = f"table inet fw {{ # {owner}\n\tflags owner,persist\n\n\tchain forward {{\n\t\tdrop\n\t}}\n}}\n"
    found = firewall_rules.parse_nft(table)
    assert found.skipped == ()
    assert found.value == {"inet fw": "flags owner,persist", "inet fw, chain forward": "drop"}


def test_iptables_by_table() -> None:
    found = firewall_rules.parse_iptables(
        "# Generated by iptables-save v1.8.9 on Sun Nov 22 20:07:11 2026\n*filter\n:INPUT ACCEPT [12:3456]\n"
        "[7:588] -A INPUT -i lo -j ACCEPT\n-A FORWARD -j DROP\nCOMMIT\n*nat\nCOMMIT\nstray\n"
    )
    assert found.value == {
        "filter": ":INPUT ACCEPT\n-A INPUT -i lo -j ACCEPT\n-A FORWARD -j DROP",
        "nat": "stray",
    }


def test_ethtools_five() -> None:
    k = "Features for eth0:\nrx-all: on [fixed]\ntx-checksumming: on\n\ttx-checksum-ipv4: off [requested on]"
    assert ethtool_settings.parse(k).value == {
        "rx-all": "on [fixed]",
        "tx-checksumming": "on",
        "tx-checksum-ipv4": "off [requested on]",
    }
    c = "Coalesce parameters for eth0:\nAdaptive RX: off  TX: n/a\nrx-usecs: 3\n\nCQE mode RX: n/a  TX: n/a\n"
    assert ethtool_settings.parse(c).value == {
        "Adaptive RX": "off",
        "Adaptive TX": "n/a",
        "rx-usecs": "3",
        "CQE mode RX": "n/a",
        "CQE mode TX": "n/a",
    }
    g = "Ring x for e0:\nPre-set maximums:\nRX:\t4096\nCurrent hardware settings:\nRX:\t512\nTX Push:\toff"
    assert ethtool_settings.parse(g).value == {"maximum RX": "4096", "RX": "512", "TX Push": "off"}
    a = "Pause parameters for eth0:\nAutonegotiate:\ton\nRX:\t\toff\nTX:\t\toff\n"
    assert ethtool_settings.parse(a).value == {"Autonegotiate": "on", "RX": "off", "TX": "off"}


KEY = ":".join(f"{byte:02x}" for byte in range(40))
X = """\
RX flow hash indirection table for eth0 with 4 RX ring(s):
    0:      0     1     2     3
    4:      0     1     2     3
RSS hash key:
{key}
RSS hash function:
    toeplitz: on
    xor: off
"""


def test_the_table_of_rss_is_whole_and_of_its_key_there_is_a_digest() -> None:
    found = ethtool_settings.parse(X.format(key=KEY)).value
    digest = found.pop("RSS key, digest")
    assert found == {
        "indirection table": "0 1 2 3 0 1 2 3",
        "RSS hash function toeplitz": "on",
        "RSS hash function xor": "off",
    }
    assert len(digest) == 12 and KEY[:8] not in digest
    same, other = (
        ethtool_settings.parse(X.format(key=key)).value["RSS key, digest"] for key in (KEY.upper(), KEY[3:])
    )
    assert same == digest != other
    refused = ethtool_settings.parse(X.format(key="Operation not supported")).value
    assert refused["RSS key, digest"] == "not supported"


def test_the_kernels_command_line() -> None:
    found = kernel_cmdline.parse(
        'BOOT_IMAGE=/vmlinuz root=UUID=1-2 console=tty0 console=ttyS0 quiet x="a b" '
        "-- --flag --password pw --key=k z\n"
    )
    assert found.value == {
        "BOOT_IMAGE": "/vmlinuz",
        "root": "UUID=1-2",
        "console": "tty0 ttyS0",
        "quiet": "",
        "x": "a b",
        kernel_cmdline.INIT: "--flag --password \ue000 --key=\ue000 z",
    }


def test_what_a_kernel_was_built_with() -> None:
    linux = kernel_config.parse_linux(
        '# x\nCONFIG_A=y\nCONFIG_B="/sbin/x"\n# CONFIG_C is not set\nCONFIG_D=300\n?\n'
    )
    assert linux.value == {"CONFIG_A": "y", "CONFIG_B": "/sbin/x", "CONFIG_C": "n", "CONFIG_D": "300"}
    assert linux.skipped == ("line 6: not an option",)
    freebsd = kernel_config.parse_freebsd(
        "options\tCONFIG_AUTOGENERATED\nident\tGENERIC\ncpu\tHAMMER\noptions\tHZ=1000,INET # both\n"
        "nooptions\tSMP\ndevice\tigb\nmakeoptions\tDEBUG=-g\n"
    )
    assert freebsd.value == {
        "options CONFIG_AUTOGENERATED": "",
        "options HZ": "1000",
        "options INET": "",
        "nooptions SMP": "",
        "device igb": "",
        "makeoptions DEBUG": "-g",
        "ident": "GENERIC",
        "cpu": "HAMMER",
    }


def test_lines_that_are_not_understood_are_told_by_their_numbers_and_the_next_ones_are_read() -> None:
    freebsd = kernel_config.parse_freebsd("# x\n\n?\nident GENERIC # y\n???\ncpu HAMMER\n")
    assert freebsd.value == {"ident": "GENERIC", "cpu": "HAMMER"}
    assert freebsd.skipped == ("line 3: not a directive", "line 5: not a directive")
    sysctls = sysctl_all.parse("?\nkern.hz: 1000\n")
    assert sysctls.value == {"kern.hz": "1000"} and sysctls.skipped == ("line 1: not part of any setting",)
    features = ethtool_settings.parse("Features for e0:\nnothing\n: 5\nrx: on\n")
    assert features.value == {"rx": "on"}
    assert features.skipped == (
        "line 2: neither a title nor a value",
        "line 3: neither a title nor a value",
    )
    interfaces = ifconfig_settings.parse("stray\nlo0: flags=9<UP> mtu 1\n\n\tgroups: lo\n")
    assert interfaces.skipped == ("line 1: not part of any interface",)
    assert interfaces.value == {"lo0 flags": "UP", "lo0 mtu": "1", "lo0 groups": "lo"}


def test_the_form_of_all_sysctls_is_that_of_the_first_of_fifty_lines_that_has_one() -> None:
    def read(before: int) -> dict[str, str]:
        return sysctl_all.parse("?\n" * before + "net.ipv4.ip_forward = 1\n" + "a.b = c = d\n").value

    assert read(0) == read(49) == {"net.ipv4.ip_forward": "1", "a.b": "c = d"}
    assert read(50) != read(49), "FreeBSD's, as of a text without any"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('a=""', ""), ("a=''", ""), ('a="x"', "x"), ("a='x y' # why", "x y"), ("a=x y # why", "x y"),
        ('a="x\\\\"', "x\\"), ("a=", ""), ('a="x" y "z"', 'x" y "z'), ('a="x"#y', "x"),
    ],
)  # fmt: skip
def test_a_loader_variable_has_a_value_with_or_without_quotes(line: str, value: str) -> None:
    assert loader_conf.parse(line).value == {"a": value}


@pytest.mark.parametrize("line", ["a", 'a="', "a='x", 'a="x"y', "a b=c"])
def test_what_is_no_loader_variable_is_kept_as_it_stands(line: str) -> None:
    assert loader_conf.parse(line).value == {OTHER: line}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a=''", ""), ('a=""', ""), ("a=", ""), ("a='x'", "x"), ("a=\\x", "x"), ("a=\\'", "'"),
        ('a="\\$\\`\\"\\\\"', '$`"\\'), ('a="\\x"', "\\x"),
        ("readonly a=b", "b"), ("  a=b", "b"), ("a=b;", "b"), ("a=b # c", "b"),
    ],
)  # fmt: skip
def test_a_word_of_the_shell_is_read_without_its_quotes(line: str, value: str) -> None:
    """In double quotes a backslash is one unless it stands before one of four characters."""
    for text in (line, f"{line}\n", f"\n{line}\n"):
        assert rc_conf.parse(text).value == {"a": value}


def test_an_assignment_inside_of_compound_commands_is_none() -> None:
    found = rc_conf.parse("if x; then\nfor y in z; do\na=1\ndone\nb=2\nfi\nc=3\n")
    assert found.value == {"c": "3", OTHER: "if x; then\nfor y in z; do\na=1\ndone\nb=2\nfi"}
    one_line = rc_conf.parse("if x; then y; fi\nfi # one too many\na=1\n")
    assert one_line.value == {"a": "1", OTHER: "if x; then y; fi\nfi # one too many"}


def test_the_titles_of_ethtool_are_no_settings_and_a_line_that_only_ends_like_one_is() -> None:
    assert ethtool_settings.parse("Features for e0:\nempty:\n").value == {"empty": ""}
    text = X.format(key=KEY).replace("RSS hash function:", "Other settings for eth0:")
    assert ethtool_settings.parse(text).value["toeplitz"] == "on", "no function of the hash"


def test_a_backslash_at_the_end_goes_on_in_the_next_line_and_at_the_very_end_is_one() -> None:
    assert rc_conf.parse("a=b\\\nc\n").value == {"a": "bc"}
    assert rc_conf.parse("a=b\\").value == {"a": "b\\"}


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("a.b=1", "a.b", "1"), ("a/b=1", "a.b", "1"), ("a/b.c/d=1", "a.b/c.d", "1"),
        ("a.b/c.d=1", "a.b/c.d", "1"), ("/a/b.c=1", ".a.b/c", "1"), ("ab=1", "ab", "1"),
        ('a="x y"', "a", "x y"), ('a=""', "a", ""), ('a="', "a", '"'), ('a=x"', "a", 'x"'),
        ('a="x', "a", '"x'), ("a=", "a", ""), ("a=x #y", "a", "x"), ("a=x#y", "a", "x#y"),
    ],
)  # fmt: skip
def test_a_sysctl_has_one_name_however_it_is_separated_and_a_value_without_quotes(line, name, value) -> None:
    assert sysctl_conf.parse(line).value == {name: value}


def test_what_follows_a_line_that_is_no_sysctl_is_read() -> None:
    assert sysctl_conf.parse("?\na=1\n").value == {OTHER: "?", "a": "1"}


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("module temperature: 51 C", "module temperature", "51 C"),
        ("lane 1: RX power: 0.5 mW", "lane 1", "RX power: 0.5 mW"),
        ("plugged: QSFP28 100GBASE", "plugged", "QSFP28 100GBASE"),
        ("ether 00:0d:b9:00:00:01", "ether", "00:0d:b9:00:00:01"),
        ("media: Ethernet: x", "media", "Ethernet: x"),
        ("one two three: x", "one", "two three: x"),
    ],
)
def test_a_key_of_ifconfig_is_a_word_or_two_before_a_colon(line: str, key: str, value: str) -> None:
    assert ifconfig_settings.parse(f"e0: flags=1<UP>\n\t{line}\n").value[f"e0 {key}"] == value


def test_a_secret_word_of_the_kernels_command_line_takes_the_next_one_with_it() -> None:
    found = kernel_cmdline.parse("--password pw a=1 --api-key=k psk x -- b=2 -- c=3").value
    assert found == {
        "--password": "\ue000",
        "a": "1",
        "--api-key": "k",  # hidden by its name when it is kept
        "psk": "",
        "x": "",
        kernel_cmdline.INIT: "b=2 -- c=3",
    }


def test_rules_outside_of_any_table_are_told_by_their_lines() -> None:
    nft = firewall_rules.parse_nft("# x\nstray {\ntable ip t {\n}\nstray\n")
    assert nft.value == {"ip t": ""}
    assert nft.skipped == ("line 2: not part of any table", "line 5: not part of any table")
    iptables = firewall_rules.parse_iptables("a #\n*nat\n-A x # y#\n")
    assert iptables.value == {"nat": "-A x # y#"}
    assert iptables.skipped == ("line 1: not part of any table",)
