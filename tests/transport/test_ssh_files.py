"""The files of an ssh_config are those that a connection reads, and nothing in them is obeyed."""

import os
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport import ssh_files
from fwdtui.transport.destination import Destination
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh_files import TextFile, configuration, is_own, read
from fwdtui.transport.wire import ssh_config
from fwdtui.transport.wire.config import resolve


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
    "Include {0}/one {0}/two # Bob's, not {0}/three",
    "In\\clude {0}/three\nInclude {0}/one {0}/two",  # no option of ssh
    "Include {0}/o*e {0}/t?o",
    "Host other\n Include {0}/one {0}/two",
    "Match host other\n\tInclude\t{0}/one {0}/two",
    "=Include {0}/one {0}/two",
    "= Include {0}/one {0}/two",
    "Include {0}/one {0}/two # {0}/three",
    "Include {0}/one {0}/two\r",
    "Host x\rInclude {0}/three\nHost *\n Include {0}/one {0}/two",  # a CR alone ends no line, as in ssh
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_what_a_connection_reads_is_found_however_it_is_spelled(text, tmp_path, monkeypatch):
    (tmp_path / "one").write_text("Port 1\n")
    (tmp_path / "two").write_text("User 2\n")
    (tmp_path / "three").write_text("User 3\n")
    main = tmp_path / "main"
    main.write_text(
        text.format(tmp_path).replace("Host other", "Host *").replace("host other", "host *") + "\n"
    )
    assert opened(main, monkeypatch) == ["main", "one", "two"]
    assert names(main) == ["main", "one", "two"]


def opened(main: Path, monkeypatch) -> list[str]:
    """The files that are read for a connection, in their order."""
    found: list[str] = []
    parse = ssh_config.Reader.parse

    def watched(self, path: Path) -> None:
        found.append(path.name)
        parse(self, path)

    monkeypatch.setattr(ssh_config.Reader, "parse", watched)
    ssh_config.read([main], Destination("x"), "me")
    return found


def test_the_files_of_a_folder_are_shown_and_read_in_sshs_order_and_hidden_ones_are_not(
    tmp_path, monkeypatch
):
    """The first value counts, so the order decides which machine is reached. An editor's files are hidden."""
    folder = tmp_path / "d"
    folder.mkdir()
    for name in ("b", "a-b", "_", "B", ".b.swp", "a"):
        (folder / name).write_text("")
    (folder / "c").mkdir()
    (tmp_path / "main").write_text(f"Include {folder}/*\n")
    assert opened(tmp_path / "main", monkeypatch) == ["main", "B", "_", "a", "a-b", "b"]
    assert [file.path.name for file in configuration(tmp_path / "main")] == [
        "main",
        "B",
        "_",
        "a",
        "a-b",
        "b",
    ]


@pytest.mark.parametrize(
    ("words", "option", "rest"),
    [
        (["Include", "a", "b"], "include", ["a", "b"]),
        (["Include=a", "b"], "include", ["a", "b"]),
        (["Include", "=a", "b"], "include", ["a", "b"]),
        (["Include=", "a", "b"], "include", ["a", "b"]),
        (["Include", "=", "a", "b"], "include", ["a", "b"]),
        (["=Include", "a"], "include", ["a"]),
        (["Include=a=b", "c=d"], "include", ["a=b", "c=d"]),
        (["Include", "a", "=b", "c="], "include", ["a", "=b", "c="]),  # from the second word on as they are
        (["Include"], "include", []),
        (["=", "Include"], "include", []),
        (["="], "", []),
    ],
)
def test_an_equals_sign_separates_only_before_the_first_value(words, option, rest):
    assert ssh_files._option(words) == (option, rest)


def test_files_for_other_hosts_and_includes_in_a_circle_are_found_once(tmp_path):
    (tmp_path / "main").write_text(f"Host never\n Include {tmp_path}/next\n")
    (tmp_path / "next").write_text(f"Include {tmp_path}/main\n")
    assert names(tmp_path / "main") == ["main", "next"]


@pytest.mark.parametrize(
    "name",
    ["{0}/hosts", "${{FOLDER}}/hosts", "{0}/100%%", "{0}/of-%i", '"{0}/with blank"', "/dev/null {0}/hosts"],
)
def test_the_files_of_host_keys_are_those_that_a_connection_looks_into(name, tmp_path, monkeypatch):
    monkeypatch.setenv("FOLDER", str(tmp_path))
    for file in ("hosts", "100%", f"of-{os.getuid()}", "with blank"):
        (tmp_path / file).write_text("")
    (tmp_path / "main").write_text(f"UserKnownHostsFile {name.format(tmp_path)}\n")
    resolved = resolve(Destination("x"), SshSettings(tmp_path / "main", accepted=tmp_path / "accepted"))
    looked_into = [path for path in resolved.known_hosts if path.is_file() and not is_own(path)]
    assert [file.path for file in configuration(tmp_path / "main")[1:]] == looked_into != []


def test_a_file_of_host_keys_that_only_the_host_tells_is_refused_except_in_the_users_own_folder(tmp_path):
    (tmp_path / "main").write_text("UserKnownHostsFile ~/.ssh/hosts/%h\n")
    assert names(tmp_path / "main") == ["main"]
    (tmp_path / "main").write_text(f"Host x\n UserKnownHostsFile {tmp_path}/%h\n")
    with pytest.raises(FwdtuiError, match="/%h: the name of this host key file depends on the host"):
        configuration(tmp_path / "main")


@pytest.mark.parametrize(
    "name", ["~nobody-of-this-name/x", "${NOT_SET_HERE}/x", "none", "/dev/null", "/", "/gone"]
)
def test_what_no_connection_finds_host_keys_in_is_no_file_to_be_shown(name, tmp_path):
    (tmp_path / "main").write_text(f"GlobalKnownHostsFile {name}\n")
    assert names(tmp_path / "main") == ["main"]


def test_nothing_is_run_by_looking(tmp_path):
    (tmp_path / "main").write_text(f'Match exec "touch {tmp_path}/ran"\n ProxyCommand touch {tmp_path}/ran\n')
    assert names(tmp_path / "main") == ["main"]
    assert not (tmp_path / "ran").exists()


def test_a_file_that_nobody_could_read_is_refused(tmp_path):
    (tmp_path / "main").write_bytes(b"#" * (1 << 20))
    assert names(tmp_path / "main") == ["main"]
    (tmp_path / "main").write_text("#" * (1 << 20) + "\n")
    with pytest.raises(FwdtuiError, match="larger than 1 MiB"):
        configuration(tmp_path / "main")
    (tmp_path / "many").mkdir()
    for number in range(99):
        (tmp_path / "many" / str(number)).write_text("")
    (tmp_path / "main").write_text(f"Include {tmp_path}/many/*\n")
    assert len(configuration(tmp_path / "main")) == 100
    (tmp_path / "many" / "99").write_text("")
    with pytest.raises(FwdtuiError, match="more than 100 files"):
        configuration(tmp_path / "main")


@pytest.mark.parametrize("what", ["folder", "nothing", "a name that is too long"])
def test_what_is_no_regular_file_is_refused_with_its_name(tmp_path, what):
    path = tmp_path / ("x" * 300 if "long" in what else "main")
    if what == "folder":
        path.mkdir()
    with pytest.raises(FwdtuiError, match=rf"{path.name[:20]}.*: (not a regular file|File name too long)$"):
        read(path)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", ("",)),
        (b"one\ntwo\n", ("one", "two")),
        (b"one\ntwo", ("one", "two")),
        (b"one\n\n", ("one", "")),
        (b"one\r\n", ("one\r",)),  # it may hide what stands before it
        (b"\xff\n", ("\\xff",)),
    ],
)
def test_every_line_of_a_file_is_shown(data, lines):
    assert TextFile(Path("x"), data).lines == lines


def test_files_come_in_the_order_in_which_they_are_included_and_once(tmp_path):
    (tmp_path / "main").write_text(
        f"Include {tmp_path}/b {tmp_path}/a\nInclude {tmp_path}/b\nInclude {tmp_path}/d\n"
    )
    (tmp_path / "b").write_text(f"Include {tmp_path}/c\n")
    for name in "acd":
        (tmp_path / name).write_text("")
    assert [file.path.name for file in configuration(tmp_path / "main")] == ["main", "b", "a", "d", "c"]


@pytest.mark.parametrize("before", ["", "#", "x", "# Include {0}/other", 'Port "22', "Include"])
def test_a_line_that_says_nothing_does_not_hide_the_next_one(tmp_path, before):
    (tmp_path / "one").write_text("")
    (tmp_path / "other").write_text("")
    (tmp_path / "main").write_text(f"{before.format(tmp_path)}\nInclude {tmp_path}/one\n")
    assert names(tmp_path / "main") == ["main", "one"]


def test_a_relative_include_is_one_of_the_users_own_folder(tmp_path):
    (Path.home() / ".ssh").mkdir(parents=True, exist_ok=True)
    (Path.home() / ".ssh" / "extra").write_text("")
    (tmp_path / "extra").write_text("")
    (tmp_path / "main").write_text("Include extra\n")
    assert names(tmp_path / "main") == ["main"]


def test_an_include_that_cannot_be_resolved_is_an_error_with_its_text(tmp_path):
    (tmp_path / "main").write_text("Include ~nobody-of-this-name/x\n")
    with pytest.raises(FwdtuiError, match="main: Include ~nobody-of-this-name/x: "):
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


def test_the_folder_of_settings_may_be_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "lab.toml").write_text("")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert not is_own(tmp_path / "settings" / "lab.toml")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    assert is_own(tmp_path / "settings" / "lab.toml") and not is_own(tmp_path / "lab.toml")


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="the system's files are root's")
def test_the_systems_files_are_those_of_root_in_its_folder(tmp_path, monkeypatch):
    system = tmp_path / "etc"
    system.mkdir()
    monkeypatch.setattr(ssh_files, "_SYSTEM", system)
    (system / "ssh_config").write_text("")
    assert is_own(system / "ssh_config") and not is_own(system) and not is_own(system / "none")
    os.chown(system / "ssh_config", 12345, -1)
    assert not is_own(system / "ssh_config")
    (tmp_path / "ssh_config").write_text("")
    assert not is_own(tmp_path / "ssh_config"), "root's, but anywhere"
    (system / "link").symlink_to(tmp_path / "ssh_config")
    assert not is_own(system / "link")
