"""Reads experiment.toml and the files that it copies to hosts, and what of them is shown to the user."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.file import upload_sources
from fwdtui.transport.ssh_files import TextFile, is_own, read

NAME = "experiment.toml"
_LARGEST = 1 << 28  # bytes of an upload: a kernel with its modules has fewer
_SHOWN = 1 << 20  # bytes of an upload that is shown in full
_CHUNK = 1 << 20


@dataclass(frozen=True)
class UploadFile:
    """A file to copy to a host, as it was when it was read."""

    source: str  # as experiment.toml names it
    path: Path
    sha256: str
    size: int

    def content(self) -> bytes:
        """Its bytes. Raises FwdtuiError if they are no longer those that were shown and trusted."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise FwdtuiError(f"{self.path}: {error.strerror or error}") from None
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise FwdtuiError(f"{self.path} has changed since the experiment was read; begin again")
        return data


@dataclass(frozen=True)
class _Told(TextFile):
    """A file that is described instead of shown: what is trusted is its content, not the description."""

    content: str  # SHA-256, hexadecimal

    @cached_property
    def digest(self) -> str:
        """As for any TextFile, the SHA-256 of the file's content."""
        return self.content


def beside(experiment: Path, name: str) -> Path:
    """The path of a file that an experiment names, relative to its folder. Raises FwdtuiError."""
    try:
        if "\0" in name:
            raise ValueError("a null byte in it")
        return experiment.parent / Path(name).expanduser()
    except (ValueError, RuntimeError) as error:  # the latter: ~NAME of a user whose home is not known
        raise FwdtuiError(f"{experiment}: {name!r} cannot be a file: {error}") from None


def uploads(experiment: Path, sources: Iterable[str]) -> tuple[tuple[UploadFile, TextFile], ...]:
    """Each file, and what is shown of it: the whole text, or the size and SHA-256 of anything else.

    Raises FwdtuiError if a file is missing, is not a regular file or is too large.
    """
    return tuple(_upload(experiment, source) for source in sources)


def _upload(experiment: Path, source: str) -> tuple[UploadFile, TextFile]:
    path = beside(experiment, source)
    digest, size, head = hashlib.sha256(), 0, b""
    try:
        if not path.is_file():
            raise FwdtuiError(f"{experiment}: upload {source!r}: there is no file {path}")
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                head = chunk if size <= _SHOWN else b""
                if size > _LARGEST:
                    raise FwdtuiError(f"{path}: larger than {_LARGEST >> 20} MiB: too large to upload")
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
    upload = UploadFile(source, path, digest.hexdigest(), size)
    if size <= _SHOWN and _is_text(head):
        return upload, TextFile(path, head)
    told = f"not a text to be shown: {size} bytes, SHA-256 {upload.sha256}\n"
    return upload, _Told(path, told.encode(), upload.sha256)


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def is_experiment(path: Path) -> bool:
    """Whether a file is an experiment: by its name, or else by the tables in it."""
    if path.name == NAME:
        return True
    keys = set(_plain(path))
    return "dut" not in keys and bool(keys & {"factor", "traffic", "lab"})


def named_lab(path: Path) -> Path | None:
    """The lab.toml that an experiment names, by default the one beside it; None: the file cannot be read."""
    plain = _plain(path)
    lab = plain.get("lab", "lab.toml")
    try:
        return beside(path, lab) if plain and isinstance(lab, str) else None
    except FwdtuiError:
        return None


def to_read(path: Path) -> tuple[TextFile, ...]:
    """Everything that the user has to read before an experiment is trusted; empty for the user's own file.

    If the file is not a valid experiment, that is only the file itself: nothing in it can run until it is
    changed. Raises FwdtuiError if a file is missing.
    """
    if is_own(path):
        return ()
    file = read(path)
    try:
        sources = upload_sources(file.data.decode("utf-8"), str(path))
    except (FwdtuiError, UnicodeDecodeError):
        return (file,)
    return (file, *(shown for _, shown in uploads(path, sources)))


def _plain(path: Path) -> dict[str, object]:
    """The tables of a TOML file; empty if the file is not TOML."""
    try:
        return bounded.toml(read(path).data.decode("utf-8"), path)
    except (FwdtuiError, UnicodeDecodeError):
        return {}
