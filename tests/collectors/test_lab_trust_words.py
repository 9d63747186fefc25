"""Which files a lab needs trust for, and what is told of them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fwdtui.collectors.lab_trust import (
    NAMES,
    UntrustedError,
    check,
    command,
    need,
    standing,
    to_trust,
    unchanged,
)
from fwdtui.collectors.labfile import load, ssh_settings
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.transport import trusted
from fwdtui.transport.ssh_files import TextFile, configuration, read

PLAIN = '[generator]\nhost = "gen"\ninterface = "g0"\n[dut]\nhost = "dut"\nin = "a"\nout = "b"\n'
START = PLAIN.replace('"g0"\n', '"g0"\nstart = "send"\n')
STOP = PLAIN.replace('"g0"\n', '"g0"\nstop = "halt"\n')
RECEIVES = PLAIN + '[receiver]\nhost = "sink"\ninterface = "s0"\nstart = "receive"\n'
SSH = PLAIN + '[ssh]\nconfig_file = "ssh_config"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "clone").mkdir(mode=0o700)
    (tmp_path / "clone" / "ssh_config").write_text("Host dut\n")
    return tmp_path / "clone"


def lab(folder: Path, text: str) -> Path:
    (folder / "lab.toml").write_text(text)
    return folder / "lab.toml"


def names(files: tuple[TextFile, ...]) -> list[str]:
    return [file.path.name for file in files]


@pytest.mark.parametrize(
    ("text", "attended", "unattended"),
    [
        (PLAIN, [], []),
        (START, [], ["lab.toml"]),
        (STOP, [], ["lab.toml"]),
        (RECEIVES, [], ["lab.toml"]),
        (SSH, ["lab.toml", "ssh_config"], ["lab.toml", "ssh_config"]),
    ],
)
def test_files_are_asked_about_if_something_in_them_could_run(
    folder: Path, text: str, attended: list[str], unattended: list[str]
) -> None:
    path = lab(folder, text)
    found = need(load(path), ssh_settings(load(path), path), path)
    assert (names(found.files(False)), names(found.files(True))) == (attended, unattended)
    for asked, files in ((False, attended), (True, unattended)):
        if files:
            with pytest.raises(UntrustedError) as error:
                check(load(path), ssh_settings(load(path), path), path, asked)
            ssh = "its ssh files may run commands on this computer"
            what = ssh if text == SSH else "it starts and stops programs"
            assert str(error.value) == (
                f"{path}: not trusted yet: {what}. Read and allow it with: fwdtui trust {folder}"
            )
            assert not error.value.changed and error.value.gone == ()
        else:
            assert check(load(path), ssh_settings(load(path), path), path, asked) == ()


def test_trust_for_a_run_with_questions_is_what_is_assumed(folder: Path) -> None:
    path = lab(folder, START)
    assert check(load(path), ssh_settings(load(path), path), path) == ()


def test_the_ssh_files_of_a_trusted_lab_are_returned_as_they_were_read(folder: Path) -> None:
    path = lab(folder, SSH)
    trusted.allow(path, [read(path), read(folder / "ssh_config")])
    settings = ssh_settings(load(path), path)
    found = check(load(path), settings, path)
    assert names(found) == ["ssh_config"]
    unchanged(settings, found)
    (folder / "ssh_config").write_text("Host other\n")
    with pytest.raises(FwdtuiError, match=r"ssh_config has changed since this lab was opened; open it again"):
        unchanged(settings, found)
    with pytest.raises(UntrustedError, match=r"has changed since you trusted it: its ssh files") as error:
        check(load(path), settings, path)
    assert error.value.changed


def test_a_file_that_is_gone_is_told(folder: Path) -> None:
    path = lab(folder, SSH)
    (folder / "more").write_text("")
    trusted.allow(path, [read(path), read(folder / "ssh_config"), read(folder / "more")])
    with pytest.raises(UntrustedError) as error:
        check(load(path), ssh_settings(load(path), path), path)
    assert error.value.gone == (folder / "more",) and error.value.changed


def test_the_users_own_known_hosts_need_no_question(folder: Path) -> None:
    own = Path.home() / ".ssh" / "hosts"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("")
    path = lab(folder, PLAIN + f'[ssh]\nknown_hosts = "{own}"\n')
    assert need(load(path), ssh_settings(load(path), path), path).ssh == ()


# what `fwdtui trust` looks at


def test_a_folder_is_its_lab_and_its_experiment_and_a_file_is_itself(folder: Path) -> None:
    with pytest.raises(FwdtuiError, match=r"clone: no lab\.toml and no experiment\.toml in this folder"):
        to_trust(folder)
    path = lab(folder, SSH)
    (folder / "experiment.toml").write_text("anything")
    assert [(root.name, names(files)) for root, files in to_trust(folder)] == [
        ("lab.toml", ["lab.toml", "ssh_config"]),
        ("experiment.toml", ["experiment.toml"]),
    ]
    other = path.rename(folder / "other.toml")
    assert [(root, names(files)) for root, files in to_trust(other)] == [
        (other, ["other.toml", "ssh_config"])
    ]


@pytest.mark.parametrize("name", [*NAMES, "other.toml"])
def test_the_command_names_the_folder_of_a_file_with_the_usual_name(name: str) -> None:
    named = "'/a b'" if name in NAMES else f"'/a b/{name}'"
    assert command(Path("/a b") / name) == f"fwdtui trust {named}"


@pytest.mark.parametrize("odd", ["a\nb", "a\x1b[1m", "a\u202eb", "it's a\tb", "a\udcff"])
def test_the_command_can_be_copied_whatever_the_folder_is_called(tmp_path: Path, odd: str) -> None:
    """A screen shows no control characters: without them the command would name another folder."""
    (tmp_path / odd).mkdir()
    told = command(tmp_path / odd / "lab.toml")
    assert clean(told) == told and told.isascii()
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash, and sh need not know $'...'")
    copied = [bash, "-c", f"fwdtui() {{ printf '%s' \"$2\"; }}; {told}"]
    assert subprocess.run(copied, capture_output=True, check=True).stdout == os.fsencode(tmp_path / odd)


def test_what_has_become_of_a_trusted_lab_is_told_in_words(folder: Path) -> None:
    path = lab(folder, SSH)
    trusted.allow(path, [read(path), *configuration(folder / "ssh_config")])
    assert standing(path) == ""
    (folder / "ssh_config").write_text(f"Include {folder}/more\n")
    (folder / "more").write_text("")
    assert standing(path) == "ssh_config has changed, more is new: you will be asked again"
    trusted.allow(path, [read(path), *configuration(folder / "ssh_config")])
    (folder / "more").unlink()
    assert standing(path) == "more is gone: you will be asked again"
    (folder / "ssh_config").unlink()
    assert standing(path).startswith("cannot be opened: ") and "ssh_config" in standing(path)
    lab(folder, PLAIN)
    assert standing(path) == "nothing in it needs trust now"
    lab(folder, START)
    assert standing(path).startswith("lab.toml has changed"), "unattended it could run"
    path.unlink()
    assert standing(path) == "lab.toml is gone"


def test_an_experiment_can_always_run_something(folder: Path) -> None:
    path = folder / "experiment.toml"
    path.write_text("anything")
    trusted.allow(path, [read(path)])
    assert standing(path) == ""
    path.write_text("anything else")
    assert standing(path) == "experiment.toml has changed: you will be asked again"
