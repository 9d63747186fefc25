"""Where the app writes a report, and the command that writes the same one. Headless: no widgets here."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.shell_words import quote
from fwdtui.core.text import clean, decode, slug
from fwdtui.core.units import in_full
from fwdtui.report import bundle, placing
from fwdtui.report.comparison import CONFIDENCE, MARGIN, Compared
from fwdtui.report.document import SECTIONS, Choices
from fwdtui.report.factor_view import FactorView
from fwdtui.report.markdown import own_title
from fwdtui.report.shell_words import argument

_NAME_MOST = 48  # characters of a file name; longer ones are shortened


def title(compared: Compared) -> str:
    """The default heading of the report."""
    return clean(own_title(compared))


def default_out(compared: Compared) -> Path:
    """A name in the current folder that says what is compared, and is free or an earlier report's."""
    base, *others = compared.labels
    stem = "-".join([base, *others])
    if len(stem) > _NAME_MOST:
        stem = f"{base}-and-{len(others)}-others" if len(others) > 1 else stem
    return free(Path(f"{slug(stem)}.md"))


def plan(out: Path, compared: Compared, choices: Choices) -> bundle.Plan:
    """The report as it will be, with nothing drawn or written yet."""
    return bundle.plan(out, compared, choices)


def command(out: Path, compared: Compared, choices: Choices) -> str:
    """The shell command that writes the same files if run in the current folder."""
    words = ["fwdtui", "report", *(argument(path) for path in compared.paths), "-o", argument(out)]
    words += _spelled_out(compared).options()
    if compared.margin != MARGIN or compared.experiments:  # an experiment's own would be the default
        words += ["--margin", f"{in_full(compared.margin)}%"]
    if compared.confidence != CONFIDENCE:
        words += ["--confidence", in_full(compared.confidence)]
    if choices.title:
        words += [f"--title={choices.title}"] if choices.title[0] == "-" else ["--title", choices.title]
    if choices.without:
        words += ["--without", ",".join(name for name in SECTIONS if name in choices.without)]
    return " ".join(map(quote, words))


def _spelled_out(compared: Compared) -> FactorView:
    """What is shown, with its baseline: without it, the command would take the first level of a design."""
    view = compared.view
    if not compared.experiments or not view.by or view.baseline or view.order:
        return view
    levels = compared.sides[0].levels
    return replace(view, baseline=tuple((name, one.text) for name, one in levels.items()))


def destination(text: str, default: Path) -> Path:
    """The path that the user typed; a folder means the default's name in it.

    Raises FwdtuiError if it is not a path: the home of an unknown user, or a name that is too long.
    """
    text = text.strip()
    try:
        out = Path(text).expanduser() if text else default
        return out / default.name if out.is_dir() else out
    except OSError as error:
        raise FwdtuiError(f"{clean(text)}: {error.strerror or error}") from None
    except (RuntimeError, ValueError) as error:
        raise FwdtuiError(f"{clean(text)}: {error}") from None


def free(out: Path) -> Path:
    """`out`, or if no report wrote that file, the first of ``out-2``, ``out-3`` that is free."""
    candidate, count = out, 1
    while _taken(candidate):
        count += 1
        candidate = out.with_name(f"{out.stem}-{count}{out.suffix}")
    return candidate


def alternative(out: Path, default: Path, plan: Callable[[Path], bundle.Plan]) -> Path | None:
    """A place near `out`, or else in the current folder, where the report can be written; None: nowhere."""
    near = [] if out.suffix == ".md" or not out.name else [out.with_name(f"{out.stem}.md")]
    near += [out.with_name(f"{out.stem}-{count}{out.suffix}") for count in range(2, 10)]
    here = Path(default.name)
    for candidate in near if out.parent.is_dir() else [here, free(here)]:
        if not problem(plan(candidate)):
            return candidate
    return None


def _taken(out: Path) -> bool:
    folder = out.with_name(f"{out.stem}.d")
    return (out.exists() and not placing.is_ours(out)) or (folder.exists() and not folder.is_dir())


def shown(path: Path) -> str:
    """A path to show: bytes that are not text are spelled out, and control characters are left out."""
    return clean(decode(os.fsencode(path)))


def problem(plan: bundle.Plan) -> str:
    """Why the report cannot be written there, in one line; empty when it can."""
    try:
        plan.check()
    except (FwdtuiError, OSError) as error:
        return clean(str(error)).removesuffix("; move it or choose another -o")
    return ""
