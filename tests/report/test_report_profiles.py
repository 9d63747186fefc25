"""Flame graphs in a report: written beside it and linked case by case, as people do by hand."""

import re
from pathlib import Path

import pytest
from hand_made import BASE, FASTER, recorded
from profiled import add, forwarding

from fwdtui.report import bundle
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.sides import load_sides

DRAWN = Choices(without=frozenset({"charts", "data"}))


@pytest.fixture
def specs(tmp_path: Path) -> list[str]:
    """Two sessions; of the case inet4 both have a profile, of inet6 only the baseline."""
    paths = []
    for label, values, lookup in (("r1", BASE, 20), ("r2", FASTER, 40)):
        path = recorded(tmp_path / label, label, {"inet4": [*values], "inet6": [*values], "pf": [*values]})
        add(path, "inet4", forwarding(lookup, 30, 100))
        paths.append(path)
    add(paths[0], "inet6", forwarding(20, 30, 100))
    return [str(path) for path in paths]


def write(out: Path, specs: list[str], choices: Choices = DRAWN) -> list[str]:
    paths = bundle.write(out, judge_sides(load_sides(specs)), choices)
    return [path.relative_to(out.parent).as_posix() for path in paths]


def section(out: Path, case: str) -> str:
    """What the report says of a case."""
    (_, found) = re.split(rf"^## {case}$", out.read_text(), flags=re.M)
    return found.partition("\n## ")[0]


def test_each_case_links_its_flame_graphs_and_the_difference(tmp_path: Path, specs: list[str]) -> None:
    out = tmp_path / "report.md"
    assert write(out, specs) == [
        "report.d/flame.r1.inet4.svg",
        "report.d/flame.r2.inet4.svg",
        "report.d/flame-difference.r2.inet4.svg",
        "report.d/flame.r1.inet6.svg",
        "report.md",
    ]
    assert (
        "- [r1](report.d/flame.r1.inet4.svg)\n"
        "- [r2](report.d/flame.r2.inet4.svg)\n"
        "- [r2 against r1: the difference](report.d/flame-difference.r2.inet4.svg)\n"
    ) in section(out, "inet4")
    assert "- [r1](report.d/flame.r1.inet6.svg)\n" in section(out, "inet6")
    assert "inet4: r2 #6 against r1 #6" in (tmp_path / "report.d/flame-difference.r2.inet4.svg").read_text()


def test_a_case_without_profiles_says_nothing_of_them(tmp_path: Path, specs: list[str]) -> None:
    write(tmp_path / "report.md", specs)
    assert "lame" not in section(tmp_path / "report.md", "pf")


def test_they_can_be_left_out(tmp_path: Path, specs: list[str]) -> None:
    for without in ("profiles", "cases"):
        paths = write(tmp_path / f"{without}.md", specs, Choices(without=DRAWN.without | {without}))
        assert paths == [f"{without}.md"]
        text = (tmp_path / f"{without}.md").read_text()
        assert "Flame" not in text and "Where the CPU time went" not in text


def test_a_second_report_replaces_the_pictures_of_the_first(tmp_path: Path, specs: list[str]) -> None:
    out = tmp_path / "report.md"
    write(out, specs)
    before = (tmp_path / "report.d/flame.r2.inet4.svg").read_bytes()
    add(Path(specs[1]), "inet4", forwarding(60, 30, 100))
    write(out, specs)
    assert (tmp_path / "report.d/flame.r2.inet4.svg").read_bytes() != before


def test_a_damaged_profile_is_told_and_the_others_are_drawn(tmp_path: Path, specs: list[str]) -> None:
    (Path(specs[1]) / "inet4/006/profile.folded").write_text("a;b 3\n")
    assert "report.d/flame.r1.inet4.svg" in write(tmp_path / "report.md", specs)
    text = section(tmp_path / "report.md", "inet4").replace("\\", "")
    assert "- r2: its profile cannot be read: " in text and "checksum does not match" in text
    assert "flame.r2" not in text and "against r1" not in text
