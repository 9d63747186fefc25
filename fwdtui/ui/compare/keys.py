"""Keys, tabs and help of the comparison screen."""

from textual.binding import Binding

from fwdtui.ui.common.footer import FooterKeys
from fwdtui.ui.common.own_keys import key

MARGINS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
CONFIDENCES = (80.0, 90.0, 95.0, 98.0, 99.0, 99.5)  # ministat's levels
TABS = {  # id: its long and its short name
    "why": ("why", "why"),
    "histogram": ("histogram", "hist"),
    "ministat": ("ministat", "mini"),
    "iterations": ("iterations", "iter"),
    "time": ("time series", "time"),
    "profile": ("queues and CPU", "CPU"),
    "facts": ("facts that differ", "facts"),
    "warnings": ("warnings", "warn"),
    "statistics": ("statistics", "stats"),
    "functions": ("functions", "func"),
}
TAB_KEYS = dict(zip(TABS, "123456789H", strict=True))


def tab_key(name: str) -> str:
    """The key that opens a tab."""
    return key(f"compare.tab_{name}", TAB_KEYS[name])


BESIDE = {  # on a wide terminal: which tab is shown beside an open tab
    "why": "histogram",
    "histogram": "statistics",
    "ministat": "histogram",
    "iterations": "histogram",
    "time": "profile",
    "profile": "time",
    "facts": "why",
    "warnings": "why",
    "statistics": "histogram",
}
ALONE = ("functions",)
"""Tabs that always have the whole width."""
HELP = """\
# Comparison
One row per case. The bar is the confidence interval of the difference: where it crosses the middle line, no
difference is proven; the faint marks beside that line are the margin. `+` and `-` change the margin within
which two results count as **equivalent**, `(` and `)` the confidence; `z` enlarges small differences, `Z`
shows larger ones.
A `!` after a verdict means that a warning bears on it: `1` names it and `8` explains it; `9` has the
statistics step by step. `7` says what else differs: settings of the hosts, and facts of the lab.

The tabs, `1` to `9`, show what led to the verdict of the selected row. Time series and profile show one
iteration per side, at first the one nearest to its median: `n` and `p` choose the candidate's, `N` and `P`
the baseline's; `f` fits the axis to the rates. `x` shows cases against candidates, `b` makes the selected
candidate the baseline, `r` replays both iterations side by side, `m` enlarges the tab to the whole window.

`H` shows the **functions** in which CPU time was spent, for both sides next to each other, if profiles were
taken: shares of the samples that are not idle, or samples per million packets where these are known. `/`
searches, and in the enlarged tab `Enter` and `←` `→` open and fold, with `shift` all; `x` turns the tree
round: callers below what ran, or from the root. `fwdtui profile flame` draws the same as a flame graph.

`F` compares by factors: choose which one (image, config, af ...), which levels are included, and the
baseline. A row is then a combination of the other factors' levels, and `x` crosses two of them. The first tab
says whether the effect depends on another factor. `S` shows a sweep: medians over a factor with three levels
or more, such as queues, a line for each level of another.

`C` compares what a packet costs instead of the rate: core time, or cycles and other events where they were
counted. The time series still show rates.

Point at the time series for the values of one moment. A click keeps the cursor there, and `←` `→` move it;
in the enlarged tab they do so at once. `T` shows the samples of both iterations as a table. `y` copies the
selected row, or the enlarged tab.
"""
BINDINGS: tuple[Binding, ...] = (
    Binding("enter", "retry", "try again", id="compare.retry",
            tooltip="Read the sessions again after a failure"),
    Binding("tab", "next_tab(1)", "tab", key_display="1-9", priority=True, id="compare.next_tab",
            tooltip="The next of the tabs below the table"),
    Binding("shift+tab", "next_tab(-1)", "previous tab", show=False, priority=True,
            id="compare.last_tab"),
    Binding("e", "export", "report", id="compare.export", tooltip="Look at the report and write it"),
    Binding("r", "replay", "replay", id="compare.replay",
            tooltip="Replay the chosen iterations side by side"),
    Binding("plus,equals_sign", "margin(1)", "margin", key_display="+/-", id="compare.margin_up",
            tooltip="A wider margin of equivalence"),
    Binding("minus", "margin(-1)", "narrower margin", show=False, id="compare.margin_down"),
    Binding("escape", "back", "back", id="compare.back"),
    Binding("m", "enlarge", "maximise", id="compare.enlarge",
            tooltip="Show the tab alone, or with the table"),
    Binding("right_parenthesis", "confidence(1)", "confidence", key_display="(/)", id="compare.conf_up",
            tooltip="More confidence"),
    Binding("left_parenthesis", "confidence(-1)", "less confidence", show=False, id="compare.conf_down"),
    Binding("F", "factors", "factors", id="compare.factors",
            tooltip="Choose the factors to compare by, and what is included"),
    Binding("C", "metric", "metric", id="compare.metric", show=False,
            tooltip="Compare the rate, or what a packet costs"),
    Binding("S", "sweep", "sweep", id="compare.sweep", show=False,
            tooltip="Medians over a factor, for the compared sessions"),
    Binding("x", "matrix", "matrix", id="compare.matrix", tooltip="Cases against candidates, or a list"),
    Binding("z", "zoom(-1)", "zoom in/out", key_display="z/Z", id="compare.zoom",
            tooltip="A shorter axis for the bars"),
    Binding("Z", "zoom(1)", "zoom out", show=False, id="compare.zoom_out"),
    Binding("n", "iteration('other', 1)", "iteration", key_display="n/p", id="compare.other_next",
            tooltip="The candidate's next iteration"),
    Binding("p", "iteration('other', -1)", "candidate's previous iteration", show=False,
            id="compare.other_last"),
    Binding("N", "iteration('base', 1)", "baseline's iteration", key_display="N/P", id="compare.base_next",
            tooltip="The baseline's next iteration"),
    Binding("P", "iteration('base', -1)", "baseline's previous iteration", show=False,
            id="compare.base_last"),
    Binding("f", "axis", "fit", id="compare.axis",
            tooltip="The rate axis from zero, or fitted to the measured rates"),
    Binding("T", "table", "table", id="compare.table",
            tooltip="The samples of both iterations as a table, to copy or save"),
    Binding("b", "swap", "baseline", id="compare.swap", tooltip="Make the selected candidate the baseline"),
    Binding("o", "open", "open session", id="compare.open", tooltip="The candidate's session"),
    Binding("f5", "again", "read again", key_display="F5", id="compare.again"),
    Binding("shift+down", "scroll(1)", "scroll the tab down", show=False, id="compare.scroll_down"),
    Binding("shift+up", "scroll(-1)", "scroll the tab up", show=False, id="compare.scroll_up"),
    *(Binding(TAB_KEYS[name], f"tab('{name}')", f"tab: {words[0]}", show=False, id=f"compare.tab_{name}")
      for name, words in TABS.items()),
    Binding("slash", "search", "search", key_display="/", id="compare.search",
            tooltip="A part of a function's name"),
)  # fmt: skip
FOOTER = FooterKeys(
    short={"compare.base_next": "baseline's", "compare.enlarge": "max", "compare.zoom": "zoom"}
)


def stepped(choices: tuple[float, ...], now: float, step: int) -> float:
    """The next choice above (`step` > 0) or below `now`, or the last one in that direction."""
    if step > 0:
        return next((choice for choice in choices if choice > now), choices[-1])
    return next((choice for choice in reversed(choices) if choice < now), choices[0])
