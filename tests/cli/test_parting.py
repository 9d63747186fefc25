"""What leaving the app prints: where the sessions are, and a command that a shell can run as it stands."""

import re
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from in_terminal import run as in_terminal

from fwdtui.cli import headless, main
from fwdtui.cli.parting import following, parting
from fwdtui.core.experiment import Action, DesignFactor, Experiment, LevelSetup
from fwdtui.core.experiment.order import plan
from fwdtui.core.model import Iteration, Planned
from fwdtui.store import SessionWriter, drop, rename
from fwdtui.store.annotations import set_factor
from fwdtui.store.experiment_journal import JOURNAL, JUDGED, Journal, Step


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(name: str, day: int, cases: tuple[str, ...] = ("inet4",), folder: Path | None = None) -> Path:
    """A session of this day in ./sessions, with three iterations of each case."""
    path = (folder or Path("sessions")) / name
    with SessionWriter.create(path, label=name, created=f"2026-01-{day:02d}T03:04:05+00:00") as session:
        for case in cases:
            for value in (1.0e6, 1.01e6, 1.02e6):
                session.begin(case).commit(Iteration(index=0, value=value + 1000.0 * day))
    return path


def after(*recorded: Path) -> list[str]:
    return parting(recorded, [])


def test_nothing_is_said_where_nothing_was_recorded_or_compared(here):
    assert parting([], []) == []
    empty = made("empty", 1, cases=())
    assert parting([empty, here / "gone"], []) == []


def test_one_session_can_be_replayed(here):
    assert after(made("first", 1)) == [f"The sessions are in {here}/sessions", "Next: fwdtui replay first"]


@pytest.mark.parametrize(
    ("kept", "wanted", "valued", "told"),
    [
        (3, 5, 3, "3 of 5 iterations were recorded"),
        (0, 1, 0, "0 of 1 iteration was recorded"),
        (1, 5, 2, "1 of 5 iterations was recorded, and 1 more of a blast that was cut short"),
        (0, 5, 2, "0 of 5 iterations were recorded, and 2 more of blasts that were cut short"),
    ],
)
def test_an_iteration_that_a_signal_cut_short_is_told_since_the_json_has_its_value(
    kept: int, wanted: int, valued: int, told: str
) -> None:
    assert headless.told_of_plan(kept, wanted, valued) == told


@pytest.mark.parametrize("signals", [[], [2]])
def test_without_a_screen_the_last_lines_say_how_it_ended_and_what_comes_next(signals: list[int]) -> None:
    """They follow hundreds of lines of JSON on the same terminal."""
    run = SimpleNamespace(ended="3 of 5 iterations were recorded", signals=signals)
    stopped = " (stopped by a signal)" if signals else ""
    assert headless._HeadlessRun.outcome(run, made("first", 1)) == [  # type: ignore[arg-type]
        f"3 of 5 iterations were recorded{stopped}; the session is sessions/first",
        "Next: fwdtui replay first",
    ]
    assert following(made("empty", 1, cases=())) == "" == following(Path("gone"))


def test_an_experiment_is_compared_by_its_factor():
    session = made("rules", 2, cases=("rules=0", "rules=100"))
    for count in (0, 100):
        set_factor(session, f"rules={count}", "rules", count)
    made("before", 1, cases=("rules=0",))
    assert after(session)[1] == "Next: fwdtui compare before rules"
    (session / JOURNAL).touch()
    assert after(session)[1] == "Next: fwdtui compare sessions/rules --by rules --baseline rules=0"


def test_an_experiment_is_compared_with_the_baseline_of_its_design_as_on_its_screen():
    """In natural order "off" comes before "on", and what is faster would be slower."""
    levels = tuple(LevelSetup(value, apply=(Action("dut", f"set {value}"),)) for value in ("on", "off"))
    design = plan(Experiment("rss", "lab.toml", (DesignFactor("rss", levels),), blocks=3), "d" * 64)
    session = Path("sessions/rss")
    with SessionWriter.create(session, label="rss", created="2026-01-02T03:04:05+00:00") as writer:
        for trial in design.trials:
            planned = Planned("d" * 16, trial.number, trial.block, 1, design.experiment.order)
            cell = design.cells[trial.cell]
            one = Iteration(0, 1e6 + trial.number, planned=planned, factors=cell.factors)
            writer.begin(cell.name).commit(one)
    journal = Journal.begin(session, design, "")
    for trial in design.trials:
        journal.write(Step(0, "", JUDGED, True, sound=True, trial=trial.number, attempt=1))
    journal.close()
    assert after(session)[1] == "Next: fwdtui compare rss"


def test_two_are_compared_the_older_one_is_the_baseline():
    made("old", 1)
    made("before", 2)
    assert after(made("after", 3))[1] == "Next: fwdtui compare before after"


def test_the_session_that_was_created_first_is_the_baseline_whichever_was_recorded_last():
    """In ABBA order by hand the older session gets the last iterations; "faster" must stay "faster"."""
    old = made("old", 1)
    new = made("new", 2)
    assert after(new, old)[1] == after(old, new)[1] == "Next: fwdtui compare old new"


@pytest.mark.parametrize("last", ["base", "new"])
def test_what_was_compared_is_compared_again_whichever_of_it_was_recorded_last(last):
    """Here the candidate on the screen is the older session, and a third one is newer."""
    new, base = made("new", 1), made("base", 2)
    other = made("other", 3)
    how = ["--margin", "2%"]
    recorded = [base, new] if last == "new" else [new, base]
    assert parting(recorded, [base, new], how)[1] == "Next: fwdtui compare base new --margin 2%"
    assert parting([*recorded, other], [base, new], how)[1] == "Next: fwdtui compare base other"


def test_only_sessions_that_can_be_compared_are():
    base = made("base", 1)
    made("other-case", 2, ("pf",))
    made("empty", 3, ())
    Path("sessions/damaged").mkdir()
    Path("sessions/damaged/session.toml").write_text("label =")
    latest = made("latest", 4)
    assert after(latest)[1] == "Next: fwdtui compare base latest"
    for number in (1, 2, 3):
        drop(base, "inet4", number, "spoiled")
    assert after(latest)[1] == "Next: fwdtui replay latest"


def test_a_recording_without_iterations_is_replayed():
    made("base", 1)
    made("latest", 2, ())
    Path("sessions/latest/inet4/001").mkdir(parents=True)
    Path("sessions/latest/inet4/001/iteration.json").write_text("{")
    assert after(Path("sessions/latest"))[1] == "Next: fwdtui replay latest"


def test_what_was_compared_is_said_if_nothing_was_recorded(here):
    both = [made("base", 1), made("new", 2)]
    assert parting([], both) == [f"The sessions are in {here}/sessions", "Next: fwdtui compare base new"]
    one_case = [Path(f"{path}:inet4") for path in both]
    assert parting([], one_case)[1] == "Next: fwdtui compare base:inet4 new:inet4"
    how = ["--by", "image", "--filter", "af=inet 4", "--margin", "5%"]
    assert parting([], both, how)[1] == (
        "Next: fwdtui compare base new --by image --filter 'af=inet 4' --margin 5%"
    )
    both[1].rename(both[1].with_name("renamed"))
    assert parting([], both) == []


@pytest.mark.parametrize(
    "name",
    ["a b", "it's", "$(reboot)", "-n", "a;b", "new\x1b[2J", "é\n", "a:inet4", "`x`", "*", "~", "a\u202eb"],
)
def test_the_command_runs_as_it_stands_whatever_the_names(name, capsys):
    """Shell syntax, options, control characters: a shell makes of the line the session that was meant."""
    base = made("base", 1)
    made("a", 3)
    latest = made(name, 2)
    line = parting([], [base, latest])[1]
    assert line.isprintable()
    words = _words(line.removeprefix("Next: "))
    assert words[:2] == ["fwdtui", "compare"]
    assert main(words[1:]) == 0
    assert "1 012 000" in capsys.readouterr().out  # the median of the session of day 2


def _words(command: str) -> list[str]:
    """The words that a shell makes of a command; they may hold any character but NUL."""
    code = f"printf '%s\\0' {command}"
    written = subprocess.run(["bash", "-c", code], capture_output=True, check=True).stdout
    return written.decode("utf-8", "surrogateescape").split("\0")[:-1]


@pytest.mark.parametrize("taken", ["a value file", "a session", "a label"])
def test_a_name_that_means_something_else_is_written_as_a_path(taken):
    base, latest = made("base", 1), made("latest", 2)
    if taken == "a value file":
        Path("base").write_text("1\n2\n3\n")
    elif taken == "a session":
        made("base", 3, folder=Path())
    else:
        rename(base, "n1")
        rename(made("third", 1, ("pf",)), "base")
    line = after(latest)[1]
    assert shlex.split(line) == ["Next:", "fwdtui", "compare", "sessions/base", "sessions/latest"]


def test_sessions_elsewhere_are_written_in_the_shorter_way(here, tmp_path_factory):
    near = here / "s"
    made("base", 1, folder=near)
    assert after(made("new", 2, folder=near))[1] == "Next: fwdtui compare s/base s/new"
    far = tmp_path_factory.mktemp("far away")
    made("base", 1, folder=far)
    assert after(made("new", 2, folder=far))[1] == f"Next: fwdtui compare base new --sessions '{far}'"


def last_lines(here: Path, *arguments: str, keys: list[tuple[str, bytes]]) -> list[str]:
    """What stands in the terminal after the app has given it back."""
    status, written = in_terminal(*arguments, cwd=here, keys=keys)
    assert status == 0
    after = written.rpartition(b"\x1b[?1049l")[2].decode()
    return re.sub(r"\x1b\[[0-9;?<>]*[a-z]", "", after).split("\r\n")


def test_after_a_comparison_in_the_app_it_stands_in_the_terminal_that_is_given_back(here):
    made("base", 1)
    made("new", 2)
    assert last_lines(here, keys=[("the only two", b"c"), ("inconclusive", b"q")]) == [
        f"The sessions are in {here}/sessions",
        "Next: fwdtui compare base new",
        "",
    ]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ([], "the only two"),
        (["sessions", "sessions", "--tui"], "the only two"),
        (["compare", "base", "new", "--tui"], "inconclusive"),
    ],
    ids=["a look at the list", "one at another folder's", "a comparison that the command asked for"],
)
def test_otherwise_nothing_does(here, arguments, shown):
    made("base", 1)
    made("new", 2)
    assert last_lines(here, *arguments, keys=[(shown, b"q")]) == [""]
