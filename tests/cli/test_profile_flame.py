"""`fwdtui profile flame`: one profile or two in an SVG, never over somebody's own file."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from profiled import add, forwarding

from fwdtui.cli import main
from fwdtui.core.model import Iteration
from fwdtui.core.profile import Profile
from fwdtui.store import SessionWriter, profiles


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sessions: the first has a profile of both cases, the second of one."""
    monkeypatch.chdir(tmp_path)
    for label in ("r1", "r2"):
        with SessionWriter.create(Path("sessions") / label, label=label, created="") as writer:
            for case in ("inet4", "inet6"):
                writer.begin(case).commit(Iteration(0, 1.0e6))
    known = {"packets": 1_000_000, "period": 65536}
    add(Path("sessions/r1"), "inet4", forwarding(20, 30, 100), **known)
    add(Path("sessions/r1"), "inet6", forwarding(20, 30, 100), **known)
    add(Path("sessions/r2"), "inet4", forwarding(40, 10, 200), **known)
    Path("other.folded").write_text(forwarding(40, 10, 200).text())


def drawn(path: str) -> str:
    """All texts of a picture."""
    return "\n".join(ET.parse(path).getroot().itertext())


def flame(*arguments: str) -> int:
    return main(["profile", "flame", *arguments, "--output", "f.svg"])


def test_one_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert flame("r1:inet4") == 0
    assert capsys.readouterr().out == "f.svg\n"
    assert "inet4: r1 #2" in drawn("f.svg") and "1 110 samples that were not idle" in drawn("f.svg")


def test_two_are_compared_per_packet_where_they_were_sampled_alike() -> None:
    assert flame("r1", "r2") == 0
    assert "inet4: r2 #2 against r1 #2" in drawn("f.svg")
    assert "B minus A: +200.0 samples per million packets" in drawn("f.svg")


def test_what_has_no_partner_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert flame("r1", "r2") == 0
    assert capsys.readouterr().err == "fwdtui: r1 inet6 2: the other side has no profile of this case\n"


def test_a_case_is_not_held_against_another_one_unless_both_were_chosen() -> None:
    assert flame("r1:inet6", "r2") == 2
    assert not Path("f.svg").exists()
    assert flame("r1:inet6", "r2:inet4") == 0
    assert "inet6 / inet4: r2 inet4 #2 against r1 inet6 #2" in drawn("f.svg")


def test_two_events_are_told_to_compare_badly() -> None:
    folded = forwarding(40, 10, 200)
    profiles.add(Path("sessions/r2"), "inet6", folded, Profile(folded.samples, tool="perf", event="cycles"))
    told = "They count different events (cpu_clk_unhalted.thread, cycles), so comparing them says little."
    for other, differ in (("r2:inet4", False), ("r2:inet6", True), ("other.folded", False)):
        assert flame("r1:inet4", other) == 0
        assert (told in drawn("f.svg")) == differ


def test_a_file_knows_no_packets_so_shares_are_compared() -> None:
    assert flame("r1:inet4", "other.folded") == 0
    assert "B minus A: +18.02 percentage points" in drawn("f.svg")


def test_a_title_and_one_more_idle_function() -> None:
    assert flame("r1:inet4", "--title", "before the patch", "--idle", "hardclock") == 0
    assert "before the patch: r1 #2" in drawn("f.svg") and "1 090 samples that were not idle" in drawn(
        "f.svg"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["r1"], "r1 has profiles of inet4, inet6: name one as SESSION:CASE"),
        (["r2:inet6"], "r2:inet6: it has no profile"),
        (["r1:inet4", "--output", "f.png"], "ends in .svg"),
        (["r1:inet4", "--output", "nowhere/f.svg"], "nowhere: no such folder"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "flame", "--output", "f.svg", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not Path("f.svg").exists()


def test_links_that_lead_in_a_circle_are_no_place_for_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    Path("f.svg").symlink_to("f.svg")
    assert flame("r1:inet4") == 2
    assert capsys.readouterr().err == "fwdtui: f.svg: Too many levels of symbolic links\n"
    assert sorted(path.name for path in Path().iterdir()) == ["f.svg", "other.folded", "sessions"]


def test_both_with_profiles_of_several_cases_have_to_be_told_which(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add(Path("sessions/r2"), "inet6", forwarding(40, 10, 200))
    assert flame("r1", "r2") == 2
    assert "both have profiles of inet4, inet6: name one" in capsys.readouterr().err


def test_its_own_picture_is_replaced_and_nobody_elses(capsys: pytest.CaptureFixture[str]) -> None:
    assert flame("r1:inet4") == flame("r2:inet4") == 0
    Path("f.svg").write_text("<svg/>")
    assert flame("r1:inet4") == 2
    assert "f.svg: exists" in capsys.readouterr().err
    assert Path("f.svg").read_text() == "<svg/>"
