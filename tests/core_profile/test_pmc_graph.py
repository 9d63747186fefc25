"""pmcstat's call graphs become stacks that add up to the samples that pmcstat counted."""

from pathlib import Path

import pytest
from fixtures import profiles

from fwdtui.core.parse.folded_stacks import parse_folded
from fwdtui.core.parse.pmc_graph import parse_pmc_graph
from fwdtui.core.profile import Folded

GRAPH = """\
@ BU_CPU_CLK_UNHALTED [10 samples]

60.00%  [6]        cpu_idle @ /boot/kernel/kernel
 100.0%  [6]         sched_idletd
  100.0%  [6]          fork_exit

40.00%  [4]        lock_delay @ /boot/kernel/kernel
 75.00%  [3]         pmclog_reserve @ /boot/kernel/hwpmc.ko
  66.67%  [2]          ip_input @ /boot/kernel/kernel
   100.0%  [2]           fork_exit

@ BU_CPU_CLK_UNHALTED [5 samples]

100.0%  [5]        cpu_idle @ /boot/kernel/kernel
 100.0%  [5]         sched_idletd
  100.0%  [5]          fork_exit

"""


def test_a_stack_goes_from_the_outermost_caller_to_the_function_that_was_running():
    first, second = parse_pmc_graph(GRAPH).value.sections
    assert first.whole.stacks == {
        ("fork_exit", "sched_idletd", "cpu_idle"): 6,
        ("fork_exit", "ip_input", "pmclog_reserve", "lock_delay"): 2,
    }
    assert second.whole.stacks == {("fork_exit", "sched_idletd", "cpu_idle"): 5}


def test_samples_whose_call_chain_ended_at_an_inner_line_are_not_lost():
    first, second = parse_pmc_graph(GRAPH).value.sections
    assert first.inner.stacks == {("pmclog_reserve", "lock_delay"): 1, ("lock_delay",): 1}
    assert first.whole.samples + first.inner.samples == first.samples == 10
    assert (second.inner.samples, second.missing) == (0, 0)


def test_a_file_that_was_cut_off_says_how_many_samples_are_missing():
    parsed = parse_pmc_graph(GRAPH[: GRAPH.index("40.00%")])
    assert parsed.value.sections[0].missing == 4
    assert parsed.skipped == ("BU_CPU_CLK_UNHALTED: 4 of 10 samples are in no line: was the file cut off?",)


def test_a_file_that_ends_between_two_lines_of_a_tree_may_lack_callers():
    assert parse_pmc_graph(GRAPH).skipped == ()
    assert parse_pmc_graph(GRAPH[:-1]).skipped == (
        "the text ends within a tree: outer callers may be missing",
    )


def test_a_name_at_the_very_end_of_a_text_may_be_cut_off():
    assert parse_pmc_graph(GRAPH.rstrip()).skipped == (
        "line 16: the text ends within a line: the name may be cut off: '100.0%  [5]          fork_exit'",
    )


@pytest.mark.parametrize(
    ("statistics", "notes"),
    [
        (" #exec/elf                                3\n #samples/total                           15\n", ()),
        (
            " #samples/total                           19\n #callchain/dubious-frames                4\n",
            ("pmcstat left out 4 of 19 samples, which are of no program that it knows",),
        ),
        ("", ()),
    ],
)
def test_what_pmcstat_says_at_the_end_is_no_part_of_the_graph(statistics: str, notes: tuple[str, ...]):
    """With `-G -` it is on the same output; as a number of samples it was read on a host (captures)."""
    parsed = parse_pmc_graph(f"{GRAPH}CONVERSION STATISTICS:\n{statistics}")
    assert parsed.value == parse_pmc_graph(GRAPH).value
    assert parsed.skipped == notes
    assert parse_pmc_graph(f"{GRAPH[:-1]}CONVERSION STATISTICS:\n").skipped == (
        "the text ends within a tree: outer callers may be missing",
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("   50.00%  [1]   too_deep", "a caller of nothing"),
        ("Hello", "no line of a call graph"),
        (" 100.0%  [9]         more_than_there_are", "more samples than cpu_idle has left"),
    ],
)
def test_what_is_no_part_of_a_tree_is_told(line: str, why: str):
    text = f"@ cycles [1 samples]\n\n100.0%  [1]   cpu_idle\n{line}\n"
    assert any(f"line 4: {why}" in note for note in parse_pmc_graph(text).skipped)


def test_lines_before_the_first_section_belong_to_nothing():
    parsed = parse_pmc_graph("100.0%  [1]   cpu_idle\n")
    assert parsed.value.sections == ()
    assert parsed.skipped == ("line 1: no section above it: '100.0%  [1]   cpu_idle'",)


def published(*roots: Path) -> list[Path]:
    return sorted(path for root in roots for path in root.rglob("*.graph"))


def test_the_published_graphs_fold_to_their_published_stacks(netbenches: Path, archive: Path) -> None:
    graphs = published(netbenches, archive)
    assert len(graphs) == 10
    for graph in graphs:
        sections = parse_pmc_graph(graph.read_text()).value.sections
        stacks = parse_folded(graph.with_suffix(".stack").read_text())
        assert stacks.skipped == ()
        folded = Folded.of(row for one in sections for row in one.whole.stacks.items())
        assert folded == stacks.value, graph.name
        # and what stackcollapse-pmc.pl lost is here: every sample of the headings, if the file is whole
        if graph.stat().st_size % 4096:
            assert all(one.missing == 0 for one in sections)
            assert sum(one.samples for one in sections) == folded.samples + sum(
                one.inner.samples for one in sections
            )
        else:  # written by an unclean pmcstat: the last block of its buffer is missing
            assert [bool(one.missing) for one in sections] == [False] * (len(sections) - 1) + [True]


def test_graphs_of_our_own_fold_to_their_stacks():
    first, second = parse_pmc_graph(
        profiles.call_graph(profiles.FORWARDING, {profiles.IDLE: 5})
    ).value.sections
    assert first.whole == parse_folded(profiles.folded(profiles.FORWARDING)).value
    assert second.whole == parse_folded(profiles.folded({profiles.IDLE: 5})).value
    assert (first.samples, first.inner.samples, first.missing) == (700, 0, 0)
