"""What differs besides the results: the hosts' settings in a sentence, facts, and settings line by line."""

from rich.style import Style
from rich.text import Text

from fwdtui.report import settings_wording
from fwdtui.report.comparison import Compared
from fwdtui.report.settings_difference import SettingsDifference
from fwdtui.report.settings_lines import unified
from fwdtui.stats.results import Judged
from fwdtui.ui.compare import tab_texts
from fwdtui.ui.draw.styles import Styles

_NO_SETTINGS = "Settings of the hosts were not recorded for these two, so differences of them are not known."


def text(judged: Judged, compared: Compared, width: int, styles: Styles) -> Text:
    """Everything that is known to differ, the most important first."""
    settings = compared.settings_of(judged)
    facts = tab_texts.facts(judged, compared, width, styles)
    if settings is None:
        return facts.append(f"\n\n{_NO_SETTINGS}", style=styles["dim"])
    shown = Text().append(f"{settings_wording.sentence(settings)}.\n", style=styles["bold"])
    for remark in settings_wording.remarks(settings):
        shown.append(f"{remark}.\n", style=styles["dim"])
    between = compared.settings_between
    for line in (*between.sentences().values(), *between.not_told()):
        shown.append(f"{line}\n")
    facts.rstrip()
    shown.append("\n").append_text(facts)
    return shown.append_text(_lines(settings, styles))


def _lines(settings: SettingsDifference, styles: Styles) -> Text:
    """The unified difference, and what was not compared."""
    shown = Text()
    if lines := unified(settings):
        shown.append("\n\nsettings\n", style=styles["bold"])
    for line in lines:
        shown.append(f"{line}\n", style=_style(line, styles))
    if settings.not_compared:
        shown.append("\nnot compared\n", style=styles["bold"])
    for one in settings.not_compared:
        shown.append(f"{settings_wording.place(one.role, one.source) or 'the DUT'}: {one.reason}\n")
    return shown


def _style(line: str, styles: Styles) -> Style:
    if line.startswith("@@"):
        return styles["dim"]
    return styles["base"] if line.startswith("-") else styles["other"] if line.startswith("+") else Style()
