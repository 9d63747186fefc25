"""Reads an experiment with its lab and its uploads, and asks for trust before any of its commands run."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fwdtui.collectors.experiment_uploads import NAME, UploadFile, beside, uploads
from fwdtui.collectors.lab_trust import UntrustedError, is_made
from fwdtui.collectors.labfile import load
from fwdtui.core.at_rate import at_rate
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Experiment, Plan
from fwdtui.core.experiment import file as experiment_file
from fwdtui.core.experiment.order import plan
from fwdtui.core.lab import Lab
from fwdtui.transport import trusted
from fwdtui.transport.ssh_files import TextFile, is_own, read


@dataclass(frozen=True)
class ReadExperiment:
    """An experiment as it was read: what was shown is what runs, whatever happens to the files later."""

    path: Path
    text: str
    lab_path: Path
    lab: Lab
    experiment: Experiment
    plan: Plan
    uploads: Mapping[str, UploadFile]  # by `Upload.source`
    files: tuple[TextFile, ...]  # what has to be trusted

    def check(self) -> None:
        """Raises UntrustedError until the user has read and allowed exactly these files.

        The lab has to be trusted as well: `open_lab(self.lab_path, unattended=True)` checks that.
        """
        if is_own(self.path) or is_made(self.path, self.files) or trusted.is_allowed(self.path, self.files):
            return
        copies = " and copies files to them" if self.uploads else ""
        raise UntrustedError(self.path, self.files, f"it runs commands on the hosts{copies}")


def read_experiment(path: str | Path, *, lab: Path | None = None, seed: int | None = None) -> ReadExperiment:
    """Read an experiment. If `path` is a folder, its experiment.toml is read.

    `lab` and `seed` replace those of the file. Nothing runs, so no trust is needed. Raises FwdtuiError, which
    names the file and what is wrong with it.
    """
    path = Path(path)
    path = path / NAME if path.is_dir() else path
    if not path.exists():
        raise FwdtuiError(f"{path}: there is no such file")
    file = read(path)
    try:
        text = file.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None
    lab_path = lab or beside(path, experiment_file.lab_name(text, str(path)))
    if lab_path.is_dir():
        lab_path = lab_path / "lab.toml"
    if lab is None and not lab_path.exists():
        raise FwdtuiError(
            f"{lab_path}: no such file; to use a lab.toml other than the one that {path} names, give "
            "--lab FILE"
        )
    measured = load(lab_path)
    experiment = experiment_file.parse(text, measured, str(path))
    if experiment.profile is not None and experiment.profile.rate is not None:
        at_rate(measured, experiment.profile.rate, str(lab_path))  # raises if a generator cannot
    if seed is not None:
        experiment = msgspec.structs.replace(experiment, seed=seed)
    sent = uploads(path, experiment_file.upload_sources(text, str(path)))
    given = [f"seed {seed}"] if seed is not None else []
    digest = _digest(file, [one for one, _ in sent], given)
    return ReadExperiment(
        path=path,
        text=text,
        lab_path=lab_path,
        lab=measured,
        experiment=experiment,
        plan=plan(experiment, digest),
        uploads={one.source: one for one, _ in sent},
        files=(file, *(shown for _, shown in sent)),
    )


def _digest(file: TextFile, sent: Iterable[UploadFile], given: Iterable[str]) -> str:
    """The SHA-256 of a list as sha256sum prints it: experiment.toml, its uploads, a line for each option."""
    lines = [f"{file.digest}  {NAME}", *(f"{one.sha256}  {one.source}" for one in sent), *given]
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")).hexdigest()
