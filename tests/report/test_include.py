"""What a report may be written without, what it never goes without, and that nothing is left behind."""

import hashlib
from pathlib import Path

import pytest
from hand_made import BASE, FASTER, recorded
from profiled import add, forwarding

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings, SettingsSource
from fwdtui.core.model import Caution, Iteration, Window
from fwdtui.report import bundle
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import PARTS_OF, SECTIONS, Choices
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter

WINDOW = Window("steady", 5.0, 55.0, kept=50, head=5, tail=2)
WARNING = Caution("short", "the window is short")
SIGNS = {
    "charts": "](report.d/medians.svg)",
    "cases": "\n## inet4\n",
    "ministat": "\nx r1: inet4 packets-per-second\n",
    "profiles": "\nFlame graphs (",
    "warnings": "`short`",
    "differences": "\n| image | r1 | r2 |\n",
    "settings": "\n## Settings: what differs\n",
    "method": "\n## Method\n",
    "windows": "\n| session | case | window |",
    "facts": "\n- cpu: Xeon\n",
    "data": "\n## Data\n",
}


@pytest.fixture
def specs(tmp_path: Path) -> list[str]:
    def iterations(values: tuple[float, ...]) -> list[Iteration | None]:
        return [Iteration(0, value, window=WINDOW, warnings=(WARNING,)) for value in values] + [None]

    made = [
        recorded(tmp_path / name, name, {"inet4": iterations(values)}, {"cpu": "Xeon", "image": name})
        for name, values in (("r1", BASE), ("r2", FASTER))
    ]
    for path in made:
        with SessionWriter(path) as writer:
            source = SettingsSource("sysctl", {"net.isr.dispatch": path.name})
            writer.keep_settings(HostSettings("dut", roles=("dut",), sources=(source,)))
    return [str(path) for path in made]


def planned(specs: list[str], out: Path, *without: str) -> bundle.Plan:
    choices = Choices(without=frozenset(without))
    return bundle.plan(out, judge_sides(load_sides(specs)), choices)


def files(folder: Path) -> list[str]:
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return sorted(name for name in found if name.startswith(("report", ".report")))


def test_every_section_can_be_left_out_and_takes_nothing_with_it_but_its_own_parts(
    tmp_path: Path, specs: list[str]
) -> None:
    add(Path(specs[0]), "inet4", forwarding(20, 30, 100))
    whole = planned(specs, tmp_path / "report.md").text
    assert list(SIGNS) == [name for name in SECTIONS if name != "experiment"]  # test_experiments.py
    assert [name for name, sign in SIGNS.items() if sign not in whole] == []
    in_order = [whole.index(sign) for name, sign in SIGNS.items() if PARTS_OF.get(name, name) != "cases"]
    assert in_order == sorted(in_order)  # the choices stand in the order of the document
    parts = {"cases": {"ministat", "profiles"}, "method": {"windows"}}
    for left_out in SIGNS:
        text = planned(specs, tmp_path / "report.md", left_out).text
        gone = {name for name, sign in SIGNS.items() if sign not in text}
        assert gone == {left_out} | parts.get(left_out, set())


def test_verdicts_what_was_left_out_and_the_number_of_warnings_are_always_told(
    tmp_path: Path, specs: list[str]
) -> None:
    text = planned(specs, tmp_path / "report.md", *SECTIONS).text
    assert text.startswith(
        "# Comparing r2 with r1: forwarding performance\n\n1 comparison: 1 faster.\n\n| case "
    )
    assert "\n## Left out of the statistics\n\n- r1, inet4: iteration 6: unfinished" in text
    told = planned(specs, tmp_path / "report.md").text.partition("## Warnings\n\n")[2].partition("\n\n")[0]
    assert f"\n{len(told.splitlines())} warnings left out of this report.\n" in text


def test_without_charts_and_data_there_is_no_folder_beside_the_document(
    tmp_path: Path, specs: list[str]
) -> None:
    bundle.carry_out(planned(specs, tmp_path / "report.md", "charts", "data"))
    assert files(tmp_path) == ["report.md"]
    assert not (tmp_path / "report.d").exists()


def test_what_an_earlier_report_wrote_and_the_new_one_lacks_goes_and_everything_else_stays(
    tmp_path: Path, specs: list[str]
) -> None:
    out = tmp_path / "report.md"
    bundle.carry_out(planned(specs, out))
    (tmp_path / "report.d" / "mine.pps").write_text("# fwdtui report\nmade by hand from one\n1\n")
    (tmp_path / "report.d" / "notes.txt").write_text("mine\n")
    bundle.carry_out(planned(specs, out, "cases", "data"))
    assert files(tmp_path) == ["report.d/medians.svg", "report.d/mine.pps", "report.d/notes.txt", "report.md"]


def test_a_folder_that_a_new_report_does_not_need_any_more_goes(tmp_path: Path, specs: list[str]) -> None:
    out = tmp_path / "report.md"
    bundle.carry_out(planned(specs, out, "charts"))
    assert (tmp_path / "report.d").is_dir()
    bundle.carry_out(planned(specs, out, "charts", "data"))
    assert not (tmp_path / "report.d").exists()


def test_a_link_out_of_the_folder_in_an_earlier_report_removes_nothing(
    tmp_path: Path, specs: list[str]
) -> None:
    out = tmp_path / "report.md"
    other = tmp_path / "other.pps"
    other.write_text("# fwdtui report\n1\n")
    bundle.carry_out(planned(specs, out, "charts"))
    # as a report of ours would link to it if a name could lead out of its folder
    links = "[a](report.d/../other.pps) [b](other.pps) [c](%2e%2e/other.pps) [d](report.d/)\n"
    text = links + out.read_text().partition("<!--")[0]
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    out.write_text(f"{text}<!-- written by fwdtui report, sha256 {mark} -->\n")
    assert bundle.is_ours(out)
    bundle.carry_out(planned(specs, out, "charts", "data"))
    assert other.exists()


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("at", range(8))
def test_a_report_that_is_stopped_leaves_nothing_and_the_earlier_one_as_it_was(
    tmp_path: Path, specs: list[str], at: int
) -> None:
    told: list[str] = []

    def stop(done: int, total: int, what: str) -> None:
        if len(told) == at:
            raise StoppedError
        told.append(what)

    out = tmp_path / "report.md"
    if at == 7:  # two charts drawn, five files staged: that is all there is to stop
        bundle.carry_out(planned(specs, out), progress=stop)
        assert len(told) == 7
        return
    with pytest.raises(StoppedError):
        bundle.carry_out(planned(specs, out), progress=stop)
    assert files(tmp_path) == []
    assert not (tmp_path / "report.d").exists()
    bundle.carry_out(planned(specs, out))
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    told.clear()
    with pytest.raises(StoppedError):
        bundle.carry_out(planned(specs, out), progress=stop)
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("report.md", "# mine\n\nMade with fwdtui.\n"),
        ("report.md", ""),
        ("report.d/r1.inet4.pps", "# made by fwdtui\n1\n"),
        ("report.d/medians.svg", "<svg><title>fwdtui</title></svg>"),
    ],
)
def test_a_file_that_only_speaks_of_fwdtui_is_somebodys_own(
    tmp_path: Path, specs: list[str], name: str, text: str
) -> None:
    (tmp_path / "report.d").mkdir()
    (tmp_path / name).write_text(text)
    plan = planned(specs, tmp_path / "report.md")
    if not plan.charts and name.endswith(".svg"):
        pytest.skip("no charts are drawn")
    with pytest.raises(FwdtuiError, match=r"exists and was not written by fwdtui report"):
        bundle.carry_out(plan)
    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize("at", ["## inet4", "<!-- written", None])
def test_a_report_with_words_of_ones_own_in_it_is_somebodys_own(
    tmp_path: Path, specs: list[str], at: str | None
) -> None:
    out = tmp_path / "report.md"
    bundle.carry_out(planned(specs, out))
    text, own = out.read_text(), "What I think of it.\n\n"
    out.write_text(text.replace(at, own + at, 1) if at else text + own)
    with pytest.raises(FwdtuiError, match=r"report\.md: exists"):
        bundle.carry_out(planned(specs, out))


def test_something_that_is_no_file_is_refused_without_waiting_for_it(
    tmp_path: Path, specs: list[str]
) -> None:
    import os

    out = tmp_path / "report.md"
    os.mkfifo(out)
    with pytest.raises(FwdtuiError, match=r"report\.md: exists"):
        bundle.carry_out(planned(specs, out))
