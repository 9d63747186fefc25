"""Profiles of perf, and folded stacks, are read as what they are, with what they say about themselves."""

import pytest

from fwdtui.core.parse.folded_stacks import parse_folded
from fwdtui.core.parse.perf_folded import parse_perf_folded
from fwdtui.core.parse.perf_script import command_name, parse_perf_script
from fwdtui.core.parse.profile_text import GRAPH, SCRIPT, STACKS, read_profile
from fwdtui.core.profile import Folded
from fwdtui.core.profile.folded import DEPTH_MOST, frame

SCRIPTED = """\
# hostname : dut
swapper     0 [001]  1516.960978:    5025125 cpu-clock:pppH:
\tffffffff821f2c2b ip_rcv+0xb ([kernel.kallsyms])
\tffffffff821f4735 net_rx_action+0x5 ([kernel.kallsyms])
\tffffffff812faf53 [unknown] ([nf_tables])

ksoftirqd/1    21 [001]  1516.966003:    5025125 cpu-clock:pppH:
\tffffffff821f2c2b ip_rcv+0xc ([kernel.kallsyms])

Web Content  4711/4713 [000]  1517.000000:    5025125 cpu-clock:pppH:
\t    7f2a11223344 std::vector<int, std::allocator<int> >::push_back(int const&)+0x1f (/usr/lib/libxul.so)
\t    7f2a11223355 [unknown] ([unknown])

"""


def test_a_sample_of_perf_is_a_stack_below_its_command():
    reading = read_profile(SCRIPTED.encode())
    assert reading.folded.stacks == {
        ("swapper", "[nf_tables]", "net_rx_action", "ip_rcv"): 1,
        ("ksoftirqd", "ip_rcv"): 1,
        ("Web Content", "[unknown]", "std::vector<int, std::allocator<int> >::push_back(int const&)"): 1,
    }
    assert (reading.form, reading.tool, reading.event) == (SCRIPT, "perf", "cpu-clock:pppH")
    assert (reading.per_cpu, reading.period) == ({"0": 1, "1": 2}, 5025125)
    assert (reading.start, reading.end, reading.skipped) == (1516.960978, 1517.0, ())


def test_without_call_chains_a_sample_is_one_line_also_of_a_command_that_looks_like_an_address():
    text = """\
            dd  4711 [000]  1519.655525:    5025125 cpu-clock:      5645401b7f79 copy+0x9 (/usr/bin/dd)
            dd  4711 [000]  1519.660548:    5025125 cpu-clock:      564540049186 [unknown] (/usr/bin/dd)
"""
    assert read_profile(text.encode()).folded.stacks == {("dd", "copy"): 1, ("dd", "[dd]"): 1}


def test_a_program_whose_file_was_replaced_while_it_ran_has_the_functions_that_it_has():
    text = "".join(
        f"bird 7 [000] {n}.000000: 1 cycles:\n"
        f"\t55d0 rt_notify+0x{n} (/usr/sbin/bird (deleted))\n\t7f10 [unknown] (/lib/libc.so.6 (deleted))\n\n"
        for n in range(1, 4)
    )
    assert read_profile(text.encode()).folded.stacks == {("bird", "[libc.so.6]", "rt_notify"): 3}


def test_an_inlined_function_counts_as_the_one_that_contains_it():
    """perf tells them apart only where it has debug symbols; the other kernel may have none."""
    plain = "dd 7 [000] 1.000000: 1 cycles:\n\tffff ip_rcv+0xb ([kernel.kallsyms])\n\tffff poll+0x1 (k)\n\n"
    inlined = plain.replace("\tffff ip_rcv", "\tffff skb_peek (inlined)\n\tffff ip_rcv")
    one, other = (read_profile(text.encode()) for text in (plain, inlined))
    assert one.folded == other.folded == Folded({("dd", "poll", "ip_rcv"): 1})
    assert other.skipped == ("1 inlined function left out: each counts as what contains it",)


def test_fields_that_perf_was_not_asked_for_are_missing_not_zero():
    reading = read_profile(b"swapper     0 cycles:\n\tffff8000 ip_rcv+0x1 ([kernel.kallsyms])\n\n")
    assert reading.folded.stacks == {("swapper", "ip_rcv"): 1}
    assert (reading.per_cpu, reading.start, reading.period) == ({}, None, None)


@pytest.mark.parametrize("cpu", ["", " [001]"])
def test_without_a_time_a_command_has_no_number_and_a_sample_of_a_guest_no_frame(cpu):
    frames = "\tffff8000 ip_rcv+0x1 ([kernel.kallsyms])\n\n"
    one, other = f"bird 4711{cpu}    5025125 cycles: \n", f"bird 4712/4712{cpu}    5025125 cycles: \n"
    reading = read_profile(f"{one}{frames}{other}{frames}{other}\n".encode())
    assert reading.folded.stacks == {("bird", "ip_rcv"): 2, ("bird",): 1} and reading.skipped == ()
    assert (reading.per_cpu, reading.period) == ({"1": 3} if cpu else {}, 5025125)


@pytest.mark.parametrize(
    "text",
    [
        "PMC: [INSTR_RETIRED_ANY] Samples: 56877 (100.0%) , 0 unresolved\n\n  7.2 kernel     bzero\n",
        "CONVERSION STATISTICS:\n #samples/total                           166032\n",
        "\n Performance counter stats for 'system wide':\n\n      84      context-switches\n",
        "ERROR: Unknown error -1: couldn't set RLIMIT_MEMLOCK\nAttaching 1 probe...\n@[2]: 1\n",
        "[ perf record: Woken up 1 times to write data ]\n",
    ],
)
def test_what_other_programs_print_has_no_sample(text):
    assert read_profile(text.encode()).folded == Folded()
    whole = "dd 7 [000] 1.000000: 1 cycles:\n\tffff f+0x1 (k)\n\n"
    assert read_profile(f"{whole}{text}{whole}".encode()).folded == Folded({("dd", "f"): 2})


def test_samples_of_two_events_are_not_added_up():
    one = "a 1 [000] 1.000000: 1 cycles:\n\tff f+0x1 (k)\n\n"
    reading = read_profile((one + one + one.replace("cycles", "cache-misses")).encode())
    assert (reading.event, reading.folded.samples) == ("cycles", 2)
    assert reading.skipped == ("only the samples of cycles are used, not those of 1 other event",)


def test_a_period_that_varies_and_samples_that_perf_lost_are_told():
    text = (
        "a 1 [000] 1.000000: 1 cycles:\n\tff f+0x1 (k)\n\na 1 [000] 2.000000: 9 cycles:\n\tff f+0x1 (k)\n\n"
        "a 1 [000] 2.000000: PERF_RECORD_LOST lost 17\n"
    )
    assert read_profile(text.encode()).skipped == (
        "the period varies from 1 to 9 cycles: samples are counted, not events",
        "perf lost 17 samples: it could not keep up",
    )


def test_folded_stacks_are_read_as_they_are_written():
    folded = Folded({("fork_exit", "ip_input"): 3, ("Web Content", "f"): 7})
    assert folded.text() == "Web Content;f 7\nfork_exit;ip_input 3\n"
    reading = read_profile(folded.text().encode())
    assert (reading.folded, reading.form, reading.skipped) == (folded, STACKS, ())


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ksoftirqd/1", "ksoftirqd"),
        ("irq/24-eth0", "irq"),
        ("backlog_napi/3", "backlog_napi"),  # RPS in threads, on PREEMPT_RT
        ("ktimers/3", "ktimers"),
        ("vhost-4711", "vhost"),
        ("vpp_wk_0", "vpp_wk_0"),  # the same in each run
        ("a/b", "a/b"),
    ],
)
def test_a_number_that_each_profile_has_another_of_is_no_part_of_a_command_s_name(name: str, shown: str):
    assert command_name(name) == shown


def test_stacks_that_others_folded_have_the_same_commands_as_those_that_fwdtui_folds():
    """Else a queue that moved to another CPU would look like a thread that vanished, and a new one."""
    one, other = ("ksoftirqd/0;run_ksoftirqd_[k];ip_rcv_[k] 5\n", "ksoftirqd/1;run_ksoftirqd;ip_rcv 5\n")
    assert parse_folded(one).value == parse_folded(other).value
    assert parse_folded(one).value.stacks == {("ksoftirqd", "run_ksoftirqd", "ip_rcv"): 5}
    stored = "backlog_napi/1;process_backlog 5\n"  # by an older version
    assert parse_folded(stored, ours=True).value.stacks == {("backlog_napi", "process_backlog"): 5}


def test_marks_of_where_the_code_is_are_no_part_of_a_name():
    assert parse_folded("a_[k];b_[j] 1\na;b 2\n").value.stacks == {("a", "b"): 3}


@pytest.mark.parametrize(
    ("line", "why"), [("a;b", "no stack with a count"), ("a;b 1 2", "two counts"), ("a;b 1.5", "no stack")]
)
def test_a_line_that_is_no_folded_stack_is_skipped_with_the_reason(line: str, why: str):
    parsed = parse_folded(f"a;b 1\n{line}\n")
    assert parsed.value.stacks == {("a", "b"): 1}
    assert len(parsed.skipped) == 1 and parsed.skipped[0].startswith(f"line 2: {why}")


def test_a_very_deep_stack_keeps_its_leaf():
    names = [f"f{n}" for n in range(DEPTH_MOST + 5)]
    script = "a 1 [000] 1.000000: 1 cycles:\n" + "".join(f"\tff {name}+0x1 (k)\n" for name in reversed(names))
    for parsed in (
        parse_folded(";".join(names) + " 1\n"),
        parse_folded(read_profile(script.encode()).folded.text()),
    ):
        (stack,) = parsed.value.stacks
        assert (len(stack), stack[-1]) == (DEPTH_MOST, names[-1])
    assert parse_folded(";".join(names) + " 1\n").skipped and parse_perf_script(script).skipped
    taken = parse_perf_folded(f"stack {';'.join(names)} 3\nstack {';'.join(names[:DEPTH_MOST])} 2\n")
    assert sorted(map(len, taken.value.folded.stacks)) == [DEPTH_MOST, DEPTH_MOST]
    assert taken.skipped == ("3 samples have 512 frames or more: the outermost callers are left out",)


def test_each_form_is_known_by_its_first_lines():
    graph = (
        "@ cycles [2 samples]\n\n100.0%  [2]   ip_input @ /boot/kernel/kernel\n 100.0%  [2]    fork_exit\n"
    )
    reading = read_profile(graph.encode())
    assert (reading.form, reading.tool, reading.event, reading.per_cpu) == (
        GRAPH,
        "pmcstat",
        "cycles",
        {"#1": 2},
    )
    assert read_profile(b"Hello\nWorld\n").folded.samples == 0
    assert read_profile(b"Hello\nWorld\n").skipped[0].startswith("line 1: neither a sample nor a frame")
    assert read_profile(b"").skipped == ("there is no sample in it",)


def test_folded_stacks_are_known_by_lines_of_any_length():
    """Functions of C++ and Rust have long names, and a proxy calls many of them."""
    stack = ";".join(f"envoy::Http::FilterManager::decodeHeaders<{n}>::operator()" for n in range(120))
    assert len(stack) > 4096
    reading = read_profile(f"{stack} 12\n{stack};leaf 3\n".encode())
    assert (reading.form, reading.folded.samples) == (STACKS, 15)


def test_a_name_is_one_line_without_the_separator():
    assert frame("a;b\x1b[31m\nc\t") == "a:b[31mc"
    assert frame(" \x00") == "[unknown]"
    assert len(frame("x" * 999)) == 200
    assert frame("[perf-4711.map]") == "[perf.map]", "the number is another in each profile"
