"""The files of an ssh_config are found as asyncssh would find them, and nothing in them is obeyed."""

from pathlib import Path

import asyncssh
import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport.ssh_files import configuration, is_own


def names(path: Path) -> list[str]:
    return sorted(file.path.name for file in configuration(path))


SPELLINGS = [
    "Include {0}/one {0}/two",
    "  include   {0}/one   {0}/two  ",
    "INCLUDE={0}/one {0}/two",
    "Include = {0}/one {0}/two",
    "Include ={0}/one {0}/two",
    "Include= {0}/one {0}/two",
    '"Include" "{0}/one" \'{0}/two\'',
    "In\\clude {0}/one {0}/two",
    "Include {0}/o*e {0}/t?o",
    "Host other\n Include {0}/one {0}/two",
    "Match host other\n\tInclude\t{0}/one {0}/two",
    "Host x\rInclude {0}/one {0}/two",
    "=Include {0}/one {0}/two",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_what_asyncssh_would_read_is_found_however_it_is_spelled(text, tmp_path, monkeypatch):
    (tmp_path / "one").write_text("Port 1\n")
    (tmp_path / "two").write_text("User 2\n")
    main = tmp_path / "main"
    main.write_text(
        text.format(tmp_path).replace("Host other", "Host *").replace("host other", "host *") + "\n"
    )
    opened: list[str] = []
    parse = asyncssh.config.SSHConfig.parse

    def watched(self, path: Path) -> None:
        opened.append(path.name)
        parse(self, path)

    monkeypatch.setattr(asyncssh.config.SSHConfig, "parse", watched)
    asyncssh.SSHClientConnectionOptions(config=[main], host="x", known_hosts=b"", client_keys=None)
    assert sorted(opened) == ["main", "one", "two"]
    assert names(main) == ["main", "one", "two"]


def test_files_for_other_hosts_and_includes_in_a_circle_are_found_once(tmp_path):
    (tmp_path / "main").write_text(f"Host never\n Include {tmp_path}/next\n")
    (tmp_path / "next").write_text(f"Include {tmp_path}/main\n")
    assert names(tmp_path / "main") == ["main", "next"]


def test_nothing_is_run_by_looking(tmp_path):
    (tmp_path / "main").write_text(f'Match exec "touch {tmp_path}/ran"\n ProxyCommand touch {tmp_path}/ran\n')
    assert names(tmp_path / "main") == ["main"]
    assert not (tmp_path / "ran").exists()


def test_a_file_that_nobody_could_read_is_refused(tmp_path):
    (tmp_path / "main").write_text("#" * (1 << 20) + "\n")
    with pytest.raises(FwdtuiError, match="larger than 1 MiB"):
        configuration(tmp_path / "main")
    (tmp_path / "many").mkdir()
    for number in range(101):
        (tmp_path / "many" / str(number)).write_text("")
    (tmp_path / "main").write_text(f"Include {tmp_path}/many/*\n")
    with pytest.raises(FwdtuiError, match="more than 100 files"):
        configuration(tmp_path / "main")


def test_the_users_own_files_are_those_in_his_own_folders(tmp_path):
    home = Path.home()
    for folder in (".ssh", ".config/fwdtui"):
        (home / folder).mkdir(parents=True)
    (tmp_path / "clone").write_text("")
    (home / ".ssh" / "config").write_text("Include other\n")
    (home / ".ssh" / "other").write_text("")
    assert is_own(home / ".ssh" / "config") and is_own(home / ".config" / "fwdtui" / "lab.toml")
    assert configuration(home / ".ssh" / "config") == ()
    (home / ".ssh" / "linked").symlink_to(tmp_path / "clone")
    assert is_own(home / ".ssh" / "linked"), "the user made the link"
    assert not is_own(tmp_path / "clone")
    assert not is_own(home / ".ssh" / ".." / "clone")
    assert not is_own(home / ".sshd" / "config")
    assert not is_own(home / ".ssh" / ".." / ".." / tmp_path.name / "clone")
