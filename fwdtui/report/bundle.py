"""A report on disk: the document, and in a folder beside it the charts and the value files that it links to.

Each file is replaced in one step and the document comes last, so that a report that is there is whole. Only
what an earlier report wrote is ever overwritten.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution
from fwdtui.core.text import clean, slug
from fwdtui.report import svgchart
from fwdtui.report.document import Attachments, Document
from fwdtui.report.gathered import by_case, sets_of
from fwdtui.report.markdown import render
from fwdtui.report.sides import Side
from fwdtui.stats.model import Judged, ResultSet

_OURS = b"fwdtui"
_PROBE = 4096

Progress = Callable[[int, int, str], None]


def write(
    out: Path,
    sides: Sequence[Side],
    judged: Sequence[Judged],
    notes: Sequence[Caution] = (),
    *,
    title: str | None = None,
    charts: bool = True,
    progress: Progress = lambda done, total, what: None,
) -> list[Path]:
    """Write the report to `out` and its files to the folder ``<stem>.d`` beside it; returns all paths.

    `charts` False leaves the SVGs out (matplotlib is missing), and the document says so. Raises FwdtuiError
    rather than overwrite a file that no report wrote.
    """
    folder = out.with_name(f"{out.stem}.d")
    if folder.name == out.name:
        raise FwdtuiError(f"{out}: is where the report's files would go; name the report FILE.md")
    if not out.parent.is_dir():
        raise FwdtuiError(f"{out.parent}: no such folder")
    _refuse_foreign(out)  # before the charts are drawn, which takes its time
    files: dict[str, bytes] = {}
    values = _values(judged, files)
    overview, images = _charts(judged, files, progress) if charts else (None, {})
    beside = Attachments(
        overview=overview and f"{folder.name}/{overview}",
        charts={case: f"{folder.name}/{name}" for case, name in images.items()},
        values={key: f"{folder.name}/{name}" for key, name in values.items()},
    )
    text = render(Document(sides, judged, notes, title, beside))
    contents = {folder / name: data for name, data in files.items()} | {out: text.encode()}
    for path in contents:
        _refuse_foreign(path)
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise FwdtuiError(f"{folder}: the report's files go there, and it is not a folder") from None
    for path, data in contents.items():
        _put(path, data)
    return list(contents)


def _values(judged: Sequence[Judged], files: dict[str, bytes]) -> dict[tuple[str, str], str]:
    """A value file for each case and label; (case, label) -> name."""
    names: dict[tuple[str, str], str] = {}
    for case, results in by_case(judged).items():
        for one in sets_of(results):
            if (case, one.label) not in names:
                name = _free(f"{one.label}.{case}", ".pps", files)
                names[case, one.label] = name
                files[name] = value_file(one, case)
    return names


def value_file(one: ResultSet, case: str) -> bytes:
    """The values in ministat's input format: one a line, the shortest digits that read back the same."""
    lines = ["# fwdtui report", f"# {clean(one.label)}: {clean(case)}"]
    lines += [
        f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value) for value in one.values
    ]
    return ("\n".join(lines) + "\n").encode()


def _charts(
    judged: Sequence[Judged], files: dict[str, bytes], progress: Progress
) -> tuple[str, dict[str, str]]:
    cases = by_case(judged)
    overview = _free("medians", ".svg", files)
    progress(0, len(cases) + 1, overview)
    files[overview] = svgchart.overview(judged)
    images: dict[str, str] = {}
    for done, (case, results) in enumerate(cases.items(), 1):
        images[case] = name = _free(f"iterations.{case}", ".svg", files)
        progress(done, len(cases) + 1, name)
        files[name] = svgchart.iterations(results)
    return overview, images


def _free(stem: str, suffix: str, files: dict[str, bytes]) -> str:
    """A safe file name that is not taken, on file systems that fold case neither."""
    taken = {name.lower() for name in files}
    name, count = f"{slug(stem)}{suffix}", 1
    while name.lower() in taken:
        count += 1
        name = f"{slug(stem)}-{count}{suffix}"
    return name


def _refuse_foreign(path: Path) -> None:
    try:
        with path.open("rb") as file:
            data = file.read(_PROBE)
            file.seek(max(os.fstat(file.fileno()).st_size - _PROBE, 0))
            data += file.read(_PROBE)
    except (FileNotFoundError, NotADirectoryError):
        return
    except IsADirectoryError:
        raise FwdtuiError(f"{path}: is a folder") from None
    if _OURS not in data:
        raise FwdtuiError(f"{path}: exists, and no fwdtui report wrote it; move it or choose another -o")


def _put(path: Path, data: bytes) -> None:
    from fwdtui.store.atomic import replace

    path = path.resolve()  # through a link, not in its place
    try:
        replace(path, data)
    except OSError as error:  # a full disk does not say which file it was
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
    umask = os.umask(0o022)
    os.umask(umask)
    path.chmod(0o666 & ~umask)  # a report is made to be published; the store's own files are private
