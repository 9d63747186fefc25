"""A side that ran on a single boot is told of, once, wherever the boots are known."""

from pathlib import Path

import pytest
from hand_made import recorded

from fwdtui.core.model import HostSample, Iteration
from fwdtui.report import bearing, table
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import Document
from fwdtui.report.markdown import render
from fwdtui.report.recordings import number_of_boots
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter, opening
from fwdtui.store.records import NAME

OLD = (1.00e6, 1.01e6, 0.99e6, 1.02e6, 1.00e6)
NEW = (1.10e6, 1.12e6, 1.11e6, 1.09e6, 1.10e6)
CASES = ("inet4", "inet6", "pf", "ipfw", "ipf")
LAB = {"dut": {"host": "r1"}, "generator": {"host": "gen"}}


def on(values, boots) -> list[Iteration]:
    return [Iteration(0, value, boot=boot) for value, boot in zip(values, boots, strict=True)]


def sampled(folder: Path, label: str, values, boots) -> Path:
    """As sessions were recorded before iteration.json had the boot: in the samples of every host."""
    with SessionWriter.create(folder, label=label, created="2026-01-02T03:04:05+00:00", lab=LAB) as session:
        for value, boot in zip(values, boots, strict=True):
            writer = session.begin("inet4")
            writer.append(
                HostSample("gen", 1, 0.0, 0.0, boot="of the generator"),
                HostSample("r1", 1, 0.0, 0.0, boot=boot),
                HostSample("r1", 2, 1.0, 1.0, boot="a later one"),
            )
            writer.commit(Iteration(0, value))
            writer.close()
    return folder


def compared(*folders: Path) -> Compared:
    return judge_sides(load_sides([str(folder) for folder in folders]))


def test_one_boot_a_side_marks_the_verdict_and_five_cases_say_it_once(tmp_path):
    old = recorded(tmp_path / "a", "r1", {case: on(OLD, "aaaaa") for case in CASES})
    new = recorded(tmp_path / "b", "r2", {case: on(NEW, "bbbbb") for case in CASES})
    found = compared(old, new)
    assert all(bearing.codes(one.comparison) == ("one-boot",) for one in found.judged)
    text = " ".join(table.render(found.judged, found.notes).split())
    assert text.count("on one boot of the DUT") == 1
    assert "! one-boot (inet4, inet6, ipf, ipfw, pf): all iterations of each side" in text
    report = render(Document(found))
    assert report.count("on one boot of the DUT") == 1
    assert "Boots of the DUT that the values come from: r1: 1, r2: 1." in report


def test_iterations_over_several_boots_are_not_marked(tmp_path):
    old = recorded(tmp_path / "a", "r1", {"inet4": on(OLD, "aabbc")})
    new = recorded(tmp_path / "b", "r2", {"inet4": on(NEW, "ddeef")})
    found = compared(old, new)
    assert not bearing.codes(found.judged[0].comparison)
    assert "r1: 3, r2: 3." in render(Document(found))


def test_the_boots_of_a_case_that_is_not_compared_do_not_count(tmp_path):
    old = recorded(tmp_path / "a", "r1", {"inet4": on(OLD, "aaaaa"), "inet6": on(OLD, "bbcde")})
    new = recorded(tmp_path / "b", "r2", {"inet4": on(NEW, "fffff")})
    none = recorded(tmp_path / "c", "r3", {"pf": on(NEW, "ggggg")})
    report = render(Document(compared(old, new, none)))
    assert "Boots of the DUT that the values come from: r1: 1, r2: 1." in report


@pytest.mark.parametrize(("boots", "marked"), [("aaaaa", True), ("aabaa", False)])
def test_an_older_session_has_them_in_the_duts_first_sample(tmp_path, boots, marked):
    old = sampled(tmp_path / "a", "old", OLD, boots)
    new = sampled(tmp_path / "b", "new", NEW, "xyzxy")
    found = compared(old, new)
    assert ("one-boot" in bearing.codes(found.judged[0].comparison)) is marked


def test_no_more_of_the_samples_is_read_than_it_takes(tmp_path, monkeypatch):
    old = sampled(tmp_path / "a", "old", OLD, "aaaaa")
    for one in (old / "inet4").iterdir():
        with (one / NAME).open("ab") as file:
            file.truncate(8 << 20)
    read: list[int] = []
    pieces = opening.pieces

    def counted(*args, **more):
        for piece in pieces(*args, **more):
            read.append(len(piece))
            yield piece

    monkeypatch.setattr(opening, "pieces", counted)
    assert number_of_boots(load_sides([str(old)])[0].cases) == 1
    assert 0 < sum(read) <= 5 * (64 << 10)


def test_imports_know_no_boots_and_the_report_says_so(tmp_path):
    old = recorded(tmp_path / "a", "r1", {"inet4": OLD})
    new = recorded(tmp_path / "b", "r2", {"inet4": on(NEW, "bbbbb")})
    found = compared(old, new)
    assert "all iterations of r2 ran on one boot" in table.render(found.judged, found.notes)
    assert "Boots of the DUT that the values come from: r1: not known, r2: 1." in render(Document(found))
