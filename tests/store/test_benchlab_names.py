"""Where a result's name splits into session and case, and how equal names are told apart."""

from pathlib import Path

import pytest

from fwdtui.core.parse.benchlab_info import BenchInfo
from fwdtui.store.benchlab_names import case_of, neighbours, told_apart

OLD = BenchInfo(image="n1", config="forwarding", traffic="inet4")
NEW = BenchInfo(image="n2", config="pf", traffic="inet6")
LONG = BenchInfo(image="n1", config="inet4", traffic="verylong")
PATCHED = BenchInfo(image="n1.D5", config="", traffic="inet4")
SHORT = BenchInfo(image="very-long", config="", traffic="inet6")


@pytest.mark.parametrize(
    ("key", "info", "known", "expected", "noted"),
    [
        ("n1.forwarding.inet4", OLD, {}, ("n1", "forwarding.inet4"), False),
        # without an .info: a neighbour's image at the beginning, or a neighbour's case at the end
        ("n1.pf.inet4", None, {"n1.forwarding.inet4": OLD}, ("n1", "pf.inet4"), True),
        ("n3.forwarding.inet4", None, {"n1.forwarding.inet4": OLD}, ("n3", "forwarding.inet4"), True),
        # a neighbour's image is asked before a neighbour's case
        ("n1.x.pf.inet6", None, {"n1.forwarding.inet4": OLD, "n2.pf.inet6": NEW}, ("n1", "x.pf.inet6"), True),
        # the longer image first, however long the names are that they are of; the longer case likewise
        ("n1.D5.inet6", None, {"n1.inet4.verylong": LONG, "n1.D5.inet4": PATCHED}, ("n1.D5", "inet6"), True),
        ("n1.inet6", None, {"n1.inet4.verylong": LONG, "n1.D5.inet4": PATCHED}, ("n1", "inet6"), True),
        ("n9.pf.inet6", None, {"very-long.inet6": SHORT, "n2.pf.inet6": NEW}, ("n9", "pf.inet6"), True),
        ("n10.x", None, {"n1.forwarding.inet4": OLD}, ("n10.x", "default"), True),
        ("alone", None, {}, ("alone", "default"), True),
        ("other", OLD, {}, ("other", "default"), True),
    ],
)
def test_a_name_splits_where_its_info_or_a_neighbours_says(key, info, known, expected, noted):
    session, case, notes = case_of(key, info, neighbours(known))
    assert (session, case) == expected
    assert bool(notes) is noted
    assert all(note.startswith(f"{key}: ") for note in notes)


def test_a_name_without_info_says_whose_words_it_was_given_or_why_not():
    assert (
        "that of n1.forwarding.inet4"
        in case_of("n1.pf", None, neighbours({"n1.forwarding.inet4": OLD}))[2][0]
    )
    assert "no .info: the whole name" in case_of("alone", None, ())[2][0]
    assert "its .info does not name its parts" in case_of("other", OLD, ())[2][0]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], []),
        ([("n1", "a"), ("n2", "a")], ["n1", "n2"]),
        # only as many folders as it takes, and only for those that are equal
        ([("n1", "lab-a/may"), ("n1", "lab-a/june"), ("n2", "lab-a")], ["may.n1", "june.n1", "n2"]),
        ([("n1", "lab-a/may"), ("n1", "lab-b/may")], ["lab-a.may.n1", "lab-b.may.n1"]),
        ([("n1", "a/x/may"), ("n1", "b/x/may"), ("n1", "b/june")], ["a.x.may.n1", "b.x.may.n1", "june.n1"]),
        # equal as folders of a file system that ignores case, or by what a folder's name cannot have
        ([("N1", "a"), ("n1", "b")], ["a.N1", "b.n1"]),
        # in one folder nothing above tells them apart: a number does
        ([("n1", "a"), ("N1", "a"), ("n1", "a")], ["tree.a.n1", "tree.a.N1.2", "tree.a.n1.3"]),
    ],
)
def test_equal_names_get_the_folders_that_tell_them_apart(tmp_path: Path, names, expected):
    root = tmp_path / "tree"
    assert told_apart([(name, root / folder) for name, folder in names], root) == expected
