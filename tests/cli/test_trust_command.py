"""Nothing in a folder that somebody else wrote runs before its user has read it and said so."""

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked import run
from in_terminal import run as in_terminal

from fwdtui.transport.trusted import store

CONFIGS = {
    "ProxyCommand": "Host *\n ProxyCommand touch {ran}\n",
    "Match exec": 'Match exec "touch {ran}"\n User x\n',
    "ProxyCommand in an Include": "Include {folder}/more\n",
    "Match exec behind another host": 'Host other\n User x\nMatch host * exec "touch {ran}"\n User y\n',
}
LAB = """
[ssh]
config_file = "ssh_config"
[generator]
host = "gen"
interface = "eth0"
start = "sleep 60"
[dut]
host = "dut"
in = "eth0"
out = "eth1"
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "lab.toml").write_text(LAB)
    write(folder, CONFIGS["ProxyCommand"])
    return folder


def write(folder: Path, config: str) -> None:
    ran = folder.parent / "ran"
    (folder / "ssh_config").write_text(config.format(ran=ran, folder=folder))
    (folder / "more").write_text(CONFIGS["ProxyCommand"].format(ran=ran))


def ran(folder: Path) -> bool:
    return (folder.parent / "ran").exists()


COMMANDS = [("doctor",), ("live", "--headless", "--for", "1s"), ("run", "--headless"), ("doctor", "--json")]


@pytest.mark.parametrize(
    ("command", "config"),
    list(zip(COMMANDS, CONFIGS.values(), strict=True)),
    ids=[f"{' '.join(command)}-{name}" for command, name in zip(COMMANDS, CONFIGS, strict=True)],
)
def test_nothing_runs_before_it_was_trusted_and_one_sentence_says_how(clone, command, config):
    write(clone, config)
    done = run(*command, cwd=clone)
    assert done.returncode == 2 and not ran(clone)
    assert done.stderr.count("\n") == 1 and "fwdtui trust ." in done.stderr and done.stdout == ""
    assert not (clone / "sessions").exists()


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_once_trusted_it_runs_until_it_changes(clone, config):
    write(clone, config)
    done = run("trust", str(clone))
    assert done.returncode == 0 and "ProxyCommand touch" in done.stdout + (clone / "more").read_text()
    assert not ran(clone), "to look at it runs nothing"
    assert "fwdtui trust" not in run("doctor", cwd=clone).stderr and ran(clone)
    (clone.parent / "ran").unlink()
    with (clone / "ssh_config").open("a") as file:
        file.write("# a line more\n")
    done = run("doctor", cwd=clone)
    assert done.returncode == 2 and "has changed since you trusted it" in done.stderr and not ran(clone)
    shown = run("trust", ".", cwd=clone).stdout
    assert "+ # a line more" in shown
    run("doctor", cwd=clone)
    assert ran(clone)


def test_an_included_file_that_changes_or_comes_is_asked_about(clone):
    write(clone, f"Include {clone}/parts/*\n")
    (clone / "parts").mkdir()
    assert run("trust", str(clone)).returncode == 0
    (clone / "parts" / "new").write_text(CONFIGS["ProxyCommand"].format(ran=clone.parent / "ran"))
    done = run("doctor", str(clone / "lab.toml"))
    assert done.returncode == 2 and "has changed" in done.stderr and not ran(clone)


@pytest.mark.parametrize("how", ["new", "gone", "changed"])
def test_the_list_the_question_and_the_refusal_agree_on_what_has_changed(clone, how):
    parts = clone / "parts"
    parts.mkdir()
    (parts / "a").write_text("# one\n")
    (parts / "b").write_text("# two\n")
    write(clone, f"Include {parts}/*\nHost *\n ProxyCommand touch {{ran}}\n")
    run("trust", str(clone))
    assert "asked" not in run("trust", "--list").stdout
    if how == "gone":
        (parts / "b").unlink()
    else:
        (parts / ("b" if how == "changed" else "c")).write_text("# three\n# four\n")
    told = {"new": "c is new", "gone": "b is gone", "changed": "b has changed"}[how]
    assert f"lab.toml   {told}: you will be asked again\n" in run("trust", "--list").stdout
    refused = run("live", "--headless", "--for", "1s", cwd=clone)
    assert refused.returncode == 2 and "has changed since you trusted it" in refused.stderr and not ran(clone)
    shown = run("trust", ".", cwd=clone).stdout
    expected = f"── {parts}/b   (trusted before; it is gone)" if how == "gone" else "+ # three\n+ # four\n"
    assert expected in shown and "  # one\n" in shown
    assert shown.endswith("\n. may run these commands until one of its files changes\n")
    assert "asked" not in run("trust", "--list").stdout
    assert "fwdtui trust" not in run("doctor", cwd=clone).stderr and ran(clone)


def test_the_list_names_a_lab_that_is_gone_or_cannot_be_opened(clone):
    run("trust", str(clone))
    (clone / "ssh_config").unlink()
    assert "cannot be opened: ssh.config_file: there is no file" in run("trust", "--list").stdout
    (clone / "lab.toml").unlink()
    assert "lab.toml   lab.toml is gone\n" in run("trust", "--list").stdout


def test_unattended_commands_on_hosts_are_trusted_too_but_looking_at_hosts_needs_none(clone):
    plain = LAB.replace('[ssh]\nconfig_file = "ssh_config"\n', "")
    (clone / "lab.toml").write_text(plain.replace('"gen"', '"127.0.0.1:1"').replace('"dut"', '"127.0.0.1:1"'))
    for command in COMMANDS:
        done = run(*command, cwd=clone)
        assert ("fwdtui trust ." in done.stderr) == (command[0] == "run"), done
    run("trust", ".", cwd=clone)
    assert "fwdtui trust" not in run("run", "--headless", cwd=clone).stderr


def test_the_users_own_configuration_needs_no_trust(clone):
    own = Path.home() / ".ssh"
    own.mkdir()
    (clone / "ssh_config").rename(own / "config")
    (clone / "lab.toml").write_text(LAB.replace('"ssh_config"', '"~/.ssh/config"'))
    assert "fwdtui trust" not in run("doctor", cwd=clone).stderr and ran(clone)


def test_the_list_says_what_has_changed_and_forgetting_ends_it(clone):
    assert run("trust", "--list").stdout == "no folder is trusted\n"
    run("trust", str(clone))
    assert str(clone / "lab.toml") in run("trust", "--list").stdout
    kept = store().read_text()
    entry = json.loads(kept)["allowed"][str(clone / "lab.toml")]
    store().write_text(kept.replace(entry["when"], "2026-03-01T23:30:00-13:37"))
    elsewhere = datetime.datetime(2026, 3, 2, 13, 7, tzinfo=datetime.UTC).astimezone()
    assert run("trust", "--list").stdout.startswith(f"{elsewhere:%Y-%m-%d %H:%M}  ")
    (clone / "ssh_config").write_text("")
    assert "ssh_config has changed" in run("trust", "--list").stdout
    assert run("trust", "--forget", str(clone)).returncode == 0
    assert run("trust", "--forget", str(clone)).returncode == 1
    assert run("doctor", cwd=clone).returncode == 2


@pytest.mark.parametrize("arguments", [(), ("--list", "x"), ("no-such-folder",), (".",)])
def test_what_cannot_be_trusted_is_one_line(arguments, tmp_path):
    done = run("trust", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr


def test_links_that_lead_in_a_circle_end_no_command(clone, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.symlink_to(hosts)
    (clone / "ssh_config").write_text(f"Host *\n UserKnownHostsFile {hosts}\n")
    refused = run("doctor", cwd=clone)
    assert refused.returncode == 2 and "lab.toml: not trusted yet" in refused.stderr
    forgotten = run("trust", "--forget", str(hosts))
    assert forgotten.returncode == 1 and forgotten.stderr == f"{hosts} was not trusted\n"


def test_a_file_of_another_name_is_named_in_the_refusal(clone):
    (clone / "lab.toml").rename(clone / "my lab.toml")
    done = run("doctor", "my lab.toml", cwd=clone)
    assert "fwdtui trust 'my lab.toml'" in done.stderr
    assert run("trust", "my lab.toml", cwd=clone).returncode == 0
    run("doctor", "my lab.toml", cwd=clone)
    assert ran(clone)


@pytest.mark.parametrize(
    "command", [("live", "--headless", "--for", "1s"), ("run", "--headless"), ("doctor",)]
)
def test_a_folder_stands_for_its_lab_in_every_command(clone, command):
    for folder in (str(clone), f"{clone}/", "clone"):
        refused = run(command[0], folder, *command[1:], cwd=clone.parent)
        assert refused.returncode == 2 and "lab.toml: not trusted yet" in refused.stderr
    (clone / "lab.toml").unlink()
    missing = run(command[0], "clone", *command[1:], cwd=clone.parent)
    assert missing.returncode == 2
    assert missing.stderr.startswith("fwdtui: clone/lab.toml: No such file or directory")


def test_who_looks_at_it_through_a_pager_trusts_nothing_without_yes(clone):
    ours, theirs = os.openpty()
    try:
        command = [sys.executable, "-m", "fwdtui", "trust", str(clone)]
        looked = subprocess.run(command, stdin=theirs, capture_output=True, text=True)
    finally:
        os.close(ours)
        os.close(theirs)
    assert looked.returncode == 2 and "ProxyCommand touch" in looked.stdout
    assert looked.stderr.startswith(f"fwdtui: {clone}: not trusted: the output is not a terminal")
    assert run("doctor", cwd=clone).returncode == 2 and not ran(clone)


@pytest.mark.parametrize("answer, status", [(b"n\r", 1), (b"\r", 1), (b"y\r", 0)])
def test_on_a_terminal_it_shows_everything_and_asks(clone, answer, status):
    hidden = "Host *\n ProxyCommand touch {ran} # \x1b[2K\x1b]52;c;eA==\x07\u202e\n"
    write(clone, hidden)
    done, written = in_terminal("trust", ".", cwd=clone, keys=[("[y/N]", answer)])
    text = written.decode()
    assert done == status and "\\x1b[2K\\x1b]52;c;eA==\\x07\\u202e" in text and 'start = "sleep 60"' in text
    assert "\x1b" not in text and not ran(clone)
    run("doctor", cwd=clone)
    assert ran(clone) == (status == 0)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
@pytest.mark.parametrize("key, trusts", [(b"\x1b", False), (b"y", True)])
def test_the_app_shows_the_files_before_it_connects(clone, key, trusts, size):
    keys = [("ProxyCommand touch", key), ("are not trusted" if not trusts else "not reached", b"\x11")]
    _, written = in_terminal(cwd=clone, keys=keys, size=size, again=True)
    assert ran(clone) == trusts, written[-500:]
