"""What a session's writer puts where, and what it does if it cannot."""

import errno
import gc
import os
import shutil
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.findings import HostFindings
from fwdtui.core.model import Fact, Iteration, RateSample
from fwdtui.store import SessionWriter, annotations, lock, opening, read_samples, read_session

CREATED = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "base"


@pytest.fixture
def writer(folder: Path) -> SessionWriter:
    return SessionWriter.create(folder, label="base", created=CREATED)


def sample(t: float) -> RateSample:
    return RateSample("receiver", t, 1.0, 1000.0)


def opened() -> int:
    """How many files this process has open, without what earlier tests left to be collected."""
    gc.collect()
    return len(list(Path("/dev/fd").iterdir()))


def test_a_case_may_be_called_as_the_file_of_what_was_found_on_the_hosts(
    writer: SessionWriter, folder: Path
) -> None:
    writer.keep_hygiene([HostFindings("dut", ("dut",), CREATED, ())])  # a recording begins with it
    writer.begin("hygiene.json").commit(Iteration(0, 1000.0))
    writer.close()
    session = read_session(folder)
    assert [case.name for case in session.cases] == ["hygiene.json"] and not session.problems
    assert len(session.hygiene) == 1


# numbers


@pytest.mark.parametrize(
    ("there", "number"),
    [
        ([], "001"),
        (["001"], "002"),
        (["001", "003"], "004"),  # a number is never used again
        (["7"], "008"),
        (["999"], "1000"),
        (["999999998"], "999999999"),
        (["9999999999", "x", "-1", "\u0663"], "001"),  # these are no iterations
    ],
)
def test_the_next_iteration_has_the_next_number(
    writer: SessionWriter, folder: Path, there: list[str], number: str
) -> None:
    for name in there:
        (folder / "v4" / name).mkdir(parents=True)
    writing = writer.begin("v4")
    assert writing.folder == folder / "v4" / number and writing.index == int(number)
    writing.commit(Iteration(0, 1.0))
    writer.close()
    assert read_session(folder).cases[0].iterations[-1].value == 1.0


def test_the_number_of_an_iteration_that_was_dropped_and_then_removed_is_not_given_again(
    writer: SessionWriter, folder: Path
) -> None:
    """Else the next iteration would be dropped for a reason that it has nothing to do with."""
    for value in (1.0, 2.0):
        writer.begin("v4").commit(Iteration(0, value))
    writer.close()
    annotations.drop(folder, "v4", 2, "the cable was touched")
    annotations.drop(folder, "v4", 999_999_999, "mistyped")
    shutil.rmtree(folder / "v4" / "002")
    with SessionWriter(folder) as further:
        writing = further.begin("v4")
        assert writing.index == 3
        writing.commit(Iteration(0, 3.0))
        assert further.begin("v6").index == 1
    assert [(one.index, one.dropped) for one in read_session(folder).cases[0].iterations] == [
        (1, ""),
        (3, ""),
    ]


def test_the_folder_of_a_new_case_is_durable_before_there_is_anything_in_it(
    writer: SessionWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    sync = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda one: (synced.append(Path(f"/dev/fd/{one}").resolve().name), sync(one))[1]
    )
    writer.begin("v4")
    assert synced == ["base", "v4"]
    writer.begin("v4")
    assert synced == ["base", "v4", "v4"]
    writer.close()


def test_a_case_is_listed_once_however_many_iterations_it_gets(
    writer: SessionWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[int] = []
    names = opening.names
    monkeypatch.setattr(opening, "names", lambda one: (listed.append(one), names(one))[1])
    assert [writer.begin("v4").index for _ in range(9)] == list(range(1, 10))
    assert len(listed) == 1
    # what somebody else put there is found, and a number that became free is used again
    (folder / "v4" / "010").mkdir()
    last = writer.begin("v4")
    assert last.index == 11
    last.withdraw()
    assert writer.begin("v4").index == 11


def test_where_no_number_is_left_nothing_is_written_that_nobody_would_read(
    writer: SessionWriter, folder: Path
) -> None:
    """A reader takes a folder of ten digits for no iteration."""
    (folder / "v4" / "999999999").mkdir(parents=True)
    before = opened()
    with pytest.raises(FwdtuiError, match=r"base/v4: there is no number after 999999999$"):
        writer.begin("v4")
    assert [path.name for path in (folder / "v4").iterdir()] == ["999999999"] and opened() == before
    assert writer.begin("v6").index == 1
    writer.close()


@pytest.mark.parametrize(
    ("there", "number"),
    [
        ([], "001"),
        (["recording-001.jsonl", "recording-003.jsonl"], "004"),
        (["recording-999.jsonl"], "1000"),
        (["recording-07.jsonl", "recording-5.jsonl", "my recording-900.jsonl"], "001"),
    ],
)
def test_the_next_recording_has_the_next_number(
    writer: SessionWriter, folder: Path, there: list[str], number: str
) -> None:
    for name in there:
        (folder / name).touch()
    appender = writer.record()
    appender.close()
    assert (folder / f"recording-{number}.jsonl").stat().st_size > 0
    writer.close()


def test_the_name_of_a_recording_is_durable_or_there_is_none(
    writer: SessionWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is synced in a file whose name is not on disk is lost with the power."""
    before, sync, names = opened(), os.fsync, []

    def failing(descriptor: int) -> None:
        names.append(Path(f"/dev/fd/{descriptor}").resolve().name)
        assert (folder / "recording-001.jsonl").exists()
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output error"):
        writer.record()
    assert names == ["base"] and opened() == before and not [*folder.glob("recording-*")]
    monkeypatch.setattr(os, "fsync", sync)
    writer.record().close()
    assert [path.name for path in folder.glob("recording-*")] == ["recording-001.jsonl"]
    writer.close()


def test_everything_is_the_users_own(writer: SessionWriter, folder: Path) -> None:
    writing = writer.begin("v4")
    writing.attach("receiver.log", b"x")
    writing.append(sample(1.0))
    writing.commit(Iteration(0, 1.0))
    writer.close()
    modes = {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in (folder, folder / "v4", folder / "v4/001")}
    assert (modes, folders) == ({0o600}, {0o700})


# an iteration


def test_without_its_commit_nothing_counts_and_nothing_is_lost(writer: SessionWriter, folder: Path) -> None:
    writing = writer.begin("v4")
    writing.append(sample(1.0))
    writing.append(sample(2.0))
    writing.sync()
    writing.close()
    writing.close()
    writer.close()
    (iteration,) = read_session(folder).cases[0].iterations
    assert not iteration.complete and iteration.value is None
    assert read_samples(folder / "v4/001").samples == (sample(1.0), sample(2.0))


@pytest.mark.parametrize("name", ["samples.jsonl", "iteration.json"])
def test_a_raw_log_cannot_have_the_name_of_a_file_of_the_iteration(writer: SessionWriter, name: str) -> None:
    writing = writer.begin("v4")
    with pytest.raises(FwdtuiError, match=f"a raw log cannot be named {name}"):
        writing.attach(name, b"x")
    writing.attach("other.log", b"x")
    with pytest.raises(FileExistsError):
        writing.attach("other.log", b"y")
    writer.close()


def test_an_iteration_that_is_withdrawn_leaves_nothing(writer: SessionWriter, folder: Path) -> None:
    before = opened()
    writing = writer.begin("v4")
    writing.append(sample(1.0))
    writing.attach("a.log", b"x")
    writing.withdraw()
    assert list((folder / "v4").iterdir()) == [] and opened() == before
    assert writer.begin("v4").index == 1
    writer.close()


def test_an_iteration_that_could_not_be_taken_back_does_not_count_beside_the_one_that_is_written_again(
    writer: SessionWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk failed when only the folder was not durable yet, and became read-only, as ext4 does it."""
    before = opened()

    def failing(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    writing = writer.begin("v4")
    writing.append(sample(1.0))
    with monkeypatch.context() as broken:
        broken.setattr("fwdtui.store.atomic.sync_folder", failing)
        broken.setattr(os, "unlink", failing)
        broken.setattr(os, "rmdir", failing)
        with pytest.raises(OSError, match="Read-only"):
            writing.commit(Iteration(0, 1000.0))
        writing.withdraw()
        with pytest.raises(OSError, match="Read-only"):
            writer.begin("v4")
    again = writer.begin("v4")
    again.append(sample(1.0))
    again.commit(Iteration(0, 1000.0))
    session = read_session(folder)
    assert [one.value for case in session.cases for one in case.iterations] == [1000.0]
    assert session.problems == () and opened() == before
    writer.close()


def test_what_was_withdrawn_and_is_gone_with_its_case_holds_nothing_up(
    writer: SessionWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    writing = writer.begin("v4")
    with monkeypatch.context() as broken:
        broken.setattr(os, "unlink", failing)
        writing.withdraw()
    shutil.rmtree(folder / "v4")
    assert writing.is_open and writer.begin("v4").index == 1 and not writing.is_open
    writer.close()


def test_an_iteration_that_cannot_be_made_durable_leaves_nothing_however_often_it_is_begun(
    writer: SessionWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails may make folders all the same; a recorder tries again once a second."""
    writer.begin("v4").commit(Iteration(0, 1000.0))
    before = opened()

    def failing(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", failing)
        for _ in range(3):
            for case in ("v4", "v6"):
                with pytest.raises(OSError, match="Input/output error"):
                    writer.begin(case)
    assert not (folder / "v6").exists()
    assert opened() == before and [path.name for path in (folder / "v4").iterdir()] == ["001"]
    writing = writer.begin("v4")
    assert writing.index == 2
    writing.commit(Iteration(0, 1001.0))
    assert read_session(folder).problems == ()


def test_closing_the_session_closes_its_iterations_and_its_lock(writer: SessionWriter, folder: Path) -> None:
    before = opened()
    for _ in range(3):
        writer.begin("v4").append(sample(1.0))
    assert lock.is_held(folder / ".lock")
    writer.close()
    writer.close()
    assert opened() < before and not (folder / ".lock").exists()


def test_a_session_that_cannot_be_opened_is_left_as_it_was(folder: Path) -> None:
    SessionWriter.create(folder, label="base", created=CREATED).close()
    before = opened()
    with SessionWriter(folder), pytest.raises(FwdtuiError, match="another fwdtui is writing"):
        SessionWriter(folder)
    (folder / "session.toml").write_text("label = ")
    with pytest.raises(FwdtuiError):
        SessionWriter(folder)
    assert opened() == before and not (folder / ".lock").exists()


def test_a_session_that_cannot_be_made_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = opened()

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="No space left"):
        broken.setattr(os, "write", full)
        SessionWriter.create(folder, label="base", created=CREATED)
    assert not folder.exists() and opened() == before


# room


@pytest.mark.parametrize("what", ["too large to be read", "not durable"])
def test_a_session_that_fails_once_its_file_is_there_leaves_nothing_either(
    folder: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    facts: dict[str, Fact] = {}
    if what == "not durable":
        monkeypatch.setattr("fwdtui.store.writer.sync_folder", refused)
    else:
        facts = {"dut.sysctl.kern.geom.confxml": "x" * opening.TEXT_MOST}
    before = opened()
    with pytest.raises(OSError):
        SessionWriter.create(folder, label="base", created=CREATED, facts=facts)
    assert opened() == before and list(folder.parent.iterdir()) == []
    monkeypatch.undo()
    SessionWriter.create(folder, label="base", created=CREATED).close()


def refused(folder: Path) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_room_is_there_or_not(writer: SessionWriter, folder: Path) -> None:
    free = os.statvfs(folder)
    writer.check_room(1000)
    (folder / ".room").write_text("left by a writer that was killed")
    writer.check_room(1000)
    assert not (folder / ".room").exists()
    with pytest.raises(OSError, match="No space left on device"):
        writer.check_room(free.f_bavail * free.f_frsize * 2)
    writer.close()


@pytest.mark.parametrize(("size", "enough"), [(4096 * 10, True), (4096 * 10 + 1, False)])
def test_what_is_free_for_users_is_what_counts(
    writer: SessionWriter, monkeypatch: pytest.MonkeyPatch, size: int, enough: bool
) -> None:
    """Not what is kept for root."""
    real = os.fstatvfs(writer._open.descriptor)
    told = os.statvfs_result((*real[:1], 4096, real[2], 1000, 10, *real[5:]))
    monkeypatch.setattr(os, "fstatvfs", lambda descriptor: told)
    if enough:
        writer.check_room(size)
    else:
        with pytest.raises(OSError, match="No space left"):
            writer.check_room(size)
    writer.close()


# where the session is


def test_what_happened_to_the_folder_is_told_once(writer: SessionWriter, folder: Path) -> None:
    assert writer.follow() is None
    moved = folder.rename(folder.with_name("moved"))
    found = writer.follow()
    assert found is not None and not found.lost and writer.folder == moved
    assert found.text == f"{folder} was renamed; recording goes on in {moved}"
    assert writer.follow() is None
    writer.close()


def test_a_session_file_that_is_gone_is_written_again_and_that_is_a_loss(
    writer: SessionWriter, folder: Path
) -> None:
    before = (folder / "session.toml").read_bytes()
    (folder / "session.toml").unlink()
    found = writer.follow()
    assert found is not None and found.lost and (folder / "session.toml").read_bytes() == before
    assert found.text == (
        f"{folder}/session.toml was deleted, and perhaps more; recording goes on in {folder}"
    )
    writer.close()


@pytest.mark.parametrize(
    ("taken", "name"), [([], "base"), (["base"], "base-2"), (["base", "base-2"], "base-3")]
)
def test_a_folder_that_is_gone_is_made_again_beside_what_has_its_name(
    writer: SessionWriter, folder: Path, taken: list[str], name: str
) -> None:
    shutil.rmtree(folder)
    for other in taken:
        folder.with_name(other).mkdir()
    found = writer.follow()
    assert found is not None and found.lost and writer.folder == folder.with_name(name)
    assert found.text == (
        f"{folder} was deleted, with what was recorded in it; recording goes on in {writer.folder}"
    )
    assert lock.is_held(writer.folder / ".lock") and writer.follow() is None
    writer.begin("v4").commit(Iteration(0, 5.0))
    writer.close()
    assert read_session(folder.with_name(name)).cases[0].iterations[0].value == 5.0
    assert all(list(folder.with_name(other).iterdir()) == [] for other in taken)


def test_the_folders_around_a_session_are_made_too(tmp_path: Path) -> None:
    folder = tmp_path / "one" / "two" / "base"
    writer = SessionWriter.create(folder, label="base", created=CREATED)
    shutil.rmtree(tmp_path / "one")
    found = writer.follow()
    assert found is not None and found.lost and writer.folder == folder
    writer.close()
    assert read_session(folder).label == "base"


def test_an_iteration_without_samples_has_none_to_sync(writer: SessionWriter, folder: Path) -> None:
    writing = writer.begin("v4")
    writing.sync()
    writing.commit(Iteration(0, 1.0))
    writer.close()
    assert [path.name for path in (folder / "v4/001").iterdir()] == ["iteration.json"]
