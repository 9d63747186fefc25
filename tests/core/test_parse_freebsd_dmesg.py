"""Which kernel messages are new, and what FreeBSD's tell of links and queues."""

import itertools
from pathlib import Path

from fixtures import Agree, freebsd
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.dmesg import (
    LinkChange,
    cxgbe_ports,
    link_changes,
    new_lines,
    queue_counts,
)


def text(*lines: str) -> str:
    return "".join(line + "\n" for line in lines)


def test_lines_after_the_known_ones_are_new() -> None:
    assert new_lines(text("a", "b"), text("a", "b", "c", "d")).value == ("c", "d")


def test_an_unchanged_buffer_has_nothing_new() -> None:
    assert new_lines(text("a", "b"), text("a", "b")).value == ()


def test_a_rolled_buffer_lost_its_oldest_lines() -> None:
    parsed = new_lines(text("a", "b", "c", "d"), text("c", "d", "e"))
    assert parsed.value == ("e",)
    assert parsed.skipped == ()


def test_a_rolled_buffer_may_begin_inside_a_line() -> None:
    before = text("igb0: attached", "igb1: attached", "igb2: attached")
    assert new_lines(
        before, text("1: attached", "igb2: attached", "igb2: link state changed to UP")
    ).value == ("igb2: link state changed to UP",)


def test_a_line_that_was_still_being_written_is_reported_whole() -> None:
    assert new_lines("a\nb\nigb0: link sta", text("a", "b", "igb0: link state changed to UP")).value == (
        "igb0: link state changed to UP",
    )


def test_a_buffer_with_nothing_in_common_is_all_new_and_says_that_lines_may_be_lost() -> None:
    parsed = new_lines(text("a", "b"), text("x", "y"))
    assert parsed.value == ("x", "y")
    assert "may be lost" in parsed.skipped[0]


def test_a_cleared_buffer_says_so() -> None:
    parsed = new_lines(text("a"), "")
    assert parsed.value == ()
    assert "cleared" in parsed.skipped[0]


def test_the_first_look_takes_everything() -> None:
    assert new_lines("", text("a", "b")).value == ("a", "b")


def test_the_same_flap_again_is_new() -> None:
    flap = ("igb0: link state changed to DOWN", "igb0: link state changed to UP")
    assert new_lines(text(*flap), text(*flap, *flap)).value == flap


def test_new_lines_come_out_clean() -> None:
    assert new_lines(text("a"), text("a", "\x1b[2Jb")).value == ("[2Jb",)


def test_stamps_of_linux_make_every_line_its_own() -> None:
    before = text("[    1.000000] eth0: link up", "[    2.500000] eth0: link down")
    after = text("[    2.500000] eth0: link down", "[    9.100000] eth0: link up")
    assert new_lines(before, after).value == ("[    9.100000] eth0: link up",)


@given(
    lines=st.lists(st.integers(0, 10_000).map(str), unique=True, min_size=1, max_size=30),
    data=st.data(),
)
def test_of_distinct_lines_exactly_the_later_ones_are_new(lines: list[str], data: st.DataObject) -> None:
    seen = data.draw(st.integers(1, len(lines)))
    rolled = data.draw(st.integers(0, seen - 1))
    parsed = new_lines(text(*lines[:seen]), text(*lines[rolled:]))
    assert parsed.value == tuple(lines[seen:])


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=9),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=9),
)
def test_the_known_part_is_the_longest_end_that_the_later_text_begins_with(
    old: list[str], new: list[str]
) -> None:
    ends = [count for count in range(1, len(old) + 1) if old[-count:] == new[:count]]
    if ends:
        assert new_lines(text(*old), text(*new)).value == tuple(new[max(ends) :])


@given(st.lists(st.sampled_from("ab"), max_size=12), st.lists(st.sampled_from("ab"), max_size=12))
def test_of_repeated_lines_no_more_are_reported_than_were_added(old: list[str], added: list[str]) -> None:
    parsed = new_lines(text(*old), text(*old, *added))
    assert len(parsed.value) <= len(added)
    assert parsed.value == tuple(added[len(added) - len(parsed.value) :])


def lines_of(name: str) -> list[str]:
    return freebsd(f"dmesg-{name}").splitlines()


def test_link_changes_with_and_without_a_prefix() -> None:
    flaps = link_changes(lines_of("flap"))
    assert [change.up for change in flaps if change.interface == "cxl1"] == [True, False, True, False, True]
    assert link_changes(lines_of("syslog")) == (LinkChange("igb0", False),)
    assert link_changes(["Jul  4 10:00:00 dut kernel: ix0: link state changed to UP"]) == (
        LinkChange("ix0", True),
    )
    assert link_changes(["[1234] ix0: link state changed to UP"]) == (LinkChange("ix0", True),)


def test_renamed_and_bridge_interfaces_change_too() -> None:
    assert link_changes(lines_of("renamed")) == (
        LinkChange("igb0", True),
        LinkChange("igb0", False),
        LinkChange("vm-public", True),
    )


def test_other_messages_of_an_interface_are_no_link_change() -> None:
    assert link_changes(lines_of("no-link")) == ()
    assert link_changes(["igb0: link state changed to UP and away", "x igb0: link state changed to UP"]) == ()


def test_drivers_tell_their_queues_and_chelsio_its_ports() -> None:
    lines = lines_of("attach-igb-cxl")
    assert queue_counts(lines) == {"cxl0": (8, 8), "cxl1": (8, 8), "igb0": (4, 6)}
    assert cxgbe_ports(lines) == {("t5nex0", 0): "cxl0", ("t5nex0", 1): "cxl1"}
    assert queue_counts(lines_of("attach-cxl-toe")) == {"cxl0": (8, 8), "cxl1": (8, 8)}
    assert queue_counts(lines_of("attach-ixl")) == {"ixl0": (6, 6)}


def test_the_longest_known_end_is_found_however_the_later_text_repeats_itself() -> None:
    """A search that forgets what it has matched, or begins anew too late, errs in some of these."""
    for new in map(list, itertools.product("ab", repeat=8)):
        for first, then in itertools.product(range(5, 9), range(1, 9)):
            old = [*new[:first], *new[:then]]
            known = max(count for count in range(1, len(new) + 1) if old[-count:] == new[:count])
            assert new_lines(text(*old), text(*new)).value == tuple(new[known:]), (old, new)


def test_a_first_line_that_is_no_tail_of_a_known_one_is_new() -> None:
    parsed = new_lines(text("one", "two"), text("odd", "one", "two", "three"))
    assert parsed.value == ("odd", "one", "two", "three") and parsed.skipped
    parsed = new_lines(text("zero", "one", "two"), text("o", "one", "two", "three"))
    assert parsed.value == ("three",) and not parsed.skipped


def test_queues_of_receiving_come_first_whatever_the_driver_prints_first() -> None:
    lines = ["cxl0: 16 txq, 8 rxq (NIC)", "ix0: Using 4 RX queues 6 TX queues"]
    assert queue_counts(lines) == {"cxl0": (8, 16), "ix0": (4, 6)}


# the same in real results


def real_link_changes_with_and_without_a_prefix(captures: Path) -> None:
    folder = captures / "freebsd"
    flaps = link_changes((folder / "dmesg-cxl-link-flap-fbsd13.txt").read_text().splitlines())
    assert len(flaps) == 10
    assert [change.up for change in flaps if change.interface == "cxl1"] == [True, *[False, True] * 4]
    prefixed = (folder / "dmesg-syslog-prefixed-link-state.txt").read_text().splitlines()
    assert link_changes(prefixed) == (LinkChange("igb0", False),)
    assert link_changes(["Jul  4 10:00:00 dut kernel: ix0: link state changed to UP"]) == (
        LinkChange("ix0", True),
    )
    assert link_changes(["[1234] ix0: link state changed to UP"]) == (LinkChange("ix0", True),)


def real_renamed_and_bridge_interfaces_change_too(captures: Path) -> None:
    lines = (captures / "freebsd/dmesg-link-state-bridge-tun.txt").read_text().splitlines()
    changes = link_changes(lines)
    assert LinkChange("vm-public", True) in changes
    assert [change.up for change in changes if change.interface == "igb0"] == [True, False, True]
    fbsd16 = (captures / "freebsd/dmesg-link-state-igb-cxl-hwpmc-fbsd16.txt").read_text().splitlines()
    assert len(link_changes(fbsd16)) == 11


def real_other_messages_of_an_interface_are_no_link_change(captures: Path) -> None:
    assert link_changes((captures / "freebsd/dmesg-mce0-not-link.txt").read_text().splitlines()) == ()
    assert link_changes(["igb0: link state changed to UP and away", "x igb0: link state changed to UP"]) == ()


def real_drivers_tell_their_queues_and_chelsio_its_ports(captures: Path) -> None:
    folder = captures / "freebsd"
    lines = (folder / "dmesg-attach-igb-cxl-t5nex-fbsd16.txt").read_text().splitlines()
    assert queue_counts(lines) == {"cxl0": (8, 8), "cxl1": (8, 8), "igb0": (8, 8)}
    assert cxgbe_ports(lines) == {("t5nex0", 0): "cxl0", ("t5nex0", 1): "cxl1"}
    assert queue_counts((folder / "dmesg-attach-ix-fbsd12.1.txt").read_text().splitlines()) == {
        "ix0": (4, 4),
        "ix1": (4, 4),
    }
    assert queue_counts((folder / "dmesg-attach-ixl-fbsd12.1.txt").read_text().splitlines()) == {
        "ixl0": (6, 6)
    }


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_link_changes_with_and_without_a_prefix,
        real_renamed_and_bridge_interfaces_change_too,
        real_other_messages_of_an_interface_are_no_link_change,
        real_drivers_tell_their_queues_and_chelsio_its_ports,
    )
