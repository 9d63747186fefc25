"""sysctl of FreeBSD: values of one line, of many and of none, and names the host does not know."""

from pathlib import Path

import pytest
from fixtures import Agree, freebsd

from fwdtui.core.counters import CpuTicks
from fwdtui.core.parse.sysctl import cp_times, parse, timeval


def test_both_forms_are_read() -> None:
    assert parse("net.isr.maxthreads: 1\n").value.values == {"net.isr.maxthreads": "1"}
    assert parse("net.isr.maxthreads=1\n").value.values == {"net.isr.maxthreads": "1"}


def test_only_the_first_separator_counts() -> None:
    values = parse(
        "dev.ix.0.%pnpinfo: vendor=0x8086 device=0x1563\ndev.ix.1.%pnpinfo=vendor=0x8086\n"
    ).value.values
    assert values["dev.ix.0.%pnpinfo"] == "vendor=0x8086 device=0x1563"
    assert values["dev.ix.1.%pnpinfo"] == "vendor=0x8086"


@pytest.mark.parametrize("line", ["kern.domainname: ", "kern.domainname:", "kern.domainname="])
def test_an_empty_value_is_empty_and_not_missing(line: str) -> None:
    parsed = parse(f"{line}\nkern.hz: 1000\n").value
    assert parsed.values == {"kern.domainname": "", "kern.hz": "1000"}
    assert parsed.number("kern.domainname") is None


def test_a_value_of_many_lines_ends_where_the_next_name_begins() -> None:
    text = "a.b: one\nirq1: atkbd0:1 @cpu0(domain0): 348\n\n\ttwo\nc.d: 2\n"
    assert parse(text).value.values == {"a.b": "one\nirq1: atkbd0:1 @cpu0(domain0): 348\n\n\ttwo", "c.d": "2"}


def test_with_the_names_asked_for_a_line_that_looks_like_one_stays_in_its_value() -> None:
    text = "hw.note: first\nevil.name: 7\nkern.hz: 1000\n"
    assert set(parse(text).value.values) == {"hw.note", "evil.name", "kern.hz"}
    asked = parse(text, ["hw.note", "kern"]).value.values
    assert asked == {"hw.note": "first\nevil.name: 7", "kern.hz": "1000"}


def test_a_missing_name_is_told_while_the_rest_is_read() -> None:
    parsed = parse("kern.hz: 1000\nsysctl: unknown oid 'dev.x.0.y'\nkern.ncpu: 4\n")
    assert parsed.value.values == {"kern.hz": "1000", "kern.ncpu": "4"}
    assert parsed.value.missing == ("dev.x.0.y",)
    assert parsed.skipped == ()


def test_other_complaints_are_skipped_and_end_no_value_wrongly() -> None:
    parsed = parse("kern.hz: 1000\nsysctl: oid 'a.b' is read only\nrest\n")
    assert parsed.value.values == {"kern.hz": "1000"}
    assert len(parsed.skipped) == 2


def test_a_number_is_a_whole_one_or_unknown() -> None:
    values = parse("a.a: 12522860904\na.b: -1\na.c: 60.1C\na.d: 261   (static afterwards)\na.e: 1 2\n").value
    assert [values.number(f"a.{leaf}") for leaf in "abcdef"] == [12522860904, None, None, None, None, None]


def test_a_node_gives_its_leaves() -> None:
    values = parse("dev.ix.0.fc: 3\ndev.ix.0.mac.x: 1\ndev.ix.01.fc: 2\n").value
    assert values.under("dev.ix.0") == {"fc": "3", "mac.x": "1"}


def test_values_come_out_clean() -> None:
    assert parse("kern.ident: \x1b[2J\u202eGENERIC\r\n").value.values == {"kern.ident": "[2JGENERIC"}


def test_a_version_with_a_blank_line() -> None:
    values = parse(freebsd("sysctl-a-kern")).value.values
    assert list(values) == [
        "kern.ostype", "kern.version", "kern.maxproc", "kern.boottime", "kern.domainname", "kern.cp_times",
        "hw.model", "hw.ncpu",
    ]  # fmt: skip
    assert values["kern.version"] == "FreeBSD 15.0-RELEASE n280000-0123456789ab GENERIC"
    assert values["kern.domainname"] == ""
    assert timeval(values["kern.boottime"]) == 1789000123_456789


def test_hw_intrs_is_one_value_although_its_lines_hold_colons() -> None:
    values = parse(freebsd("sysctl-hw.intrs")).value.values
    assert list(values) == ["hw.intrs"]
    assert values["hw.intrs"].count("\n") == 5
    assert "irq3: uhci3:7 @cpu0(domain0): 300" in values["hw.intrs"]


def test_a_register_dump_swallows_no_name() -> None:
    values = parse(freebsd("sysctl-dev.em.0-dump")).value.values
    assert values["dev.em.0.reg_dump"].startswith("General Registers\n\tCTRL\t 00c00249")
    assert values["dev.em.0.reg_dump"].endswith("TDFPC\t 00000000")
    assert values["kern.hz"] == "1000"
    assert len(values) == 9


def test_model_cores_and_an_empty_parent() -> None:
    values = parse(freebsd("sysctl-a-kern")).value
    assert values.values["hw.model"] == "An Invented CPU @ 2.40GHz"
    assert values.number("hw.ncpu") == 2
    em = parse(freebsd("sysctl-dev.em.0-iflib")).value.values
    assert em["dev.em.%parent"] == ""
    assert em["dev.em.0.iflib.txq0.ring_state"] == "pidx_head: 0077 pidx_tail: 0077 cidx: 0077 state: IDLE"


def test_netisr_settings() -> None:
    values = parse(freebsd("sysctl-net.isr")).value
    assert (values.number("net.isr.maxthreads"), values.values["net.isr.dispatch"]) == (2, "deferred")


def test_unknown_names_among_the_values() -> None:
    mixed = parse(freebsd("sysctl-unknown-oid")).value
    assert mixed.missing == ("dev.cpu.0.freq", "dev.cpu.0.temperature")
    assert mixed.values == {"hw.acpi.thermal.tz0._TSP": "-1", "hw.acpi.thermal.tz0._CRT": "60.1C"}


def test_ticks_are_five_to_a_core() -> None:
    parsed = cp_times(parse(freebsd("sysctl-a-kern")).value.values["kern.cp_times"])
    assert parsed.value == (
        CpuTicks(0, user=110, nice=0, system=80, idle=30_001, irq=4),
        CpuTicks(1, user=200, nice=0, system=100, idle=30_002, irq=6),
    )
    assert parsed.skipped == ()


def test_states_that_freebsd_lacks_are_unknown() -> None:
    core = cp_times("1 2 3 4 5").value[0]
    assert (core.softirq, core.iowait, core.steal) == (None, None, None)


def test_a_cpu_id_without_a_cpu_is_left_out_and_the_others_keep_their_ids() -> None:
    assert [core.cpu for core in cp_times("1 2 3 4 5 0 0 0 0 0 1 2 3 4 5").value] == [0, 2]


def test_half_a_core_is_not_read() -> None:
    parsed = cp_times("116 0 85 4 30896 205 0 103")
    assert [core.cpu for core in parsed.value] == [0]
    assert "8 numbers" in parsed.skipped[0]


def test_ticks_that_are_no_numbers_cost_only_their_core() -> None:
    parsed = cp_times("1 x 3 4 5 1 2 3 4 5")
    assert [core.cpu for core in parsed.value] == [1]
    assert len(parsed.skipped) == 1


@pytest.mark.parametrize("state", range(5))
def test_a_core_that_was_in_one_state_only_is_a_core(state: int) -> None:
    ticks = [7 if place == state else 0 for place in range(5)]
    (row,) = cp_times(" ".join(map(str, [*ticks, 0, 0, 0, 0, 0]))).value
    assert [row.user, row.nice, row.system, row.irq, row.idle] == ticks


# the same in real results


def real_a_version_with_a_blank_line(captures: Path) -> None:
    values = parse((captures / "freebsd/sysctl-a-head-kern.txt").read_text()).value.values
    assert len(values) == 21
    assert values["kern.version"] == "FreeBSD 12.1-RELEASE r354233 GENERIC"
    assert values["kern.domainname"] == ""
    assert values["kern.maxfilesperproc"] == "57870"
    assert timeval(values["kern.boottime"]) == 1594339054_740932


def real_hw_intrs_is_one_value_although_its_lines_hold_colons(captures: Path) -> None:
    values = parse((captures / "freebsd/sysctl-hw.intrs-multiline.txt").read_text()).value.values
    assert list(values) == ["hw.intrs"]
    assert values["hw.intrs"].count("\n") == 44
    assert "irq18: uhci0:35 @cpu0(domain0): 30871" in values["hw.intrs"]


def real_a_register_dump_swallows_no_name(captures: Path) -> None:
    text = (captures / "freebsd/sysctl-dev.em.0-queues-and-multiline-reg_dump.txt").read_text()
    values = parse(text + "kern.hz: 1000\n").value.values
    assert values["dev.em.0.reg_dump"].startswith("General Registers\n\tCTRL\t 00c00249")
    assert values["dev.em.0.reg_dump"].endswith("TDFPC\t 00000000")
    assert values["kern.hz"] == "1000"
    assert len(values) == 23


def real_model_cores_and_an_empty_parent(captures: Path) -> None:
    values = parse((captures / "freebsd/sysctl-hw.model-hw.ncpu.txt").read_text()).value
    assert values.values["hw.model"] == "Intel(R) Core(TM) i5-8279U CPU @ 2.40GHz"
    assert values.number("hw.ncpu") == 1
    em = parse((captures / "freebsd/sysctl-dev.em.0-iflib.txt").read_text()).value.values
    assert em["dev.em.%parent"] == ""
    assert em["dev.em.0.iflib.txq0.ring_state"] == "pidx_head: 0681 pidx_tail: 0681 cidx: 0681 state: IDLE"


def real_netisr_settings(captures: Path) -> None:
    values = parse((captures / "freebsd/sysctl-net.isr.txt").read_text()).value
    assert (values.number("net.isr.maxthreads"), values.values["net.isr.dispatch"]) == (1, "direct")


def real_unknown_names_in_captures(captures: Path) -> None:
    mixed = parse((captures / "freebsd/sysctl-unknown-oid-stderr-mixed.txt").read_text()).value
    assert mixed.missing == ("dev.cpu.0.freq", "dev.cpu.0.freq_levels", "dev.cpu.0.temperature")
    assert mixed.values["hw.acpi.thermal.tz0._CRT"] == "60.1C"
    assert len(mixed.values) == 5
    gone = parse((captures / "freebsd/sysctl-unknown-oid-after-kldunload.txt").read_text()).value
    assert gone.missing == ("dev.myfirst.0.stats",)


def real_ticks_are_five_to_a_core(captures: Path) -> None:
    values = parse((captures / "freebsd/sysctl-fbsd14.5-hw-kern-cp_times.txt").read_text()).value.values
    parsed = cp_times(values["kern.cp_times"])
    assert parsed.value == (
        CpuTicks(0, user=116, nice=0, system=85, idle=30896, irq=4),
        CpuTicks(1, user=205, nice=0, system=103, idle=30787, irq=6),
    )
    assert parsed.skipped == ()
    single = parse((captures / "freebsd/sysctl-kern.cp_times-1cpu.txt").read_text()).value.values
    assert cp_times(single["kern.cp_times"]).value == (
        CpuTicks(0, user=1306, nice=0, system=20708, idle=2221637, irq=3886),
    )


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_a_version_with_a_blank_line,
        real_hw_intrs_is_one_value_although_its_lines_hold_colons,
        real_a_register_dump_swallows_no_name,
        real_model_cores_and_an_empty_parent,
        real_netisr_settings,
        real_unknown_names_in_captures,
        real_ticks_are_five_to_a_core,
    )
