"""Keys, tabs and help of the comparison screen."""

from textual.binding import Binding

MARGINS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
CONFIDENCES = (80.0, 90.0, 95.0, 98.0, 99.0, 99.5)  # ministat's levels
TABS = {  # id: its long and its short name
    "why": ("why", "why"),
    "histogram": ("histogram", "hist"),
    "ministat": ("ministat", "ministat"),
    "iterations": ("iterations", "iter"),
    "time": ("time series", "time"),
    "profile": ("queues and CPU", "CPU"),
    "facts": ("facts that differ", "facts"),
    "warnings": ("warnings", "warn"),
    "statistics": ("statistics", "stats"),
}
BESIDE = {  # on a wide terminal: what stands beside an open tab
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
HELP = """\
# Comparison
One row per case. The bar is the confidence interval of the difference: where it crosses the middle line, no
difference is proven; the faint marks beside that line are the margin. `+` and `-` change the margin within
which two results count as **equivalent**, `(` and `)` the confidence; `z` enlarges small differences.
A `!` after a verdict means that a warning bears on it: `1` names it and `8` explains it; `9` has the
statistics step by step.

The tabs, `1` to `9`, show what led to the verdict of the selected row. Time series and profile show one
iteration per side, at first the one nearest to its median: `[` and `]` choose the candidate's, `{` and `}`
the baseline's; `y` zooms in. `x` shows cases against candidates, `w` makes the selected candidate the
baseline, `r` replays both iterations side by side, `m` enlarges the tab to the whole window.

Point at the time series for the values of one moment. A click keeps the cursor there, and `←` `→` move it;
in the enlarged tab they do so at once. `T` shows the samples of both iterations as a table.
"""
BINDINGS: tuple[Binding, ...] = (
    Binding("escape", "back", "back", id="compare.back"),
    Binding("enter", "retry", "try again", id="compare.retry",
            tooltip="Read the sessions again after a failure"),
    Binding("tab,n", "next_tab(1)", "tab", key_display="n", priority=True, id="compare.next_tab",
            tooltip="The next of the tabs below the table"),
    Binding("shift+tab,p", "next_tab(-1)", "previous tab", show=False, priority=True,
            id="compare.last_tab"),
    Binding("plus,equals_sign", "margin(1)", "margin", key_display="+ -", id="compare.margin_up",
            tooltip="A wider margin of equivalence"),
    Binding("minus", "margin(-1)", "narrower margin", show=False, id="compare.margin_down"),
    Binding("right_parenthesis", "confidence(1)", "confidence", key_display="( )", id="compare.conf_up",
            tooltip="More confidence"),
    Binding("left_parenthesis", "confidence(-1)", "less confidence", show=False, id="compare.conf_down"),
    Binding("x", "matrix", "matrix", id="compare.matrix", tooltip="Cases against candidates, or a list"),
    Binding("e", "export", "report", id="compare.export", tooltip="Look at the report and write it"),
    Binding("w", "swap", "swap", show=False, id="compare.swap",
            tooltip="Make the selected candidate the baseline"),
    Binding("m", "enlarge", "enlarge", show=False, id="compare.enlarge",
            tooltip="Show the tab alone, or with the table"),
    Binding("z", "zoom", "zoom", show=False, id="compare.zoom", tooltip="A shorter axis for the bars"),
    Binding("y", "axis", "time axis", show=False, id="compare.axis",
            tooltip="The time series from zero, or close around the measured rates"),
    Binding("right_square_bracket", "iteration('other', 1)", "candidate's next iteration", show=False,
            id="compare.other_next"),
    Binding("left_square_bracket", "iteration('other', -1)", "candidate's previous iteration", show=False,
            id="compare.other_last"),
    Binding("right_curly_bracket", "iteration('base', 1)", "baseline's next iteration", show=False,
            id="compare.base_next"),
    Binding("left_curly_bracket", "iteration('base', -1)", "baseline's previous iteration", show=False,
            id="compare.base_last"),
    Binding("T", "table", "table", show=False, id="compare.table",
            tooltip="The samples of both iterations as a table, to copy or save"),
    Binding("r", "replay", "replay", show=False, id="compare.replay",
            tooltip="Replay the chosen iterations side by side"),
    Binding("o", "open", "open session", show=False, id="compare.open",
            tooltip="The candidate's session"),
    Binding("f5", "again", "read again", show=False, id="compare.again"),
    Binding("shift+down", "scroll(1)", "scroll the tab down", show=False, id="compare.scroll_down"),
    Binding("shift+up", "scroll(-1)", "scroll the tab up", show=False, id="compare.scroll_up"),
    *(Binding(str(number), f"tab('{name}')", f"tab: {words[0]}", show=False, id=f"compare.tab_{name}")
      for number, (name, words) in enumerate(TABS.items(), 1)),
)  # fmt: skip


def stepped(choices: tuple[float, ...], now: float, step: int) -> float:
    """The next choice above or below `now`, or the last one in that direction."""
    if step > 0:
        return next((choice for choice in choices if choice > now), choices[-1])
    return next((choice for choice in reversed(choices) if choice < now), choices[0])
