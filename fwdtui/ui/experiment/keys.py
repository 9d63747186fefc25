"""Keys and help of the screen of an experiment."""

from textual.binding import Binding

from fwdtui.ui.common.footer import FooterKeys

HELP = """\
# Experiment
The **design** is a table of two factors, or a list of their combinations. A cell says how many of its planned
trials are done, their mean so far, and how that mean differs from the baseline's, which is named above the
table. Until the experiment is over, that is not a verdict: if you stop as soon as you like what you see, you
claim differences that are not there. Where looks are planned, the line says what the last one found.

`▶` is being measured, `✓` done, `◐` begun, `·` planned, `✕` a trial was given up; `↻2` is two attempts that
did not count. The **log** says which, and why.

`l` shows the live screen of the same run, and `l` or `Esc` there leads back. `Enter` opens the session of
the cell under the cursor, `x` shows a table as a list. `g` stops the experiment, after a question: its
changes on the hosts are undone first, and `fwdtui experiment FILE --resume` continues it later. When it is
over, `c` compares by its first factor, and `e` previews the report.
"""
BINDINGS: tuple[Binding, ...] = (
    Binding("g", "stop", "start/stop", id="experiment.stop"),
    Binding("l", "blast", "live", id="experiment.live"),
    Binding("c", "compare", "compare", id="experiment.compare"),
    Binding("e", "report", "report", id="experiment.report"),
    Binding("x", "form", "table/list", id="experiment.form"),
)
FOOTER = FooterKeys()
LIVE_HELP = """
# Part of an experiment
The experiment starts and stops the generators and saves its iterations itself. `l` or `Esc` leads back to its
design, `g` stops it after a question.
"""
