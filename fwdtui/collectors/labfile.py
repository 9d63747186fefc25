"""Reads lab.toml from disk, and its [ssh] settings."""

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core import lab as core_lab
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab

if TYPE_CHECKING:  # a screen reads lab.toml before its first frame, but reaches hosts only after it
    from fwdtui.transport.settings import SshSettings

_LARGEST = 1 << 20  # bytes: the lab.toml of four hosts has one or two thousand


def load(path: str | Path = "lab.toml") -> Lab:
    """Read a lab. Raises FwdtuiError, which names the file and what is wrong with it."""
    try:
        kind = Path(path).stat().st_mode
        # reading a pipe would wait, and a device may never end; opening a folder says what is wrong with it
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            raise FwdtuiError(f"{path}: not a regular file")
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise FwdtuiError(f"{path}: larger than {_LARGEST >> 20} MiB, so it cannot be a lab.toml")
        text = data.decode("utf-8")
    except FileNotFoundError as error:  # often the first thing that is tried: no lab is described yet
        what = "name a lab.toml, or write one: docs/lab-toml.md; `fwdtui demo` needs none"
        raise FwdtuiError(f"{path}: {error.strerror}; {what}") from None
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None
    lab = core_lab.parse(text, str(path))
    core_lab.check_use(lab, str(path))
    if any(generator.at_rate for generator in lab.generators):
        from fwdtui.core import at_rate  # late: few labs have an at_rate, and a screen waits for the import

        at_rate.check(lab, str(path))
    return lab


def ssh_settings(lab: Lab, path: str | Path) -> "SshSettings":
    """The [ssh] table. Its file names are relative to the folder of lab.toml. Raises FwdtuiError."""
    from fwdtui.transport.settings import SshSettings

    folder = Path(path).parent

    def file(name: str | None, key: str) -> Path | None:
        if name is None:
            return None
        try:
            file = folder / Path(name).expanduser()
        except RuntimeError as error:  # ~NAME of a user whose home is not known here
            raise FwdtuiError(f"{path}: ssh.{key}: {name}: {error}") from None
        if not file.is_file():
            raise FwdtuiError(f"{path}: ssh.{key}: there is no file {file}")
        return file

    return SshSettings(
        config_file=file(lab.ssh.config_file, "config_file"),
        known_hosts=file(lab.ssh.known_hosts, "known_hosts"),
    )
