"""What else writes files says so on a full disk and on one that may only be read, and leaves the old."""

import subprocess
import sys
from pathlib import Path

import pytest
from fixtures import benchlab
from small_disk import SmallDisk

from fwdtui.cli import main
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Experiment, Plan
from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter, annotate, discard, read_annotations, read_session
from fwdtui.store.benchlab import import_tree
from fwdtui.store.experiment_journal import Journal
from fwdtui.ui.common import state
from fwdtui.ui.sessions import examples


@pytest.fixture
def session(small_disk: SmallDisk) -> Path:
    folder = small_disk.folder / "sessions/s"
    with SessionWriter.create(folder, label="s", created="2026-01-02T03:04:05+00:00") as writer:
        for value in (1000.0, 1001.0, 1002.0):
            writer.begin("v4").commit(Iteration(0, value))
    annotate(folder, "before")
    return folder


@pytest.fixture(params=["full", "read-only"])
def broken(request, small_disk: SmallDisk, session: Path):
    """The disk as it is broken, and the reason."""
    if request.param == "full":
        small_disk.fill()
        yield "No space left on device"
    else:
        small_disk.read_only()
        yield "Read-only file system"
        small_disk.writable()


def test_annotations_say_so_and_stay_as_they_were(session, broken):
    with pytest.raises(FwdtuiError, match=broken):
        annotate(session, "after " * 2000)
    assert read_annotations(session).note == "before"
    assert [path.name for path in session.iterdir() if path.name.endswith(".tmp")] == []


def test_deleting_says_so_or_is_whole(session, broken):
    if broken.startswith("Read-only"):
        with pytest.raises(FwdtuiError, match=f"not deleted: {broken}"):
            discard(session)
        assert len(read_session(session).cases) == 1
    else:  # a rename needs no room
        assert len(read_session(discard(session)).cases) == 1


def test_a_report_says_so_and_leaves_nothing(session, broken, small_disk):
    out = small_disk.folder / "report.md"
    command = [sys.executable, "-m", "fwdtui", "report", str(session), str(session), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2 and broken in done.stderr, done
    assert not out.exists() and not out.with_suffix(".d").exists()


def test_a_journal_that_cannot_be_begun_says_in_which_folder(session, broken):
    plan = Plan(Experiment("rules", "lab.toml", ()), "c" * 64, (), ())
    with pytest.raises(OSError, match=broken) as found:
        Journal.begin(session, plan, "# an experiment\n" * 1000)
    assert Path(found.value.filename).is_relative_to(session)


def test_an_import_says_so_and_leaves_nothing(tmp_path_factory, session, broken, small_disk, monkeypatch):
    tree = benchlab.forwarding(tmp_path_factory.mktemp("tree"))
    monkeypatch.chdir(small_disk.folder)
    with pytest.raises(OSError, match=f"{broken}: 'imported'"):
        import_tree(tree, Path("imported"))
    assert list((small_disk.folder / "imported").glob("*")) == []


def test_a_profile_that_is_imported_says_so_and_adds_nothing(
    tmp_path_factory, session, broken, small_disk, capsys
):
    graph = tmp_path_factory.mktemp("profile") / "x.graph"
    graph.write_text("@ x [9 samples]\n\n100.0%  [9]   b\n 100.0%  [9]    a\n")
    assert main(["profile", "import", str(graph), str(session), "--case", "v4"]) == 2
    assert capsys.readouterr().err == f"fwdtui: {session}: {broken}\n"
    found = read_session(session)
    assert len(found.cases[0].iterations) == 3 and found.problems == ()


def test_the_app_s_memory_says_so(session, broken, small_disk):
    memory = state.Memory(small_disk.folder / "state.json")
    memory.change(sessions="x" * 10_000)
    assert broken in memory.problem


def test_the_examples_are_shown_from_their_originals_and_it_is_said(session, broken, small_disk, monkeypatch):
    monkeypatch.setattr(examples, "place", lambda: small_disk.folder / "examples")
    folder, told = examples.at_hand(small_disk.folder / "examples")
    assert folder == examples.shipped() and broken in told
    assert not (small_disk.folder / "examples").exists()
