"""Every Linux parser on damaged, hostile and arbitrary text: it returns, and what it returns is safe."""

import dataclasses
import functools
import json
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled import prefixes

from fwdtui.core.counters import ANY_CPU
from fwdtui.core.parse.bpftrace_drops import parse_bpftrace_drops
from fwdtui.core.parse.ethtool_info import (
    parse_channels,
    parse_driver_info,
    parse_link_settings,
    parse_offloads,
    parse_ring_sizes,
)
from fwdtui.core.parse.ethtool_stats import parse_ethtool_stats
from fwdtui.core.parse.fields import Parsed
from fwdtui.core.parse.folded_stacks import parse_folded
from fwdtui.core.parse.hist_trigger import parse_hist_trigger
from fwdtui.core.parse.iperf3 import parse_iperf3_json
from fwdtui.core.parse.iperf3_lines import parse_iperf3_lines
from fwdtui.core.parse.linux_facts import parse_cpuinfo, parse_lscpu, parse_os_release, parse_proc_version
from fwdtui.core.parse.linux_pktgen import parse_pktgen_device
from fwdtui.core.parse.nft_ruleset import parse_nft_ruleset
from fwdtui.core.parse.perf_folded import parse_perf_folded, parse_perf_stats
from fwdtui.core.parse.perf_script import parse_perf_script
from fwdtui.core.parse.perf_stat import parse_perf_stat
from fwdtui.core.parse.pmc_graph import parse_pmc_graph
from fwdtui.core.parse.proc_clock import parse_boot_id, parse_timer_list, parse_uptime
from fwdtui.core.parse.proc_interrupts import parse_proc_interrupts
from fwdtui.core.parse.proc_net_dev import parse_proc_net_dev
from fwdtui.core.parse.proc_net_snmp import parse_proc_net_snmp, parse_proc_net_snmp6
from fwdtui.core.parse.proc_stat import parse_proc_stat
from fwdtui.core.parse.skb_drop_format import parse_skb_drop_format
from fwdtui.core.parse.softnet import parse_softnet_stat
from fwdtui.core.parse.tc_qdisc import parse_tc_qdisc
from fwdtui.core.parse.trafgen import parse_trafgen
from fwdtui.core.parse.xdp_bench import parse_xdp_bench
from fwdtui.core.text import clean

Parser = Callable[[str], Parsed[object]]
Texts = Callable[[str, str], dict[str, str]]

# A parser, which texts of `texts` are for it, and a small one of its kind.
PARSERS: dict[str, tuple[Parser, str, str]] = {
    "proc_net_dev": (
        parse_proc_net_dev,
        "proc_net_dev-*",
        " face |bytes packets errs drop|bytes packets errs drop\n  eth0:1 2 3 4 5 6 7 8\n",
    ),
    "softnet": (parse_softnet_stat, "softnet_stat-*", " ".join(["0000000a"] * 13) + "\n"),
    "proc_stat": (parse_proc_stat, "proc_stat-*", "cpu  1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7 8\nbtime 99\n"),
    "proc_interrupts": (
        parse_proc_interrupts,
        "proc_interrupts-*",
        "  CPU0 CPU2\n 9: 1 2 PCI-MSI 3-edge eth0-TxRx-1\nERR: 0\n",
    ),
    "timer_list": (parse_timer_list, "", "Timer List Version: v0.10\nX: 8\nnow at 970940099181 nsecs\n"),
    "uptime": (parse_uptime, "", "970.94 1807.85\n"),
    "boot_id": (parse_boot_id, "", "26908785-f042-4a20-be90-feacc4870340\n"),
    "snmp": (parse_proc_net_snmp, "proc_net_snmp-*", "Ip: InReceives ForwDatagrams\nIp: 5 4\n"),
    "snmp6": (parse_proc_net_snmp6, "", "Ip6InReceives                   \t1\n"),
    "ethtool_stats": (
        functools.partial(parse_ethtool_stats, interface="eth0"),
        "ethtool-S-*",
        "NIC statistics:\n     rx_queue_0_packets: 5\n     [0]: rx_discards: 7\n",
    ),
    "driver_info": (parse_driver_info, "ethtool-i-*", "driver: ena\nversion: 5.19\n"),
    "ring_sizes": (
        parse_ring_sizes,
        "ethtool-g-*",
        "Pre-set maximums:\nRX:\t4\nCurrent hardware settings:\nRX:\t2\n",
    ),
    "channels": (
        parse_channels,
        "ethtool-l-*",
        "Pre-set maximums:\nRX:\t4\nCurrent hardware settings:\nRX:\t2\n",
    ),
    "offloads": (parse_offloads, "ethtool*-k-*", "Features for eth0:\nscatter-gather: on [fixed]\n"),
    "link_settings": (
        parse_link_settings,
        "ethtool-v*",
        "Settings for eth0:\n\tSpeed: 10000Mb/s\n\tLink detected: yes\n",
    ),
    "tc_qdisc": (
        parse_tc_qdisc,
        "tc-*",
        "qdisc mq 0: dev eth0 root\n Sent 1 bytes 2 pkt (dropped 3, overlimits 4 requeues 5)\n"
        " backlog 6b 7p requeues 8\n",
    ),
    "nft_ruleset": (
        parse_nft_ruleset,
        "nft-*",
        "table ip t {\n\tchain c {\n\t\tcounter packets 1 bytes 2 drop\n\t}\n}\n",
    ),
    "proc_version": (parse_proc_version, "", "Linux version 6.1.0 (a@b) (gcc) #1 SMP\n"),
    "os_release": (parse_os_release, "", 'ID=debian\nVERSION_ID="12"\n'),
    "cpuinfo": (parse_cpuinfo, "proc_cpuinfo-*", "processor\t: 0\nmodel name\t: X\ncore id : 0\n"),
    "lscpu": (parse_lscpu, "lscpu-*", "CPU(s):  2\nOn-line CPU(s) list:  0,1\nModel name: X\n"),
    "iperf3_json": (
        parse_iperf3_json,
        "iperf3-*-J*",
        '{"start":{},"intervals":[{"sum":{"start":0,"end":1,"bytes":5,"packets":2}}],"end":{},"error":"e"}',
    ),
    "iperf3_lines": (
        parse_iperf3_lines,
        "iperf3-*[tm]*",
        "[  5]   0.00-1.00   sec   611 KBytes  5.00 Mbits/sec  0.007 ms  0/521 (0%)  \n",
    ),
    "trafgen": (
        parse_trafgen,
        "trafgen-*",
        "\r   3000 packets outgoing\n\r 3 sec, 609 usec on CPU0 (3000 packets)\n",
    ),
    "pktgen": (
        parse_pktgen_device,
        "pktgen-finished*",
        "Params: count 0  ifname: e\nCurrent:\n pkts-sofar: 5  errors: 0\n"
        "Result: OK: 5(c4+d1) usec, 5 (60byte,0frags)\n  1000pps 1Mb/sec (480000bps) errors: 0\n",
    ),
    "skb_drop_format": (
        parse_skb_drop_format,
        "kfree_skb-format-*",
        'print fmt: "%s", __print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" }, { 0x3, "NO_SOCKET" })\n',
    ),
    "hist_trigger": (
        parse_hist_trigger,
        "kfree_skb-hist-*",
        "{ reason:          7, location: [ffffffffc02b1c04] nft_do_chain [nf_tables]   } hitcount:    5\n",
    ),
    "bpftrace_drops": (
        parse_bpftrace_drops,
        "kfree_skb-bpftrace*",
        "@all: 5\n@[71, enqueue_to_backlog, dut0, 4026532900]: 5\n",
    ),
    "xdp_bench": (parse_xdp_bench, "xdp-*", "Summary   1,000 rx/s      0 err/s\n"),
    "folded": (parse_folded, "", "fork_exit;ithread_loop;ip_input 12\n"),
    "perf_stat": (
        parse_perf_stat,
        "perf-stat-*",
        "     1.5;500;;cycles;80;40.00;;\n     1.5;<not counted>;;cpu_atom/cycles/;0;0.00;;\n",
    ),
    "perf_script": (
        parse_perf_script,
        "perf-script-cpu*",
        "swapper     0 [001]  12.000001:    5025125 cpu-clock:\n\tffff8000 ip_rcv+0x1 ([kernel])\n\n",
    ),
    "perf_folded": (
        parse_perf_folded,
        "",
        "first 12.000001\nlast 13.5\nlost 0\ncore 0 478\nstack ksoftirqd/1;napi_poll 12\nmore 3\n",
    ),
    "perf_stats": (parse_perf_stats, "", "\nAggregated stats:\n   SAMPLE events:        956  (25.5%)\n"),
    "pmc_graph": (
        parse_pmc_graph,
        "",
        "@ cycles [2 samples]\n\n100.0%  [2]    ip_input @ /boot/kernel\n 100.0%  [2]     fork_exit\n\n",
    ),
}
# Only these may be negative: iperf3 takes back losses when packets come late.
SIGNED = {"lost"}


def check(parsed: Parsed[object]) -> None:
    """What any result must be: no control characters, no negative counts, notes that fit on a line."""
    assert isinstance(parsed, Parsed)
    assert parsed.value is not None
    assert len(parsed.skipped) <= 41
    for note in parsed.skipped:
        assert note == clean(note)
        assert len(note) < 400
    walk(parsed.value, "")


def walk(value: object, name: str) -> None:
    if isinstance(value, str):
        assert value == clean(value), name
        assert len(value) <= 300, name
        value.encode("utf-8")
    elif isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, int | float):
        assert name in SIGNED or value >= 0, (name, value)
        assert value < 1e40
    elif isinstance(value, dict):
        for key, item in value.items():
            if not (name == "totals" and key == ANY_CPU):
                walk(key, name)
            walk(item, name)
    elif isinstance(value, list | tuple):
        for item in value:
            walk(item, name)
    elif isinstance(value, msgspec.Struct):
        for part in msgspec.structs.fields(value):
            walk(getattr(value, part.name), part.name)
    else:
        assert dataclasses.is_dataclass(value), type(value)
        for part in dataclasses.fields(value):
            walk(getattr(value, part.name), part.name)


@pytest.fixture(params=PARSERS)
def parser(request: pytest.FixtureRequest) -> Parser:
    return PARSERS[request.param][0]


def of(name: str, texts: Texts) -> list[str]:
    """The texts of a parser, the longest cut to what one test can chew."""
    _, pattern, sample = PARSERS[name]
    found = [text[:8000] for text in texts("linux", pattern).values()]
    assert bool(found) == bool(pattern)
    return [*found, sample]


@pytest.mark.parametrize("name", PARSERS)
def test_a_small_sample_is_read_whole(name: str) -> None:
    parser, _, sample = PARSERS[name]
    parsed = parser(sample)
    check(parsed)
    assert parsed.skipped == ()
    assert parsed.value != parser("").value


@pytest.mark.parametrize("name", PARSERS)
def test_every_text_gives_a_safe_result(name: str, texts: Texts) -> None:
    for text in of(name, texts):
        check(PARSERS[name][0](text))


@pytest.mark.parametrize("name", PARSERS)
def test_prefixes_of_a_text_give_a_safe_result(name: str, texts: Texts) -> None:
    parser = PARSERS[name][0]
    for nth, text in enumerate(of(name, texts)):
        for length in prefixes(len(text), nth, longest=4000):
            check(parser(text[:length]))


@pytest.mark.parametrize("name", PARSERS)
def test_a_lost_column_nul_bytes_and_doubled_lines_give_a_safe_result(name: str, texts: Texts) -> None:
    parser = PARSERS[name][0]
    for text in of(name, texts)[:6]:
        rows = text.split("\n")[:200]
        for lost in range(6):
            check(parser("\n".join(" ".join(row.split()[:lost] + row.split()[lost + 1 :]) for row in rows)))
            check(parser("\n".join("  " + " ".join(row.split(" ")[:lost]) for row in rows)))
        check(parser("\x00".join(text[:4000])))
        check(parser(text.replace(" ", "\x00")))
        check(parser(text.replace(":", "")))
        check(parser(text.replace("0", "-1")))
        check(parser(text.replace("0", "9" * 60)))
        check(parser(text.replace("0", "٣")))
        check(parser(text.replace("1", "1_0").replace("2", "1e5")))
        check(parser(text.replace("\n", "\r\n")))
        check(parser("\n".join(row for row in rows for _ in range(2))))
        check(parser(text + text))
        check(parser("\n".join(reversed(rows))))


@pytest.mark.parametrize("name", PARSERS)
def test_windows_line_endings_change_nothing(name: str) -> None:
    parser, _, sample = PARSERS[name]
    assert parser(sample.replace("\n", "\r\n")) == parser(sample)


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=400))
def test_arbitrary_text_gives_a_safe_result(text: str) -> None:
    for parser, _, _ in PARSERS.values():
        check(parser(text))


WORDS = """
    CPU0 CPU1 cpu0 eth0: 0 1 -1 18446744073709551615 deadbeef 00000001 : | face bytes rx_queue_0_packets:
    tx-0.packets: [0]: rx_discards: Tx Queue#: qdisc dev root parent :f Sent backlog 0b 0p table chain { }
    counter packets " # handle policy Ip: [ ] [SUM] [5] 0.00-1.00 sec MBytes Mbits/sec iperf3: error - sender
    receiver Result: OK: rx/s err/s Summary nan inf 1e999 NaN null true , "error": "end": "sum": "start":
    "intervals": ٣ _ n/a on off [fixed] % 0/0 (0%) ms packets outgoing usec
"""
TOKENS = [*WORDS.split(), "\x00", "\x1b[2J", "\u202e", "\ud800"]


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.lists(st.sampled_from(TOKENS), max_size=12), max_size=12),
    glue=st.sampled_from([" ", "", "\t", "  "]),
)
def test_the_words_of_all_tools_in_any_order_give_a_safe_result(rows: list[list[str]], glue: str) -> None:
    text = "\n".join(glue.join(row) for row in rows).encode("utf-8", "backslashreplace").decode()
    for parser, _, _ in PARSERS.values():
        check(parser(text))


KEYS = """
    start end intervals sum sum_sent sum_received error packets bytes lost_packets event data nftables rule
    chain table counter expr family name handle ifname stats64 rx tx kind parent root lscpu field children
    active fixed requested streams seconds jitter_ms sender
"""
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(["root", "eth0", "\x1b[31m", "\ud800", "UDP", "", "on", "\u202e", "a b"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS.split()),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@settings(max_examples=250, deadline=None)
@given(value=JSON_VALUES, several=st.booleans())
def test_json_of_any_shape_gives_a_safe_result(value: object, several: bool) -> None:
    text = json.dumps([value] if several else value)
    for name in ("iperf3_json", "iperf3_lines", "tc_qdisc", "nft_ruleset", "offloads", "lscpu"):
        check(PARSERS[name][0](text))


def test_json_that_breaks_python_s_reader_gives_a_safe_result() -> None:
    for text in ("[" * 100_000, '{"a":' * 100_000, "1" * 10_000, "[NaN, Infinity, 1e999]", "{" + "}" * 1000):
        for name in (
            "iperf3_json",
            "iperf3_lines",
            "tc_qdisc",
            "nft_ruleset",
            "offloads",
            "lscpu",
        ):
            check(PARSERS[name][0](text))


def test_long_lines_do_not_slow_a_parser_down(parser: Parser) -> None:
    for line in ("9" * 60_000, "a" * 60_000, "[ " * 20_000, "eth0-" * 10_000, "x: " * 20_000, '"{' * 20_000):
        check(parser(line))


def test_thousands_of_bad_lines_give_a_bounded_number_of_notes(parser: Parser) -> None:
    parsed = parser("qdisc\n" * 3000 + "eth0 x\n" * 3000)
    check(parsed)
