"""The words around the list of sessions: the folder, what is marked, what to do if it is empty."""

from collections.abc import Mapping
from pathlib import Path

from rich.text import Text

from fwdtui.core.shell_words import quote
from fwdtui.core.text import clean
from fwdtui.report.cells import columns_of, shorten
from fwdtui.report.shell_words import argument
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.selection import Marks

_PATH_LEAST = 12  # columns of the folder's path; a shorter one would be useless


def heading(folder: Path, there: int, shown: int, wanted: str, by: str, state: str, columns: int) -> Text:
    """``12 sessions in sessions``, and how many of them the filter shows, in a line of `columns`.

    `wanted`: the filter. `by`: what they are grouped by, in words. `state`: what is being done to the list.
    """
    begin = f"{there} session{'' if there == 1 else 's'}"
    middle = f"   {shown} with “{wanted}”" if wanted else ""
    middle += f"   {by}" if by else ""
    end = f"   {clean(state)}" if state else ""
    room = max(columns - len(begin) - len(" in ") - columns_of(middle) - columns_of(end), _PATH_LEAST)
    text = Text(begin, style="bold")
    text.append(f" in {shorten(clean(str(folder)), room)}", style="not bold")
    text.append(middle)
    return text.append(end, style="not bold")


def progress(reading: bool, judged: int, wanted: int) -> str:
    """What is being done to the list. `judged` of `wanted` sessions have been judged against the baseline."""
    if reading:
        return "reading …"
    return f"judging {judged} of {wanted} …" if judged < wanted else ""


def nothing_here(folder: Path, problem: str) -> Text:
    """Why there is no session here, and what to do."""
    shown = clean(str(folder))
    text = Text(f"{clean(problem)}\n" if problem else f"No sessions in {shown} yet.\n", style="bold")
    keys = [
        (key("sessions.folder", "o"), "open another folder"),
        (key("sessions.reload", "F5"), "look again"),
    ]
    ways = [
        ("fwdtui demo", "a simulated lab: two sessions in two minutes, no root"),
    ]
    if not problem:
        text.append("Record or import iterations to create one.\n", style="not bold")
        into = quote(argument(folder))
        ways += [
            (f"fwdtui live --into {into}", "record the lab of ./lab.toml"),
            (f"fwdtui import DIR --into {into}", "pkt-gen logs that you already have"),
        ]
    for pressed, what in keys:
        text.append(f"\n{pressed}", style="bold").append(f"   {what}", style="not bold")
    for command, what in ways:
        text.append(f"\n{command}", style="bold").append(f"\n    {what}", style="not bold")
    return text


def marked(marks: Marks, labels: Mapping[str, str], both: bool) -> Text:
    """What would be compared, or what still has to be marked. `both`: they were marked automatically."""
    text = Text()
    if marks.base is not None:
        text.append("baseline ", style="dim").append(labels.get(marks.base, marks.base), style="bold")
    if marks.candidates:
        word = "  candidates " if len(marks.candidates) > 1 else "  candidate "
        text.append(word, style="dim")
        text.append(", ".join(labels.get(path, path) for path in marks.candidates), style="bold")
    if not marks.missing():
        compares = f"{key('sessions.compare', 'c')} compares"
        text.append(f"   the only two: {compares}" if both else f"   {compares}", style="dim")
    elif text.plain:
        text.append(f"   mark {marks.missing()}", style="dim")
    return text
