"""The callers that a profiler cut off are taken from whole stacks, and only where these agree."""

from pathlib import Path

import pytest
from profiled import TXABDICATE, idle, stacks_of

from fwdtui.core.profile import Folded, Profile
from fwdtui.core.profile.cut_stacks import Depth, depth_of, mend


def never(stack: tuple[str, ...]) -> bool:
    return False


def test_the_callers_of_a_cut_stack_are_put_back():
    folded = Folded({("fork", "loop", "rx"): 9, ("loop", "rx", "ip", "out"): 4})
    mended = mend(folded, never, Depth(4))
    assert mended.folded.stacks == {("fork", "loop", "rx"): 9, ("fork", "loop", "rx", "ip", "out"): 4}
    assert (mended.depth, mended.mended, mended.left) == (Depth(4), 4, 0)


def test_a_whole_stack_that_is_the_longest_stays():
    folded = Folded({("fork", "rx"): 9, ("fork", "rx", "ip"): 4})
    assert mend(folded, never, Depth(3)).folded == folded
    assert mend(folded, never, Depth(3)).depth is None


def test_a_root_that_nothing_calls_stays():
    folded = Folded({("fork", "rx"): 9, ("timer", "tick", "clock"): 4})
    assert mend(folded, never, Depth(3)).folded == folded


def test_where_whole_stacks_disagree_nothing_is_put_back_and_it_is_told():
    folded = Folded({("a", "copy"): 5, ("b", "copy"): 5, ("copy", "fault", "page"): 3})
    mended = mend(folded, never, Depth(3))
    assert mended.folded.stacks == folded.stacks
    assert (mended.depth, mended.mended, mended.left) == (Depth(3), 0, 3)


def test_what_follows_tells_two_calls_of_a_function_apart():
    """netisr_dispatch_src is called by ether_input and by ether_demux."""
    folded = Folded(
        {
            ("in", "dispatch", "ether"): 50,
            ("in", "dispatch", "ether", "demux", "dispatch", "ip"): 50,
            ("dispatch", "ip", "forward", "out", "ring", "drain", "tx"): 7,
        }
    )
    assert (
        "in",
        "dispatch",
        "ether",
        "demux",
        "dispatch",
        "ip",
        "forward",
        "out",
        "ring",
        "drain",
        "tx",
    ) in mend(folded, never, Depth(7)).folded.stacks


SHALLOW = Folded({("fork", "loop", "rx"): 9, ("loop", "rx", "ip", "out"): 4})
"""Its longest stack begins with what has a caller in another one."""


@pytest.mark.parametrize("tool", ["", "perf", "pmcstat"])
@pytest.mark.parametrize("depth", [None, 16, 127])
def test_nothing_is_added_to_a_profile_shallower_than_its_profiler_cuts(tool: str, depth: int | None):
    mended = mend(SHALLOW, never, depth_of(Profile(13, tool=tool, depth=depth)))
    assert mended.folded == SHALLOW and mended.depth is None


def test_nothing_is_added_where_the_depth_is_not_known_or_one_stack_is_deeper():
    assert mend(SHALLOW, never, None).folded == SHALLOW
    assert mend(SHALLOW, never, Depth(3)).folded == SHALLOW


def deep(first: str, frames: int = 16) -> tuple[str, ...]:
    """A stack that begins with a function."""
    return (first, *(f"{first}{number}" for number in range(1, frames)))


def test_a_depth_that_is_only_assumed_must_show_in_the_profile():
    """One stack of 16 frames that begins with a called function may be whole: functions are called twice."""
    called = {("fork", name, f"{name}1"): 9 for name in ("rx", "ip", "out")}
    one = Folded({**called, deep("rx"): 4})
    three = Folded({**called, deep("rx"): 4, deep("ip"): 4, deep("out"): 4})
    entered = Folded({**three.stacks, ("out", "timer"): 1})  # an entry point: it needs no caller
    assumed = depth_of(Profile(1, tool="pmcstat"))
    assert mend(one, never, assumed).mended == 0
    assert mend(three, never, assumed).mended == 12
    assert mend(entered, never, assumed).mended == 0
    assert mend(one, never, depth_of(Profile(1, tool="pmcstat", depth=16))).mended == 4


def test_the_name_of_the_command_is_no_frame_of_perf():
    """It stays in front of the callers that are put back, and those of another command are not its own."""
    own = Folded({("iperf3", "send", "irq", "rx"): 9, ("iperf3", "irq", "rx", "ip", "out"): 4})
    others = Folded({("swapper", "idle", "irq", "rx"): 9, ("iperf3", "irq", "rx", "ip", "out"): 4})
    depth = depth_of(Profile(13, tool="perf", depth=4))
    assert mend(own, never, depth).folded.stacks[("iperf3", "send", "irq", "rx", "ip", "out")] == 4
    assert mend(others, never, depth).folded == others


def test_an_empty_profile():
    assert mend(Folded(), never, Depth(16)).folded == Folded()


def test_a_published_pair_whose_sides_are_cut_unequally(archive: Path):
    """Its flame graphs have 48 % and 82 % on fork_exit: one side's packets go deeper than 16 frames."""
    roots = {}
    for side in ("off", "on"):
        folded = stacks_of(archive / f"{TXABDICATE}/{side}/bench.txabdicate_{side}.inet4.pmc.stack")
        mended = mend(folded, idle, depth_of(Profile(folded.samples)))
        assert mended.depth == Depth(16, "hwpmc")
        assert mended.folded.samples == folded.samples
        assert mended.left < 10
        for name, one in (("cut", folded), ("mended", mended.folded)):
            busy = {stack: n for stack, n in one.stacks.items() if not idle(stack)}
            rooted = sum(n for stack, n in busy.items() if stack[0] == "fork_exit")
            roots[side, name] = round(100 * rooted / sum(busy.values()))
    assert roots["off", "cut"] == 48 and roots["on", "cut"] == 82
    assert abs(roots["off", "mended"] - roots["on", "mended"]) <= 2
