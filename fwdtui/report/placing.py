"""Puts the files of a report in their places, all or none; files that no report wrote are left alone."""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from urllib.parse import unquote

from fwdtui.core.errors import FwdtuiError
from fwdtui.report.markdown import is_untouched

_PROBE = 4096
_LARGEST = 1 << 26  # bytes: a report is far smaller, so a larger file is none and need not be read
_HEAD = b"# fwdtui report\n"
_CSV = (b"chart,series,level,place,n,median,", b"group,series,n,median,")  # of a sweep and of bars
_HEADS = {
    ".pps": (_HEAD,),
    ".dat": (_HEAD,),
    ".plt": (_HEAD,),
    ".csv": _CSV,
    ".toml": (_HEAD,),
    ".txt": (_HEAD,),
}
_CREATOR_OF_CHARTS = b"<dc:title>fwdtui</dc:title>"
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def is_ours(path: Path) -> bool:
    """Whether an earlier report wrote the file, and it has not been edited since.

    Charts and data files are recognized by their heads. A text is not ours only because it mentions fwdtui,
    nor is a report that was edited.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a FIFO would make us wait
            return False
        with path.open("rb") as file:
            head = file.read(_PROBE)
            if path.suffix == ".svg":
                return _CREATOR_OF_CHARTS in head
            if head.startswith(_HEADS.get(path.suffix, ())):
                return True
            if path.suffix in _HEADS and path.suffix != ".txt":  # a report itself may be called a.txt
                return False
            if os.fstat(file.fileno()).st_size > _LARGEST:
                return False
            return is_untouched((head + file.read()).decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return False


def refuse_foreign(path: Path) -> None:
    """Raise FwdtuiError if `path` is a folder, or a file that no report wrote."""
    if path.is_dir():
        raise FwdtuiError(f"{path}: is a folder")
    if path.exists() and not is_ours(path):
        raise FwdtuiError(
            f"{path}: exists and was not written by fwdtui report, or was edited since; "
            "move it or choose another -o"
        )


def refuse_shared(out: Path, folder: Path) -> None:
    """Raise FwdtuiError if a document beside `out` has its files in `folder`: a.txt, if `out` is a.md."""
    if not folder.is_dir():
        return
    beside: list[Path] = []
    with contextlib.suppress(OSError):
        beside = sorted(path for path in out.parent.iterdir() if path.stem == out.stem)
    for other in beside:
        if other not in (out, folder) and _has_files(other, out, folder):
            raise FwdtuiError(
                f"{folder}: has the files of {other}, which would be replaced; move it or choose another -o"
            )


def _has_files(other: Path, out: Path, folder: Path) -> bool:
    """Whether `other` is a document, and not `out` by another name, with links to files in `folder`."""
    try:
        status = other.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return False
        return not (out.exists() and out.samefile(other)) and bool(_linked(other, folder))
    except OSError:
        return False


def stale(out: Path, folder: Path, keep: Collection[str]) -> list[Path]:
    """The files in `folder` that an earlier report at `out` wrote and links to, and the new one lacks.

    `keep`: the names of the new report's files.
    """
    if not is_ours(out):
        return []
    kept = {name.lower() for name in keep}  # a file system may fold case
    names = _linked(out, folder)
    return [folder / name for name in names if name.lower() not in kept and is_ours(folder / name)]


def _linked(document: Path, folder: Path) -> list[str]:
    """The names of the files in `folder` that a document links to."""
    text = document.read_text("utf-8", "replace")
    linked = dict.fromkeys(unquote(target) for target in _LINK.findall(text))
    return [Path(link).name for link in linked if Path(link) == Path(folder.name) / Path(link).name]


def put(contents: Mapping[Path, bytes], folder: Path | None, tell: Callable[[str], None]) -> None:
    """Write all of `contents`: each file is staged, then all are renamed. `folder` is made if missing.

    `tell` gets the name of each file before it is staged; if it raises, or the disk fills up, nothing is
    left behind and nothing has changed. Raises FwdtuiError that names the file.
    """
    from fwdtui.store.atomic import sync_folder

    made = False
    if folder is not None:
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            made = True
    staged: list[tuple[Path, Path]] = []
    placed = False
    try:
        for path, data in contents.items():
            tell(path.name)
            target = _target(path)
            temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
            staged.append((temporary, target))
            _stage(temporary, data, path)
        for temporary, target in staged:
            temporary.replace(target)
        placed = True
        for parent in {target.parent for _, target in staged}:
            sync_folder(parent)
    finally:
        if not placed:
            for temporary, _ in staged:
                with contextlib.suppress(OSError):
                    temporary.unlink()
            if made and folder is not None:
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _target(path: Path) -> Path:
    """The path to write to: what a link leads to is replaced, not the link itself. Raises OSError."""
    try:
        return path.resolve()
    except RuntimeError:  # its links lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


def _stage(temporary: Path, data: bytes, path: Path) -> None:
    """Write and sync a file with the permissions of the umask: a report is made to be published."""
    from fwdtui.store.atomic import write_all

    try:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        descriptor = os.open(temporary, _NEW, 0o666)
        try:
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:  # a full disk does not say which file it was
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
