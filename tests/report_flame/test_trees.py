"""One profile or two as trees from both ends: both say the same of a function, whatever was cut off."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import msgspec
import pytest
from profiled import TXABDICATE, idle, stacks_of

from fwdtui.core.profile import Folded, Idle, Profile
from fwdtui.core.profile.call_tree import CallTree
from fwdtui.core.profile.cut_stacks import Depth, depth_of
from fwdtui.report.case_profile import of_sides
from fwdtui.report.flame import Taken, differential
from fwdtui.report.flame.rows import matched
from fwdtui.report.flame.trees import trees
from fwdtui.report.functions.sides import ProfileSide
from fwdtui.report.functions.tables import shown


def below(tree: CallTree, *path: str) -> list[int]:
    """The samples of each profile in the frame with this path."""
    frame = tree.root
    for name in path:
        frame = frame.children[name]
    return frame.samples


def test_callers_that_the_profiler_cut_off_are_put_back_below_the_functions_that_ran() -> None:
    folded = Folded({("fork", "loop", "rx"): 60, ("loop", "rx", "ip", "out"): 40})
    both = trees([Taken("r1", folded, depth=Depth(4))], idle)
    assert below(both.leaves, "out", "ip", "rx", "loop", "fork") == [40]
    assert matched(both.leaves, "fork") == matched(both.root, "fork") == (100,)
    assert both.cut == "Stacks were cut at 4 frames, 40.0 %; their callers are taken from complete stacks."


@pytest.mark.parametrize(
    ("whole", "told", "busy"),
    [
        ({}, "no complete stack shows their callers.", 150),
        (
            {("poll", "tx"): 30, ("tx", "ip", "out"): 20},
            "their callers are taken from complete stacks, except for 20.0 %.",
            200,
        ),
    ],
)
def test_callers_on_which_no_stacks_agree_are_not_said_to_be_put_back(
    whole: dict[tuple[str, ...], int], told: str, busy: int
) -> None:
    folded = Folded({("a", "rx"): 55, ("b", "rx"): 55, ("rx", "ip", "out"): 40, **whole})
    one = trees([Taken("r1", folded, depth=Depth(3))], idle)
    assert one.root.root.samples == [busy] and one.cut.endswith(f" %; {told}"), one.cut
    note = "was it cut off?"
    side = ProfileSide("r1", folded, Profile(busy, depth=3, notes=(note,)))
    listing = shown([side], Idle())
    assert any(one.endswith(f" of the busy samples; {told}") for one in listing.notes), listing.notes
    assert listing.notes[-1] == note


@pytest.mark.parametrize("caller", ["fork_exit", "gtaskqueue_run_locked", "_task_fn_rx", "iflib_rxeof"])
def test_a_caller_has_as_many_samples_from_either_end(archive: Path, caller: str) -> None:
    """Of the published pair 37 % of the samples are cut on one side, and hardly any on the other."""
    sides = []
    for setting in ("off", "on"):
        folded = stacks_of(archive / f"{TXABDICATE}/{setting}/bench.txabdicate_{setting}.inet4.pmc.stack")
        sides.append(Taken(setting, folded, depth=depth_of(Profile(folded.samples))))
    both = trees(sides, idle)
    assert matched(both.leaves, caller) == matched(both.root, caller)
    assert both.leaves.root.samples == both.root.root.samples


FORWARDING = Folded({("swapper", "do_idle", "default_idle"): 6000, ("ksoftirqd", "ip_forward"): 3000})
KNOWN = Profile(9000, "perf", "cpu-clock", start=0.0, end=10.0, rate=499.0, packets=1_000_000)


@pytest.mark.parametrize(
    ("changed", "idled", "told"),
    [
        ({}, 6000, ""),
        (
            {"packets": 8_000_000},
            6000,
            "They are of different loads (A 100.0 kpps and B 800.0 kpps forwarded)",
        ),
        ({"rate": 997.0}, 6000, "No samples per packet: the two were not, or not certainly, sampled"),
        ({"packets": None}, 6000, "No samples per packet: it is not known how many packets"),
        ({}, 500_000, "B: 99.4 % of its samples are idle: most of them were probably taken without traffic"),
    ],
)
def test_the_tables_the_trees_and_the_flame_graph_say_the_same(
    changed: dict[str, Any], idled: int, told: str
) -> None:
    folded = Folded(dict(FORWARDING.stacks) | {("swapper", "do_idle", "default_idle"): idled})
    other = msgspec.structs.replace(KNOWN, samples=folded.samples, **changed)
    sides = [ProfileSide("r1", FORWARDING, KNOWN), ProfileSide("r2", folded, other)]
    taken, idle = of_sides(sides), Idle()
    drawn = ET.fromstring(differential(taken[0], taken[1], idle.covers))
    picture = " ".join(" ".join(drawn.itertext()).split())
    for notes in (shown(sides, idle).notes, trees(taken, idle.covers).notes):
        assert [note.startswith(told) for note in notes] == [True] * bool(told)
    assert told in picture
    for word in ("No samples per packet", "different loads", "samples are idle: most"):
        assert (word in picture) == (word in told)


def test_a_function_whose_compiler_s_suffix_differs_has_not_moved() -> None:
    sides = [
        ProfileSide(label, Folded({("net_rx_action", f"fib_table_lookup.isra.{number}"): 3000}), KNOWN)
        for label, number in (("r1", 12), ("r2", 14))
    ]
    told = (
        "1 function is compared without the compiler's suffix or its number, which differs: "
        "fib_table_lookup.isra.12 and fib_table_lookup.isra.14 as fib_table_lookup.isra."
    )
    table, idle = shown(sides, Idle()), Idle().covers
    assert [(row.name, row.samples) for row in table.tables[0].rows] == [
        ("fib_table_lookup.isra", (3000, 3000))
    ]
    taken = of_sides(sides)
    both = trees(taken, idle)
    assert both.leaves.root.children["fib_table_lookup.isra"].samples == [3000, 3000]
    assert table.notes == both.notes == (told,)
    drawn = ET.fromstring(differential(taken[0], taken[1], idle))
    assert told in " ".join(" ".join(drawn.itertext()).split())
    under = shown(sides, Idle(), under="fib_table_lookup.isra.14")
    assert under.under == "fib_table_lookup.isra", "the name that the user knows finds it"
