"""One profile or two as trees from both ends: both say the same of a function, whatever the profiler cut off."""

from pathlib import Path

import pytest
from profiled import TXABDICATE, idle, stacks_of

from fwdtui.core.profile import Folded, Profile
from fwdtui.core.profile.call_tree import CallTree
from fwdtui.core.profile.cut_stacks import Depth, depth_of
from fwdtui.report.flame import Taken
from fwdtui.report.flame.rows import matched
from fwdtui.report.flame.trees import trees


def below(tree: CallTree, *path: str) -> list[int]:
    """The samples of each profile in the frame with this path."""
    frame = tree.root
    for name in path:
        frame = frame.children[name]
    return frame.samples


def test_callers_that_the_profiler_cut_off_are_put_back_below_the_functions_that_ran():
    folded = Folded({("fork", "loop", "rx"): 60, ("loop", "rx", "ip", "out"): 40})
    both = trees([Taken("r1", folded, depth=Depth(4))], idle)
    assert below(both.leaves, "out", "ip", "rx", "loop", "fork") == [40]
    assert matched(both.leaves, "fork") == matched(both.root, "fork") == (100,)
    assert both.cut == "Stacks were cut at 4 frames, 40.0 %; their callers are those of whole stacks."


@pytest.mark.parametrize("caller", ["fork_exit", "gtaskqueue_run_locked", "_task_fn_rx", "iflib_rxeof"])
def test_a_caller_has_as_many_samples_from_either_end(archive: Path, caller: str):
    """Of the published pair 37 % of the samples are cut on one side, and hardly any on the other."""
    sides = []
    for setting in ("off", "on"):
        folded = stacks_of(archive / f"{TXABDICATE}/{setting}/bench.txabdicate_{setting}.inet4.pmc.stack")
        sides.append(Taken(setting, folded, depth=depth_of(Profile(folded.samples))))
    both = trees(sides, idle)
    assert matched(both.leaves, caller) == matched(both.root, caller)
    assert both.leaves.root.samples == both.root.root.samples
