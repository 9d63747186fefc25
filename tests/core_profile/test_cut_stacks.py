"""The callers that a profiler cut off are taken from whole stacks, and only where these agree."""

from pathlib import Path

from profiled import TXABDICATE, idle, stacks_of

from fwdtui.core.profile import Folded
from fwdtui.core.profile.cut_stacks import mend


def never(stack: tuple[str, ...]) -> bool:
    return False


def test_the_callers_of_a_cut_stack_are_put_back():
    folded = Folded({("fork", "loop", "rx"): 9, ("loop", "rx", "ip", "out"): 4})
    mended = mend(folded, never)
    assert mended.folded.stacks == {("fork", "loop", "rx"): 9, ("fork", "loop", "rx", "ip", "out"): 4}
    assert (mended.limit, mended.mended, mended.left) == (4, 4, 0)


def test_a_whole_stack_that_is_the_longest_stays():
    folded = Folded({("fork", "rx"): 9, ("fork", "rx", "ip"): 4})
    assert mend(folded, never).folded == folded
    assert mend(folded, never).limit is None


def test_a_root_that_nothing_calls_stays():
    folded = Folded({("fork", "rx"): 9, ("timer", "tick", "clock"): 4})
    assert mend(folded, never).folded == folded


def test_where_whole_stacks_disagree_nothing_is_put_back_and_it_is_told():
    folded = Folded({("a", "copy"): 5, ("b", "copy"): 5, ("copy", "fault", "page"): 3})
    mended = mend(folded, never)
    assert mended.folded.stacks == folded.stacks
    assert (mended.limit, mended.mended, mended.left) == (3, 0, 3)


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
    ) in mend(folded, never).folded.stacks


def test_an_empty_profile():
    assert mend(Folded(), never).folded == Folded()


def test_a_published_pair_whose_sides_are_cut_unequally(archive: Path):
    """Its flame graphs have 48 % and 82 % on fork_exit: one side's packets go deeper than 16 frames."""
    roots = {}
    for side in ("off", "on"):
        folded = stacks_of(archive / f"{TXABDICATE}/{side}/bench.txabdicate_{side}.inet4.pmc.stack")
        mended = mend(folded, idle)
        assert mended.limit == 16
        assert mended.folded.samples == folded.samples
        assert mended.left < 10
        for name, one in (("cut", folded), ("mended", mended.folded)):
            busy = {stack: n for stack, n in one.stacks.items() if not idle(stack)}
            rooted = sum(n for stack, n in busy.items() if stack[0] == "fork_exit")
            roots[side, name] = round(100 * rooted / sum(busy.values()))
    assert roots["off", "cut"] == 48 and roots["on", "cut"] == 82
    assert abs(roots["off", "mended"] - roots["on", "mended"]) <= 2
