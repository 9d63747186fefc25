"""A report on disk: the document, and in a folder beside it the charts and the value files that it links to.

`plan` says what would be written, and costs next to nothing; `write` draws the charts and writes. All files
are staged under hidden names and renamed together, the document last: a report that exists is complete, and
an interrupted one leaves nothing behind. Only what an earlier report wrote is ever overwritten or removed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean, slug
from fwdtui.report import bars, bars_files, bars_svg, case_profile, experiment_words, svgchart
from fwdtui.report.comparison import Compared
from fwdtui.report.document import EVERYTHING, Attachments, Choices, Document
from fwdtui.report.grouping import by_case, sets_of
from fwdtui.report.markdown import render
from fwdtui.report.placing import is_ours, put, refuse_foreign, refuse_shared, stale
from fwdtui.stats.results import Judged, ResultSet

Progress = Callable[[int, int, str], None]
"""Called with (done, total, what): see `carry_out`."""

_OURS = (".md", ".txt")
_ENDING = re.compile(r"\.[a-z]{1,5}")
"""What says which kind of file it is. The rest is a part of a name: "linux-6.10-rc2", "n311215.D58513"."""
_TEXT_MOST = 4 << 20  # the most bytes of an experiment's file, and of its steps


@dataclass(frozen=True, slots=True)
class Plan:
    """A report before it is written. `text` is the document, to be written to `out`.

    `values` and `charts` are the other files by their names in `folder`: contents, and what draws a chart.
    """

    out: Path
    text: str
    values: Mapping[str, bytes]
    charts: Mapping[str, Callable[[], bytes]]

    @property
    def folder(self) -> Path:
        """Where charts and value files go."""
        return self.out.with_name(f"{self.out.stem}.d")

    def paths(self) -> list[Path]:
        """Everything that `write` writes, in its order."""
        return [*(self.folder / name for name in (*self.values, *self.charts)), self.out]

    def check(self) -> None:
        """Raise FwdtuiError if a file that no report wrote is in the way, or nothing can be written."""
        ending = self.out.suffix.lower()
        if ending not in _OURS and _ENDING.fullmatch(ending):
            raise FwdtuiError(f"{self.out}: a report is Markdown; choose another ending, such as .md")
        if not self.out.parent.is_dir():
            raise FwdtuiError(f"{self.out.parent}: no such folder")
        for path in reversed(self.paths()):
            refuse_foreign(path)
        if (self.values or self.charts) and self.folder.exists() and not self.folder.is_dir():
            raise FwdtuiError(f"{self.folder}: the report's files go there, and it is not a folder")
        if self.values or self.charts:
            refuse_shared(self.out, self.folder)

    def replaces(self) -> bool:
        """Whether this report replaces an earlier one."""
        return is_ours(self.out)


def plan(out: Path, compared: Compared, choices: Choices = EVERYTHING) -> Plan:
    """The report as `write` would write it. Nothing is drawn or written, and only profiles are read."""
    judged = compared.judged
    taken: set[str] = set()
    stems = {case: ".".join(compared.cell(case)) for case in by_case(judged)}
    names = _values(judged, taken, stems) if choices.has("data") else {}
    values = {name: value_file(one, case) for (case, _), (name, one) in names.items()}
    drawn: dict[str, Callable[[], bytes]] = {}
    overview, images = (
        _charts(judged, taken, drawn, stems, each=choices.has("cases"))
        if choices.has("charts")
        else (None, {})
    )
    grouped: str | None = None
    redrawn: tuple[str, ...] = ()
    if overview and compared.view.by and (levels := bars.of_judged(judged)).fits:
        grouped = free_name("levels", ".svg", taken)
        drawn[grouped] = partial(bars_svg.draw, levels)
        if choices.has("data"):
            stem = grouped.removesuffix(".svg")
            redrawn = tuple(free_name(stem, end, taken) for end in (".csv", ".plt", ".dat"))
            values[redrawn[0]] = bars_files.table(levels)
            values[redrawn[1]] = bars_files.script(levels, redrawn[2], f"{stem}.gnuplot.svg")
            values[redrawn[2]] = bars_files.data(levels)
    flames = flames_of(compared, stems, taken, drawn) if choices.has("profiles") else {}
    files = _experiments(compared, values, taken) if choices.has("experiment") else {}
    folder = f"{out.stem}.d"
    beside = Attachments(
        overview=overview and f"{folder}/{overview}",
        bars=grouped and f"{folder}/{grouped}",
        bars_data=tuple(f"{folder}/{name}" for name in redrawn),
        charts={case: f"{folder}/{name}" for case, name in images.items()},
        values={key: f"{folder}/{name}" for key, (name, _) in names.items()},
        experiments={
            path: tuple((title, f"{folder}/{name}") for title, name in named) for path, named in files.items()
        },
        flames={
            case: tuple((title, name and f"{folder}/{name}") for title, name in named)
            for case, named in flames.items()
        },
    )
    text = render(Document(compared, choices, beside))
    return Plan(out, text, values, drawn)


def write(
    out: Path,
    compared: Compared,
    choices: Choices = EVERYTHING,
    *,
    progress: Progress = lambda done, total, what: None,
) -> list[Path]:
    """Write the report to `out` and its files to the folder ``<stem>.d`` beside it; returns all paths.

    Raises FwdtuiError rather than overwrite a file that no report wrote. `progress`: see `carry_out`.
    """
    return carry_out(plan(out, compared, choices), progress=progress)


def carry_out(planned: Plan, *, progress: Progress = lambda done, total, what: None) -> list[Path]:
    """Draw and write what was planned; returns all paths. Raises FwdtuiError as `Plan.check` does.

    `progress` is called with (done, total, what) before each chart is drawn and each file staged; if it
    raises, nothing has been changed on disk.
    """
    planned.check()  # before the charts are drawn, which takes a while
    total = len(planned.charts) + 1
    files = dict(planned.values)
    for done, (name, draw) in enumerate(planned.charts.items()):
        progress(done, total, name)
        files[name] = draw()
    contents = {planned.folder / name: data for name, data in files.items()}
    contents[planned.out] = planned.text.encode()
    planned.check()  # drawing takes long enough for somebody to save a file there
    old = stale(planned.out, planned.folder, keep=files)
    put(contents, planned.folder if files else None, lambda name: progress(total - 1, total, name))
    for path in old:
        path.unlink(missing_ok=True)
    if old and not any(planned.folder.iterdir()):
        planned.folder.rmdir()
    return list(contents)


def _experiments(
    compared: Compared, values: dict[str, bytes], taken: set[str]
) -> dict[str, tuple[tuple[str, str], ...]]:
    """Add each experiment's file and its journal as text to `values`.

    Returns the path of the session -> (title, file name) of each of them.
    """
    files = {}
    for summary in compared.experiments:
        named = []
        for title, suffix, lines in (
            ("experiment.toml", ".toml", summary.text.splitlines()),
            ("every step", ".txt", experiment_words.steps(summary)),
        ):
            data = _bounded(lines)
            if data:
                stem = "experiment" if suffix == ".toml" else "experiment-steps"
                name = free_name(stem, suffix, taken)
                values[name] = b"# fwdtui report\n" + data
                named.append((title, name))
        files[summary.path] = tuple(named)
    return files


def _bounded(lines: Iterable[str]) -> bytes:
    """The lines, cleaned, up to `_TEXT_MOST` bytes; if there are more, a last line says where they are."""
    parts: list[bytes] = []
    left = _TEXT_MOST
    for line in lines:
        part = clean(line).encode() + b"\n"
        left -= len(part)
        if left < 0:
            parts.append(b"# the rest is in the session's folder\n")
            break
        parts.append(part)
    return b"".join(parts)


def _values(
    judged: Sequence[Judged], taken: set[str], stems: Mapping[str, str] | None = None
) -> dict[tuple[str, str], tuple[str, ResultSet]]:
    """A value file for each case and label: (case, label) -> its name and the set in it.

    `stems`: case -> what it is called in file names; a case without one is called by its own name.
    """
    names: dict[tuple[str, str], tuple[str, ResultSet]] = {}
    for case, results in by_case(judged).items():
        for one in sets_of(results):
            if (case, one.label) not in names:
                suffix = ".pps" if one.unit in ("", "pps") else ".dat"
                names[case, one.label] = (
                    free_name(f"{one.label}.{(stems or {}).get(case, case)}", suffix, taken),
                    one,
                )
    return names


def value_file(one: ResultSet, case: str) -> bytes:
    """The values in ministat's input format: one a line, the shortest digits that read back the same."""
    lines = ["# fwdtui report", f"# {clean(one.label)}: {clean(case)}"]
    lines += [f"# in {one.unit}"] if one.unit not in ("", "pps") else []
    lines += [
        f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value) for value in one.values
    ]
    return ("\n".join(lines) + "\n").encode()


def _charts(
    judged: Sequence[Judged],
    taken: set[str],
    drawn: dict[str, Callable[[], bytes]],
    stems: Mapping[str, str],
    *,
    each: bool,
) -> tuple[str | None, dict[str, str]]:
    """The file name of the overview and, if `each`, of each case's chart; how to draw them goes into `drawn`.

    Values in several units have no axis in common, so there is no overview of them.
    """
    overview = None
    if len({one.comparison.unit or "pps" for one in judged}) < 2:
        overview = free_name("medians", ".svg", taken)
        drawn[overview] = partial(svgchart.overview, judged)
    images: dict[str, str] = {}
    for case, results in by_case(judged).items() if each else ():
        images[case] = name = free_name(f"iterations.{stems[case]}", ".svg", taken)
        drawn[name] = partial(svgchart.iterations, results)
    return overview, images


def flames_of(
    compared: Compared,
    stems: Mapping[str, str],
    taken: set[str],
    drawn: dict[str, Callable[[], bytes]],
) -> dict[str, list[tuple[str, str]]]:
    """The flame graphs of each case: title and file name; how to draw them goes into `drawn`.

    If a profile is damaged, the title says so, and the name is "".
    """
    flames: dict[str, list[tuple[str, str]]] = {}

    def add(case: str, title: str, stem: str, draw: Callable[[], bytes]) -> None:
        name = free_name(f"{stem}.{stems[case]}", ".svg", taken)
        drawn[name] = draw
        flames.setdefault(case, []).append((title, name))

    for case, results in by_case(compared.judged).items():
        labels = [compared.sides[0].label, *(one.other.label for one in results)]
        sets = {label: compared.side(label).case(case) for label in labels}
        whole = {}
        for label, one in sets.items():
            if case_profile.chosen(one) is None:
                continue
            if why := case_profile.damage(one):
                flames.setdefault(case, []).append((f"{label}: {why}", ""))
                continue
            whole[label] = one
            add(case, label, f"flame.{label}", partial(case_profile.flame, one, case))
        if labels[0] not in whole:
            continue
        for label in labels[1:]:
            if label in whole:
                draw = partial(case_profile.flame_difference, whole[labels[0]], whole[label], case)
                add(case, f"{label} against {labels[0]}: the difference", f"flame-difference.{label}", draw)
    return flames


def free_name(stem: str, suffix: str, taken: set[str]) -> str:
    """A safe file name that is not `taken`, in any case (some file systems fold it); adds it to `taken`."""
    name, count = f"{slug(stem)}{suffix}", 1
    while name.lower() in taken:
        count += 1
        name = f"{slug(stem)}-{count}{suffix}"
    taken.add(name.lower())
    return name
