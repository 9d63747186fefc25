"""Equal stacks are one, and a stack without samples is none."""

from fwdtui.core.profile import Folded


def test_equal_stacks_are_added_up_and_empty_ones_left_out():
    folded = Folded.of([(("a", "b"), 2), (("a",), 1), (("a", "b"), 3), (("c",), 0)])
    assert folded.stacks == {("a", "b"): 5, ("a",): 1}
    assert folded.samples == 6


def test_no_stack_is_no_sample():
    assert Folded().samples == 0
