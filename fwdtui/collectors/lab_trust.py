"""Asks the user to trust a lab's files before they can run any command.

On this computer, an ssh configuration can run commands (ProxyCommand, Match exec, PKCS11Provider and others)
and chooses the keys, agents and environment variables that go to a host. The known_hosts files, the one of
lab.toml and those that an ssh configuration names, decide which host is believed. On the lab's hosts, the
commands `start`, `stop` and `at_rate` of lab.toml run when requested: by a key and after a dialog, or, in an
unattended run, without another question. The user's own files (~/.ssh, ~/.config) and labs that fwdtui made
need no question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.collectors.labfile import load, ssh_settings
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab
from fwdtui.core.shell_words import quote
from fwdtui.transport import trusted
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh_files import TextFile, configuration, is_own, read

if TYPE_CHECKING:
    from fwdtui.transport.ssh import SshPool

NAMES = ("lab.toml", "experiment.toml")
"""The files that `fwdtui trust FOLDER` looks for in the folder."""


class UntrustedError(FwdtuiError):
    """Files that could run commands are not trusted, or have changed since they were.

    Show the files to the user, then call `allow`.
    """

    def __init__(self, root: Path, files: Sequence[TextFile], what: str) -> None:
        self.root = root
        self.files = tuple(files)
        since = trusted.difference(root, files)
        self.changed = since is not None
        self.gone = since.gone if since is not None else ()
        state = "has changed since you trusted it" if self.changed else "not trusted yet"
        super().__init__(f"{root}: {state}: {what}. Read and allow it with: {command(root)}")

    def allow(self) -> None:
        """Trust exactly these bytes from now on. Raises FwdtuiError if the decision cannot be saved."""
        trusted.allow(self.root, self.files)


@dataclass(frozen=True)
class Need:
    """The files that must be trusted before a lab is reached or runs unattended."""

    lab: tuple[TextFile, ...]
    ssh: tuple[TextFile, ...]
    commands: bool

    @property
    def everything(self) -> tuple[TextFile, ...]:
        """All files, whether or not they could run anything."""
        return (*self.lab, *self.ssh)

    def files(self, unattended: bool) -> tuple[TextFile, ...]:
        """The files to ask about; empty if nothing in them could run."""
        return self.everything if self.ssh or (unattended and self.commands) else ()


def need(lab: Lab, settings: SshSettings, path: Path) -> Need:
    """Reads the files without acting on them. Raises FwdtuiError."""
    ends = (*lab.generators, *((lab.receiver,) if lab.receiver else ()))
    return Need(
        lab=() if is_own(path) else (read(path),),
        ssh=ssh_files(settings),
        commands=any(end.start or end.stop or end.at_rate for end in ends),
    )


def ssh_files(settings: SshSettings) -> tuple[TextFile, ...]:
    """The lab's ssh configuration and host key files, without the user's own. Raises FwdtuiError."""
    config = () if settings.config_file is None else configuration(settings.config_file)
    hosts = settings.known_hosts
    if hosts is None or is_own(hosts) or hosts.resolve() in [file.path.resolve() for file in config]:
        return config
    return (*config, read(hosts))


def check(lab: Lab, settings: SshSettings, path: Path, unattended: bool = False) -> tuple[TextFile, ...]:
    """Checks that a lab may be reached, and returns its ssh files as they were read.

    Raises UntrustedError if the user has to read the lab's files first, and FwdtuiError.
    """
    needed = need(lab, settings, path)
    files = needed.files(unattended)
    if is_made(path, files) or trusted.is_allowed(path, files) or not files:
        return needed.ssh
    what = "its ssh files may run commands on this computer" if needed.ssh else "it starts and stops programs"
    raise UntrustedError(path, files, what)


def unchanged(settings: SshSettings, before: Sequence[TextFile]) -> None:
    """Raises FwdtuiError if the ssh files have changed since the check: each connection reads them again."""
    now = ssh_files(settings)
    changed = {(file.path, file.digest) for file in now} ^ {(file.path, file.digest) for file in before}
    if changed:
        path = min(str(path) for path, _ in changed)
        raise FwdtuiError(f"{path} has changed since this lab was opened; open it again to review the change")


def to_trust(path: Path) -> list[tuple[Path, tuple[TextFile, ...]]]:
    """The files that `fwdtui trust` asks about, for each lab.toml or experiment.toml. Raises FwdtuiError."""
    roots = [path / name for name in NAMES if (path / name).is_file()] if path.is_dir() else [path]
    if not roots:
        raise FwdtuiError(f"{path}: no {' and no '.join(NAMES)} in this folder")
    listed = [(root, _need(root).everything) for root in roots]
    for lab in [_lab_of(root) for root in roots]:
        if lab is None or any(lab.resolve() == root.resolve() for root, _ in listed):
            continue
        files = _need(lab).files(unattended=True)
        if files and not is_made(lab, files):
            listed.append((lab, files))
    return listed


def _lab_of(root: Path) -> Path | None:
    """The lab that an experiment runs on, which may be in another folder."""
    from fwdtui.collectors.experiment_uploads import is_experiment, named_lab

    lab = named_lab(root) if is_experiment(root) else None
    return lab if lab is not None and lab.is_file() else None


def standing(root: Path) -> str:
    """What has changed since `root` was trusted, or why that is unknown, in words; empty: nothing."""
    if not root.is_file():
        return f"{root.name} is gone"
    try:
        files = _need(root).files(unattended=True)
    except FwdtuiError as error:
        return f"cannot be opened: {str(error).removeprefix(f'{root}: ')}"
    if not files:
        return "nothing in it needs trust now"
    since = trusted.difference(root, files)
    if not since:
        return ""
    told = [f"{path.name} has changed" for path in since.changed]
    told += [f"{path.name} is new" for path in since.new]
    told += [f"{path.name} is gone" for path in since.gone]
    return f"{', '.join(told)}: you will be asked again"


def _need(root: Path) -> Need:
    from fwdtui.collectors.experiment_uploads import is_experiment, to_read  # late: not needed at app start

    if is_experiment(root):
        return Need(lab=to_read(root), ssh=(), commands=True)
    lab = load(root)
    return need(lab, ssh_settings(lab, root), root)


def command(root: Path) -> str:
    """The command with which the user reads and allows the files of `root`."""
    return f"fwdtui trust {quote(str(root.parent if root.name in NAMES else root))}"


def is_made(path: Path, files: Sequence[TextFile]) -> bool:
    """Whether fwdtui made the folder of `path`, and all of `files` are in it."""
    folder = path.resolve().parent
    return trusted.is_made(folder) and all(file.path.resolve().parent == folder for file in files)


def open_lab(path: str | Path = "lab.toml", unattended: bool = False) -> "tuple[Lab, SshPool]":
    """A lab and the pool that reaches its hosts. No connection exists yet, no ssh_config has taken effect.

    `unattended`: the lab's start commands will run without another question. Raises FwdtuiError;
    UntrustedError if the user has to read the lab's files first.
    """
    from fwdtui.transport.ssh import SshPool

    lab = load(path)
    settings = ssh_settings(lab, path)
    files = check(lab, settings, Path(path), unattended)
    if files:
        # asyncssh reads the files again for each connection: they must still be what was checked here
        settings = replace(settings, guard=lambda: unchanged(settings, files))
    return lab, SshPool(settings)
