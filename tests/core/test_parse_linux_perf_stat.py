"""perf stat's intervals: recorded here, without a PMU, and in the documented format where there is one."""

from pathlib import Path

import pytest

from fwdtui.core.parse.perf_stat import Count, Interval, PerfStatReader, parse_perf_stat

RECORDED = Path(__file__).parents[1] / "fixtures" / "recorded"

# four events on two counters: perf counts each in turn, and extrapolates
MULTIPLEXED = """\
     1.000182123;81236417;;cycles;1200112233;60.00;1.02;GHz
     1.000182123;60112233;;instructions;1200112299;60.01;0.74;insn per cycle
     1.000182123;12345;;cache-misses;800112233;40.00;;
     1.000182123;<not counted>;;branch-misses;0;0.00;;
     2.000391871;2000;;cycles;2000000000;100.00;;
"""
HYBRID = """\
     1.000100000;700;;cpu_core/cycles/;500;50.00;;
     1.000100000;300;;cpu_atom/cycles/;900;90.00;;
     1.000100000;100;;cpu_core/instructions/;900;90.00;;
     1.000100000;<not counted>;;cpu_atom/instructions/;0;0.00;;
"""


def test_what_perf_6_1_printed_here() -> None:
    found = parse_perf_stat((RECORDED / "perf-stat-6.1.txt").read_text())
    assert not found.skipped
    first, _, last = found.value
    assert (first.begin, first.end) == (0.0, 0.500537944)
    assert (last.begin, last.end) == (1.00204969, 1.172175071)  # what was left when it was interrupted
    assert first.counts == (
        Count("cycles", None, "", 0.0, "not supported by this host"),
        Count("instructions", None, "", 0.0, "not supported by this host"),
        Count("cpu-clock", 1002.85, "msec"),
        Count("context-switches", 2432.0),
    )


def test_a_shared_counter_is_told_and_one_that_was_never_free_is_not_zero() -> None:
    first, second = parse_perf_stat(MULTIPLEXED).value
    assert first.counts == (
        Count("cycles", 81236417.0, "", 0.6),
        Count("instructions", 60112233.0, "", pytest.approx(0.6001)),
        Count("cache-misses", 12345.0, "", 0.4),
        Count("branch-misses", None, "", 0.0, "not counted: no counter was free"),
    )
    assert second == Interval(1.000182123, 2.000391871, (Count("cycles", 2000.0),))


def test_the_two_kinds_of_cores_of_a_hybrid_processor_add_up_only_if_both_were_counted() -> None:
    (found,) = parse_perf_stat(HYBRID).value
    assert found.counts == (
        Count("cycles", 1000.0, "", 0.5),
        Count("instructions", None, "", 0.0, "not counted: no counter was free"),
    )


def test_so_do_the_cores_of_an_arm_processor() -> None:
    text = HYBRID.replace("cpu_core", "armv8_cortex_a72").replace("cpu_atom", "armv8_cortex_a53")
    assert parse_perf_stat(text) == parse_perf_stat(HYBRID)
    (uncore,) = parse_perf_stat("1.0;5;;arm_dsu_0/cycles/;1;100.00;;\n").value
    assert uncore.counts == (Count("arm_dsu_0/cycles/", 5.0),), "no core's"


def test_an_event_that_was_asked_for_of_some_cores_alone_is_not_named_like_that_of_all() -> None:
    reader = PerfStatReader(asked=frozenset(("cpu_core/cycles/",)))
    assert reader.feed("1.0;700;;cpu_core/cycles/;500;100.00;;") is None
    done = reader.close()
    assert done is not None and done.counts == (Count("cpu_core/cycles/", 700.0),)
    both = PerfStatReader(asked=frozenset(("cycles", "cpu_core/cycles/")))
    for core, count in (("core", 700), ("atom", 300), ("core", 700)):
        assert both.feed(f"1.0;{count};;cpu_{core}/cycles/;500;100.00;;") is None
    done = both.close()
    assert done is not None and done.counts == (Count("cycles", 1000.0),), "and not those of the others alone"


@pytest.mark.parametrize("kind", ["cpu_{}/cycles/k", "cpu_{}/cycles:k/", "cycles:k"])
def test_what_the_kernel_alone_did_adds_up_whatever_perf_calls_it(kind: str) -> None:
    """The ways in which versions of perf name ``-e cycles:k`` on a processor with two kinds of cores."""
    text = "".join(f"1.0;{n};;{kind.format(core)};5;100.00;;\n" for core, n in (("core", 700), ("atom", 300)))
    (found,) = parse_perf_stat(text).value
    assert found.counts == (Count("cycles:k", 1000.0),)


def test_kinds_of_cores_that_perf_does_not_tell_apart_add_up() -> None:
    """So a perf of early 2025 printed them: both lines under the name that was asked for."""
    text = HYBRID.replace("cpu_core/cycles/", "cycles").replace("cpu_atom/cycles/", "cycles")
    assert parse_perf_stat(text) == parse_perf_stat(HYBRID)
    reader = PerfStatReader(asked=frozenset(("cycles", "cpu_core/cycles/")))
    for name, count in (("cycles", 700), ("cycles", 300), ("cpu_core/cycles/", 700)):
        assert reader.feed(f"1.0;{count};;{name};500;100.00;;") is None
    done = reader.close()
    assert done is not None
    assert done.counts == (Count("cycles", 1000.0), Count("cpu_core/cycles/", 700.0)), "each core's once"


def test_an_interval_is_complete_when_the_next_one_begins() -> None:
    reader = PerfStatReader()
    rows = MULTIPLEXED.splitlines()
    assert [reader.feed(row) for row in rows[:4]] == [None] * 4
    done = reader.feed(rows[4])
    assert done is not None and done.end == 1.000182123 and len(done.counts) == 4
    assert reader.close() is not None and reader.close() is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nosuch", ["event syntax error: 'nosuch'", "\\___ parser error"]),
        ("refused", ["Error:", "Access to performance monitoring and observability operations is limited."]),
    ],
)
def test_what_perf_says_when_it_cannot_start_is_kept(name: str, said: list[str]) -> None:
    reader = PerfStatReader()
    for line in (RECORDED / f"perf-stat-{name}-6.1.txt").read_text().splitlines():
        assert reader.feed(line) is None
    assert reader.words == said and reader.close() is None


@pytest.mark.parametrize(
    "line",
    [
        "1.0;12x;;cycles;1;100.00;;",
        "1.0;-5;;cycles;1;100.00;;",
        "1.0;1e9;;cycles;1;100.00;;",
        "nan;5;;cycles;1;100.00;;",
        "1.0;5;;;1;100.00;;",
        "1,5;5;;cycles",
    ],
)
def test_odd_lines_are_skipped_and_said(line: str) -> None:
    found = parse_perf_stat(line)
    assert not found.value and len(found.skipped) == 1


def test_what_is_skipped_is_told_with_its_line() -> None:
    (told,) = parse_perf_stat("# started\n     1.0;5;;cycles;1;100.00;;\nnonsense\n").skipped
    assert told.startswith("line 3: not a count"), told


def test_an_event_of_some_cores_counts_once_and_a_metric_of_several_events_is_none() -> None:
    twice = "1.0;5;;cpu_core/cycles/;1;100.00;;\n1.0;7;;cpu_core/cycles/;1;100.00;;\n"
    (found,) = parse_perf_stat(f"{twice}1.0;;;;;;3.1;insn per cycle\n").value
    assert found.counts == (Count("cycles", 5.0),)


def test_time_that_goes_back_gives_no_interval() -> None:
    assert [
        (one.begin, one.end)
        for one in parse_perf_stat("2.0;5;;a;1;1;;\n1.0;5;;a;1;1;;\n3.0;5;;a;1;1;;\n").value
    ] == [
        (0.0, 2.0),
        (1.0, 3.0),
    ]
