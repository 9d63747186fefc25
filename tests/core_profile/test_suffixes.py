"""What compilers append to a function's name makes no other function of it when two kernels are compared."""

import pytest

from fwdtui.core.profile.folded import Folded
from fwdtui.core.profile.idle import Idle
from fwdtui.core.profile.suffixes import aligned, bare


def profile(*names: str) -> Folded:
    """A sample of each, called by net_rx_action."""
    return Folded({("net_rx_action", name): 10 for name in names})


@pytest.mark.parametrize(
    ("a", "b", "as_a", "as_b"),
    [
        (["f.isra.12"], ["f.isra.14"], ["f.isra"], ["f.isra"]),
        (["f.isra.12"], ["f.isra.12"], ["f.isra.12"], ["f.isra.12"]),
        (["f.isra.12"], ["f"], ["f"], ["f"]),
        (["f.constprop.0"], ["f.isra.0.constprop.1"], ["f"], ["f"]),
        (["f.isra.0.cold"], ["f.isra.1.cold"], ["f.isra.cold"], ["f.isra.cold"]),
        (["f", "f.part.0"], ["f", "f.part.7"], ["f", "f.part"], ["f", "f.part"]),
        (["f", "f.part.0"], ["f"], ["f"], ["f"]),
        (["f.llvm.1234567890123456789"], ["f.llvm.9"], ["f.llvm"], ["f.llvm"]),
        (
            ["bpf_prog_6deef7357e7b4530_xdp_fwd", "bpf_prog_00000000000000aa_F"],
            ["bpf_prog_0123456789abcdef_xdp_fwd", "bpf_prog_00000000000000aa_F"],
            ["bpf_prog_xdp_fwd", "bpf_prog_00000000000000aa_F"],
            ["bpf_prog_xdp_fwd", "bpf_prog_00000000000000aa_F"],
        ),
        (
            ["bpf_prog_6deef7357e7b4530"],
            ["bpf_prog_0123456789abcdef"],
            *[["bpf_prog_6deef7357e7b4530"], ["bpf_prog_0123456789abcdef"]],
        ),
        (["f.isra.12"], ["g"], ["f.isra.12"], ["g"]),  # nothing to be compared with
        (["f.1", "libc.so.6"], ["f.2", "libc.so"], ["f.1", "libc.so.6"], ["f.2", "libc.so"]),  # no suffixes
    ],
)
def test_a_function_has_one_name_on_both_sides(
    a: list[str], b: list[str], as_a: list[str], as_b: list[str]
) -> None:
    found = aligned([profile(*a), profile(*b)])
    assert [{stack[-1] for stack in one.stacks} for one in found.profiles] == [set(as_a), set(as_b)]
    assert [one.samples for one in found.profiles] == [10 * len(a), 10 * len(b)]
    assert bool(found.told) == ([a, b] != [as_a, as_b])


def test_what_is_renamed_is_told_with_an_example() -> None:
    found = aligned([profile("f.isra.12", "g.part.0"), profile("f.isra.14", "g")])
    assert found.told == (
        "2 functions are compared without the compiler's suffix or its number, which differs: "
        "f.isra.12 and f.isra.14 as f.isra."
    )


def test_it_is_told_what_is_left_out_of_the_name_of_a_bpf_program() -> None:
    a, b = "bpf_prog_6deef7357e7b4530_x", "bpf_prog_0123456789abcdef_x"
    told = aligned([profile(a), profile(b)]).told
    assert told == (
        f"1 function is compared without a BPF program's hash, which differs: {b} and {a} as bpf_prog_x."
    )
    both = aligned([profile(a, "f.isra.1"), profile(b, "f.isra.2")]).told
    assert "without the compiler's suffix or its number or a BPF program's hash, which differs" in both


def test_one_profile_alone_keeps_its_names() -> None:
    assert aligned([profile("f.isra.12")]).profiles == [profile("f.isra.12")]


def test_a_suffix_is_no_part_of_an_idle_function_s_name() -> None:
    assert bare("intel_idle.constprop.0") == "intel_idle"
    assert Idle().covers(("swapper", "intel_idle.constprop.0"))
    assert not Idle().covers(("swapper", "intel_idle.like"))
