"""No text of a FreeBSD host, cut, mangled or forged, makes a parser raise, lie or pass on an escape."""

import dataclasses
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sampled import prefixes

from fwdtui.core.counters import InterruptRow
from fwdtui.core.parse import (
    dmesg,
    dtrace_drops,
    freebsd_clock,
    freebsd_uname,
    ifconfig,
    ipfw,
    netisr,
    netstat_interfaces,
    netstat_rn,
    pciconf,
    pfctl,
    pmc_graph,
    pmcstat_counters,
    sysctl,
    sysctl_oids,
    sysctl_queues,
    sysctl_stages,
    vmstat_i,
)
from fwdtui.core.parse.fields import Parsed
from fwdtui.core.text import clean_lines


def _sysctl_chain(text: str) -> tuple[Any, ...]:
    found = sysctl.parse(text)
    listed = sysctl_oids.names(text)
    values = found.value.values
    return (
        found,
        sysctl.parse(text, ["dev.ix", "kern"]),
        sysctl_queues.parse(values),
        sysctl_stages.parse(values),
        sysctl.cp_times(text),
        sysctl.timeval(text),
        sysctl_oids.counters(listed, soft_state=True),
        sysctl_oids.settings(listed),
        sysctl_oids.node(text),
    )


def _dmesg_chain(text: str) -> tuple[Any, ...]:
    lines = text.split("\n")
    return (
        dmesg.new_lines(text[: len(text) // 2], text[len(text) // 4 :]),
        dmesg.new_lines(text, text),
        dmesg.link_changes(lines),
        dmesg.queue_counts(lines),
        dmesg.cxgbe_ports(lines),
    )


# what is called, and the texts of `texts` that it is meant for
PARSERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "netstat_interfaces": (netstat_interfaces.parse, "netstat-[in][bd]*.txt"),
    "netisr": (netisr.parse, "netstat-Q*.txt"),
    "netstat_rn": (netstat_rn.parse, "netstat-rn*.txt"),
    "netstat_rn.counted": (netstat_rn.parse_counted, "rt_algo*.txt"),
    "sysctl": (_sysctl_chain, "sysctl-*.txt"),
    "vmstat_i": (vmstat_i.parse, "vmstat-*.txt"),
    "uname": (freebsd_uname.parse, "*UNAME*.txt"),
    "pciconf": (pciconf.parse, "pciconf*.txt"),
    "ifconfig": (ifconfig.parse, "ifconfig*.txt"),
    "pfctl": (pfctl.parse, "pfctl*.txt"),
    "ipfw": (ipfw.parse, "ipfw*.txt"),
    "dmesg": (_dmesg_chain, "dmesg*.txt"),
    "clock": (freebsd_clock.parse, "date*.txt"),
    "pmcstat_counters": (pmcstat_counters.parse_pmcstat_counters, "pmcstat-s*.txt"),
    "dtrace_drops": (dtrace_drops.parse_dtrace_drops, "dtrace*.txt"),
    "dtrace_list": (dtrace_drops.parse_dtrace_list, "dtrace*.txt"),
    "pmc_graph": (pmc_graph.parse_pmc_graph, "pmcstat-G*.txt"),
}
EVERY = list(PARSERS)
Texts = Callable[[str, str], dict[str, str]]
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

# words that parsers look for, so that random text gets past their first test
WORDS = st.sampled_from(
    [
        "Name Mtu Network Address Ipkts Ierrs\n",
        "igb0* 1500 <Link#1> ",
        '{"network":"<Link#1>","name":"igb0","flags":"0x1","received-packets":',
        "   input  igb1  output\n packets errs bytes packets errs bytes colls\n",
        "WSID CPU Name Len WMark\n",
        "Name Proto QLimit Policy\n",
        "Thread count ",
        "dev.ix.0.queue0.rx_packets: ",
        "dev.ix.0.iflib.txq00.ring_state: pidx_head: ",
        "sysctl: unknown oid '",
        "{ sec = ",
        "irq1: igb0:que ",
        "FreeBSD a 16.0-CURRENT FreeBSD 16.0-CURRENT ",
        "igb0@pci0:0:20:0: class=0x020000 ",
        "igb0: flags=8843<UP> metric 0 mtu ",
        " media: Ethernet autoselect (",
        "Status: Enabled for ",
        "State Table\n ",
        "Internet:\n",
        "InMpps OMpps\n",
        "igb0: link state changed to ",
        "[rt_algo] inet.0 (",
        "99999999999999999999999999",
        "@ cycles [9 samples]\n",
        "# s/00/cycles s/01/cycles\n",
        "50.00%  [5] ",
        "drop ips_noroute 4",
        "kernel`ip_findroute+0x4c\n",
        "all ",
        "98784 mib ip count ",
        " 1",
        " -1",
        " ٣",
        " 1e999",
        " 46M",
        "\x1b[31m",
        "\u202e",
        "\x00",
        "\r\n",
        "\n",
        "\u2028",
        "\x85",
    ]
)
TEXT = st.lists(st.one_of(WORDS, st.text(max_size=12)), max_size=30).map("".join)


def sound(value: Any) -> None:
    """Everything in a result is clean text and sane numbers, and a note is one short line."""
    if isinstance(value, Parsed):
        assert value.value is not None
        for note in value.skipped:
            assert "\n" not in note
            assert len(note) < 200
        sound(value.value)
        sound(value.skipped)
    elif isinstance(value, str):
        assert clean_lines(value) == value
    elif isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, (int, float)):
        assert 0 <= value < 1e25
    elif isinstance(value, Mapping):
        for key, item in value.items():
            sound(key if isinstance(key, (str, tuple)) else None)
            sound(item)
    elif isinstance(value, tuple):
        for item in value:
            sound(item)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            sound(getattr(value, name))
    else:
        for item in dataclasses.fields(value):
            sound(getattr(value, item.name))


@pytest.mark.parametrize("name", EVERY)
@SETTINGS
@given(text=TEXT)
def test_no_text_makes_a_parser_raise_or_leave_a_control_character(name: str, text: str) -> None:
    sound(PARSERS[name][0](text))


def of(name: str, texts: Texts) -> list[tuple[str, str]]:
    found = texts("freebsd", PARSERS[name][1])
    assert found, f"no text for {name}"
    return list(found.items())


@pytest.mark.parametrize("name", EVERY)
def test_prefixes_of_every_text_are_read_without_a_complaint_of_python(texts: Texts, name: str) -> None:
    parse = PARSERS[name][0]
    for nth, (_, text) in enumerate(of(name, texts)):
        for end in prefixes(len(text), nth):
            parse(text[:end])


@pytest.mark.parametrize("name", EVERY)
@SETTINGS
@given(data=st.data())
def test_mangled_texts_are_read(texts: Texts, name: str, data: st.DataObject) -> None:
    _, text = data.draw(st.sampled_from(of(name, texts)))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 60)))
        put = data.draw(st.one_of(st.just(""), WORDS, st.just(text[start:end] * 2), st.text(max_size=8)))
        text = text[:start] + put + text[end:]
    sound(PARSERS[name][0](text))


@pytest.mark.parametrize("name", EVERY)
@SETTINGS
@given(data=st.data())
def test_texts_that_lost_a_column_are_read(texts: Texts, name: str, data: st.DataObject) -> None:
    _, text = data.draw(st.sampled_from(of(name, texts)))
    column = data.draw(st.integers(0, 12))
    lines = [line.split() for line in text.split("\n")]
    sound(PARSERS[name][0]("\n".join("  ".join(line[:column] + line[column + 1 :]) for line in lines)))


def _without_field(text: str, line: int, field: int) -> str:
    """`text` with one field of one line blotted out, the white space around it left as it was."""
    lines = text.split("\n")
    found = lines[line].split()
    if field >= len(found):
        return text
    position = 0
    for word in found[:field]:
        position = lines[line].index(word, position) + len(word)
    position = lines[line].index(found[field], position)
    lines[line] = lines[line][:position] + lines[line][position + len(found[field]) :]
    return "\n".join(lines)


@SETTINGS
@given(data=st.data())
def test_a_lost_field_never_shifts_a_counter_of_an_interface(texts: Texts, data: st.DataObject) -> None:
    _, text = data.draw(st.sampled_from(of("netstat_interfaces", texts)))
    line = data.draw(st.integers(1, text.count("\n")))
    cut = _without_field(text, line, data.draw(st.integers(0, 14)))
    whole = {row.link: row for row in netstat_interfaces.parse(text).value}
    for row in netstat_interfaces.parse(cut).value:
        before = whole[row.link]
        for name in (
            "rx_packets",
            "rx_bytes",
            "rx_errors",
            "rx_dropped",
            "tx_packets",
            "tx_bytes",
            "tx_dropped",
        ):
            assert getattr(row, name) in (None, getattr(before, name))


def total(row: InterruptRow) -> int:
    return sum(row.totals.values())


@SETTINGS
@given(data=st.data())
def test_a_lost_field_never_shifts_the_total_of_an_interrupt(texts: Texts, data: st.DataObject) -> None:
    one_report = [(name, text) for name, text in of("vmstat_i", texts) if "-iw-" not in name]
    _, text = data.draw(st.sampled_from(one_report))
    line = data.draw(st.integers(0, text.count("\n")))
    cut = _without_field(text, line, data.draw(st.integers(0, 4)))
    totals = {total(row) for row in vmstat_i.parse(text).value}
    assert {total(row) for row in vmstat_i.parse(cut).value} <= totals


@SETTINGS
@given(data=st.data())
def test_a_lost_field_never_shifts_a_workstream(data: st.DataObject, texts: Texts) -> None:
    _, text = data.draw(st.sampled_from([pair for pair in of("netisr", texts) if "Name   Proto" in pair[1]]))
    first = text[: text.index("WSID")].count("\n") + 1
    line = data.draw(st.integers(first, text.count("\n") - 1))
    cut = _without_field(text, line, data.draw(st.integers(0, 10)))
    assert set(netisr.parse(cut).value.rows) <= set(netisr.parse(text).value.rows)


@pytest.mark.parametrize("name", ["netstat_interfaces", "netisr", "vmstat_i"])
def test_whole_lines_read_so_far_read_the_same_in_the_end(texts: Texts, name: str) -> None:
    def rows(text: str) -> tuple[Any, ...]:
        value = PARSERS[name][0](text).value
        return tuple(value.rows) if name == "netisr" else tuple(value)

    for _, text in of(name, texts):
        final = rows(text)
        for end, character in enumerate(text, 1):
            if character == "\n":
                assert rows(text[:end]) == final[: len(rows(text[:end]))]


LONG = 65_536  # the longest line that a transport passes on
UNITS = (" ", "a ", "1 ", "a1", "a:", "(", "<", "'", "a.", "[1] ", "kernel [1] ", "vlan: 1 ", " wc -l", "\n")
BEGINNINGS = {
    "netstat_interfaces": "Name Mtu Network Address Ipkts\nem0 1500 <Link#1> ",
    "netisr": "WSID CPU Name Len\n",
    "vmstat_i": "irq17: ",
    "uname": "FreeBSD a 12.0-X FreeBSD 12.0 ",
    "pciconf": "em0@pci0:2:1:0:\n vendor = '",
    "ifconfig": "igb0: flags=8843<UP>\n media: ",
    "pfctl": "Status: Enabled for 1\nState Table\n  a ",
}


@pytest.mark.parametrize("name", EVERY)
def test_no_long_line_takes_a_parser_long(name: str) -> None:
    """A regular expression that backtracks over the square of 64 KiB takes minutes; this a moment."""
    for beginning in {"", BEGINNINGS.get(name, "")}:
        for unit in UNITS:
            text = beginning + unit * (LONG // len(unit))
            started = time.process_time()
            PARSERS[name][0](text)
            assert time.process_time() - started < 3.0, (beginning, unit)
