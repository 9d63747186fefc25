"""What an import offers to do next: a comparison by the factor that varies, and a sweep over a number."""

from pathlib import Path

import pytest
from fixtures import benchlab

from fwdtui.cli import main
from fwdtui.report import next_by_factor


def offered(capsys: pytest.CaptureFixture[str], root: Path, into: Path) -> list[str]:
    """The last lines on stderr of an import, from `Next:` on."""
    assert main(["import", str(root), "--into", str(into)]) == 0
    lines = capsys.readouterr().err.splitlines()
    return lines[next((n for n, line in enumerate(lines) if line.startswith("Next: ")), len(lines)) :]


def results(root: Path, images: tuple[str, ...], **named: str) -> None:
    for image in images:
        for traffic in ("inet4", "inet6"):
            benchlab.named(root / image, traffic=traffic, runs=3, **named)


def test_images_are_compared_first_and_the_first_in_natural_order_is_the_baseline(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    results(tmp_path / "results", ("r10", "r9"), config="on")
    assert offered(capsys, tmp_path / "results", tmp_path / "into") == [
        "Next: fwdtui compare into/* --by image --baseline image=r9"
    ]
    # it works as printed
    assert main(["compare", "into/r10.on", "into/r9.on", "--by", "image", "--baseline", "image=r9"]) == 0
    assert "baseline r9" in capsys.readouterr().out


def test_where_the_folder_has_other_sessions_those_imported_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "into/older").mkdir(parents=True)
    results(tmp_path / "results", ("r1", "r2"), config="on")
    (line,) = offered(capsys, tmp_path / "results", tmp_path / "into")
    words = line.split()
    assert words[:3] == ["Next:", "fwdtui", "compare"] and len(words) == 9
    assert {word.rpartition("/")[0] for word in words[3:5]} == {"into"}
    assert words[5:] == ["--by", "image", "--baseline", "image=r1"]


def test_one_session_is_enough_if_it_has_two_levels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results(tmp_path / "results", ("r1",), config="on")
    assert offered(capsys, tmp_path / "results", tmp_path / "into") == [
        "Next: fwdtui compare into/on --by af --baseline af=inet4"
    ]


def test_a_numeric_factor_of_three_levels_is_swept_with_a_line_for_each_of_another(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for size in ("64", "128", "256"):
        for image in ("r1", "r2"):
            benchlab.named(tmp_path / "RFC2544/results" / image, config="on", traffic=size, runs=3)
    first, second = offered(capsys, tmp_path / "RFC2544", tmp_path / "into")
    assert first == "Next: fwdtui compare into/* --by image --baseline image=r1"
    assert second == "  or: fwdtui report into/* --x frame_size --series image"


def test_three_sizes_alone_are_a_sweep_and_two_a_comparison(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for size in ("64", "128"):
        benchlab.named(tmp_path / "RFC2544/results/r1", config="on", traffic=size, runs=3)
    (line,) = offered(capsys, tmp_path / "RFC2544", tmp_path / "two")
    assert line == "Next: fwdtui compare two/on --by frame_size --baseline 'frame_size=64 B'"
    benchlab.named(tmp_path / "RFC2544/results/r1", config="on", traffic="256", runs=3)
    (line,) = offered(capsys, tmp_path / "RFC2544", tmp_path / "three")
    assert line == "Next: fwdtui report three/on --x frame_size"


def test_what_was_not_looked_at_is_compared_as_sessions_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results(tmp_path / "results", ("r1", "r2"), config="on")
    monkeypatch.setattr(next_by_factor, "_MOST_SESSIONS", 1)
    assert offered(capsys, tmp_path / "results", tmp_path / "into") == [
        "Next: fwdtui compare into/r1.on into/r2.on"
    ]


def test_nothing_is_offered_where_nothing_varies(tmp_path, capsys):
    benchlab.named(tmp_path / "results/r1", config="on", traffic="inet4", runs=3)
    assert offered(capsys, tmp_path / "results", tmp_path / "into") == []


def test_more_images_than_stand_side_by_side_are_an_axis(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    images = tuple(f"r{number}" for number in range(1, 10))
    results(tmp_path / "results", images, config="on")
    assert offered(capsys, tmp_path / "results", tmp_path / "nine") == [
        "Next: fwdtui compare nine/* --by af --baseline af=inet4",
        "  or: fwdtui report nine/* --x image --series af",
    ]
    for image in images:
        for old in (tmp_path / "results" / image).glob("*inet6*"):
            old.unlink()
    first, second = offered(capsys, tmp_path / "results", tmp_path / "one")
    assert first.startswith("Next: fwdtui compare one/r") and "--by" not in first
    assert second == "  or: fwdtui report one/* --x image"
