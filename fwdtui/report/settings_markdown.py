"""The report's section on settings: the sentence, and below it, folded, the unified diff."""

from collections.abc import Iterator

from fwdtui.report.document import Document
from fwdtui.report.escape import fence, inline
from fwdtui.report.settings_difference import SettingsDifference
from fwdtui.report.settings_lines import unified
from fwdtui.report.settings_wording import place, remarks, told

FOLDED = DIFFERENCE, NOT_COMPARED = "Unified difference", "Not compared"
"""The titles of what is folded."""


def section(document: Document) -> Iterator[str]:
    """The section; nothing if no session has settings, or if the section is left out."""
    differences = document.compared.settings
    if not differences or not document.has("settings"):
        return
    yield "## Settings: what differs\n"
    between = document.compared.settings_between
    for one, text in {**told(differences), **between.sentences()}.items():
        yield f"{inline(text)}\n"
        yield from (f"{inline(f'{remark}.')}\n" for remark in remarks(one))
        if lines := unified(one):
            yield _folded(DIFFERENCE, fence("\n".join(lines), "diff"))
        if one.not_compared:
            yield _folded(NOT_COMPARED, _not_compared(one))
    yield from (f"{inline(text)}\n" for text in between.not_told())


def _not_compared(difference: SettingsDifference) -> str:
    lines = [f"{place(one.role, one.source) or 'the DUT'}: {one.reason}" for one in difference.not_compared]
    return "".join(f"- {inline(line)}\n" for line in lines)


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n</details>\n"
