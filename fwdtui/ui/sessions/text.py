"""One session in words: what its cases measured, what is wrong with it, its facts."""

from collections.abc import Iterable, Mapping, Sequence

from rich.text import Text

from fwdtui.core.findings import NOISY, WRONG
from fwdtui.core.model import UNKNOWN_TIME, Case, Fact, Iteration, Session, by_local_clock
from fwdtui.core.sentences import after_colon
from fwdtui.core.text import clean, clean_lines
from fwdtui.core.units import grouped
from fwdtui.report import facts, hygiene, hygiene_of
from fwdtui.report.cells import columns_of, pad, shorten
from fwdtui.report.iterations import CaseSet, case_set, measured, units_of
from fwdtui.report.own_warnings import own_warnings
from fwdtui.report.recordings import unfinished_text
from fwdtui.report.table import number
from fwdtui.stats.describe import describe
from fwdtui.stats.figures import listing
from fwdtui.stats.results import Description
from fwdtui.store import Damaged
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.draw.sparkline import sparkline
from fwdtui.ui.draw.view import NONE

_STRIP = 40  # iterations drawn in a case's line
_NAME = 28  # cells of the longest name of a case
_MOST_PPS = 1e13  # no rate: of a damaged file, and in full it would fill the screen
_FACTS = 14
_CASES = 4  # the most cases that are named beside a finding
_MATTER = (  # facts that distinguish sessions, the most important first
    *("lab", "title", "image", "kernel", "dut.os", "dut.kernel", "uname", "dut.cpu", "dut.cpus", "nic"),
    *("dut.firewall", "dut.firewall_rules", "generator.tool", "generator.command", "receiver.tool"),
    *("line_rate", "trim", "imported_from", "imported_tree"),
)


def session_text(entry: Session | Damaged, verdict: Text | None = None) -> Text:
    """The text beside the list for a session. `verdict`: the lines on it against the baseline."""
    text = Text()
    if isinstance(entry, Damaged):
        text.append("This session cannot be read.\n", style="bold")
        text.append(f"{clean(entry.reason)}\n")
        trash = f"move the session to the trash with {key('sessions.delete', 'd')}."
        text.append(f"It was not changed. Repair the file, or {trash}")
        return text
    results = [(case, case_set(entry, case, entry.label)) for case in entry.cases]
    if entry.recording:
        again = f"{key('sessions.reload', 'F5')} shows what has been added."
        text.append(f"This session is being recorded: {again}\n", style="bold")
    elif not results:
        text.append(f"{unfinished(entry)}\n", style="bold")
    names = min(max((columns_of(clean(case.name)) for case in entry.cases), default=0), _NAME)
    for case, one in results:
        text.append_text(case_line(case, described(one), names))
    if verdict is not None:
        text.append_text(verdict)
    if entry.note:
        text.append("note ", style="bold")
        text.append(f"{clean_lines(entry.note)}\n")
    text.append_text(remarks(entry, results))
    text.append("recorded ", style="bold")
    text.append(_moment(entry.created) or UNKNOWN_TIME)
    if entry.imported:
        text.append("   imported ", style="bold")
        text.append(_moment(entry.imported))
    text.append(f"   {clean(entry.path)}\n")
    told = facts.of_session(entry)  # an experiment's iterations may have facts of their own
    shown = _chosen(told)
    text.append_text(fact_lines((name, told[name]) for name in shown))
    if more := len(told) - len(shown):
        text.append(f"… {more} more facts: {key('sessions.open', 'Enter')} opens the session.\n", style="dim")
    return text


def _moment(when: str) -> str:
    """A date to the second, in this computer's time zone like those of the list."""
    return by_local_clock(clean(when))[:19].replace("T", " ")


def unfinished(session: Session) -> str:
    """What was recorded of a session without iterations, in a sentence."""
    left = unfinished_text(session)
    none = "No iteration was finished"
    return f"{none}: {left}. {key('sessions.replay', 'r')} replays it." if left else f"{none}."


def case_line(case: Case, result: Description, name_width: int) -> Text:
    """Name, median, spread, how many iterations count, and each iteration as a block, in order."""
    text = Text(pad(clean(case.name), name_width), style="bold", no_wrap=True, overflow="ellipsis")
    text.append(f" {figure(result.median, unit_of(case.iterations)):>13}", style="bold")
    text.append(f" {unit_of(case.iterations)}   spread {spread(result):>7}   ", style="not bold")
    meant = measured(case)
    text.append(f"n {counted(result.n, len(meant))}   ", style="not bold")
    text.append(f"{blocks(meant, _STRIP)}\n", style="not bold")
    return text


def blocks(meant: Sequence[Iteration], cells: int) -> str:
    """Each iteration as a block, in order; "" if their values have several units, so no common scale."""
    if len(units_in(meant)) > 1:
        return ""
    return sparkline([None if one.dropped else one.value for one in meant], cells)


def described(one: CaseSet) -> Description:
    """Statistics of the values that count. If they have several units, only how many there are."""
    if len(units_of(one.used)) > 1:
        return Description(one.result.label, len(one.result.values), None, None, None, None, None)
    return describe(one.result)


def figure(value: float | None, unit: str) -> str:
    """A value: whole packets per second; in another unit, or beyond _MOST_PPS, as a comparison shows it."""
    if value is None or unit != "pps" or abs(value) >= _MOST_PPS:
        return number(value)
    return grouped(value)


def unit_of(iterations: Iterable[Iteration]) -> str:
    """The unit of the iterations' values; several are listed."""
    return ", ".join(units_in(iterations)) or "pps"


def units_in(iterations: Iterable[Iteration]) -> list[str]:
    """The units of those iterations that have values, each once."""
    return units_of(one for one in iterations if one.value is not None)


def spread(result: Description) -> str:
    """The range from the least to the greatest value, in percent of the median."""
    if result.n < 2 or not result.median or result.max is None or result.min is None:
        return NONE
    return f"{(result.max - result.min) / result.median * 100:.2f} %"


def counted(n: int, recorded: int) -> str:
    """``5``, or ``4 of 5`` if not all count."""
    return str(n) if n == recorded else f"{n} of {recorded}"


def remarks(session: Session, results: Sequence[tuple[Case, CaseSet]]) -> Text:
    """Damage, iterations that do not count, and warnings, in a line each: the lines that the list counts."""
    text = Text()
    for one in own_warnings(session, results):
        text.append(f"! {one.code} ", style="bold")
        text.append(f"{', '.join(one.cases)}: {after_colon(one.text)}\n" if one.cases else f"{one.text}\n")
    return text


def hygiene_lines(session: Session, sets: Iterable[CaseSet]) -> Text:
    """What on the hosts makes results misleading: by host, the worst first, with the command to change it.

    `sets`: the session's cases. In an experiment, a finding that is not about all cases names them.
    """
    text = Text()
    for host, findings in hygiene_of.by_case(session, sets):
        text.append(f"lab hygiene of {clean(host)}\n", style="bold")
        for one, cases in findings:
            style = "bold" if one.severity == WRONG else "" if one.severity == NOISY else "dim"
            text.append(f"  {one.severity:<6}{one.place}: {one.seen}{_only(cases, session)}\n", style=style)
            if one.do:
                text.append(f"        → {one.do}\n", style="dim")
    return text


def hygiene_facts(session: Session, sets: Iterable[CaseSet]) -> dict[str, str]:
    """The same as facts, to be searched. Without an experiment, also what changed during the recording."""
    if not hygiene.is_experiment(session):
        return hygiene.facts(session)
    told: dict[str, list[str]] = {}
    for host, findings in hygiene_of.by_case(session, sets):
        for one, cases in findings:
            told.setdefault(hygiene.fact(host, one.place), []).append(f"{one.seen}{_only(cases, session)}")
    return {name: "; ".join(texts) for name, texts in told.items()}


def _only(cases: Sequence[str], session: Session) -> str:
    if not cases:
        return ""
    few = len(cases) <= _CASES
    return f" (only {listing(cases)})" if few else f" (only in {len(cases)} of {len(session.cases)} cases)"


def fact_lines(named_facts: Iterable[tuple[str, Fact]], room: int | None = 160) -> Text:
    """A line per fact. `room`: cells before a long one is cut; None: never cut."""
    text = Text()
    for name, fact in named_facts:
        value = facts.text(fact)
        text.append(f"{clean(name)} ", style="bold")
        text.append(f"{value if room is None else shorten(value, room)}\n")
    return text


def _chosen(recorded: Mapping[str, Fact]) -> Sequence[str]:
    """The names of the important facts, or of all facts if there are few."""
    telling = [name for name in _MATTER if name in recorded]
    drivers = [name for name in recorded if name.startswith("dut.") and name.endswith(".driver")]
    rest = [name for name in recorded if name not in telling and name not in drivers]
    chosen = [*telling, *drivers]
    return [*chosen, *rest[: max(_FACTS - len(chosen), 0)]]
