"""Accepted keys go to fwdtui's own file, safely; a changed key cannot be accepted at all."""

import os
import stat
import threading
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport.errors import ChangedHostKey, UnknownHostKey
from fwdtui.transport.known_hosts import accept, accepted_path


def unknown(name: str = "dut") -> UnknownHostKey:
    return UnknownHostKey(name, name, 22, "ssh-ed25519", "SHA256:abc", name, "ssh-ed25519 AAAA")


def test_the_file_is_in_the_state_folder_of_the_user() -> None:
    assert accepted_path() == Path(os.environ["XDG_STATE_HOME"]) / "fwdtui" / "known_hosts"
    assert accept(unknown()) == accepted_path()
    assert accepted_path().read_text() == "dut ssh-ed25519 AAAA\n"


def test_only_the_user_can_read_or_change_it(tmp_path: Path) -> None:
    file = tmp_path / "state" / "known_hosts"
    accept(unknown(), file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.chmod(0o666)
    accept(unknown("gen"), file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_new_file_is_never_open_to_others_not_even_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corrected: list[int] = []
    monkeypatch.setattr(os, "fchmod", lambda descriptor, mode: corrected.append(mode))
    accept(unknown(), tmp_path / "known_hosts")
    assert corrected == [] and stat.S_IMODE((tmp_path / "known_hosts").stat().st_mode) == 0o600


def test_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("kept")
    (tmp_path / "known_hosts").symlink_to(target)
    with pytest.raises(FwdtuiError, match="known_hosts: cannot save the host key"):
        accept(unknown(), tmp_path / "known_hosts")
    assert target.read_text() == "kept"
    # nor is there a way through a file where the folder should be
    with pytest.raises(FwdtuiError, match="fwdtui/known_hosts: cannot save the host key: Not a directory"):
        accept(unknown(), target / "fwdtui" / "known_hosts")


@pytest.mark.parametrize("torn", ["gen ssh-ed2", "g"])
def test_a_torn_last_line_does_not_swallow_the_next_one(tmp_path: Path, torn: str) -> None:
    file = tmp_path / "known_hosts"
    file.write_text(torn)
    accept(unknown(), file)
    accept(unknown("sink"), file)
    assert file.read_text() == f"{torn}\ndut ssh-ed25519 AAAA\nsink ssh-ed25519 AAAA\n"


def test_a_key_that_is_not_sure_to_be_on_disk_is_not_called_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(FwdtuiError, match="known_hosts: cannot save the host key: Input/output error"):
        accept(unknown(), tmp_path / "known_hosts")


def test_instances_that_accept_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    names = [f"host{n}" for n in range(40)]
    threads = [threading.Thread(target=accept, args=(unknown(name), file)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(line.split()[0] for line in file.read_text().splitlines()) == sorted(names)


def test_a_changed_key_cannot_be_accepted(tmp_path: Path) -> None:
    changed = ChangedHostKey("dut", "dut", 22, "ssh-ed25519", "SHA256:new", "SHA256:old", "dut")
    assert not isinstance(changed, UnknownHostKey)
    with pytest.raises(TypeError):
        accept(changed, tmp_path / "known_hosts")  # type: ignore[arg-type]
    assert not (tmp_path / "known_hosts").exists()


def test_a_full_disk_is_an_error_and_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "known_hosts"
    accept(unknown("gen"), file)
    real = os.write
    # a write to a disk that fills up returns less and raises nothing
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:5]))
    with pytest.raises(FwdtuiError, match="the disk is full"):
        accept(unknown(), file)
    assert file.read_text() == "gen ssh-ed25519 AAAA\n"
