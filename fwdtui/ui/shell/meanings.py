"""What each key means, on all screens: a key has one meaning, unless two are listed here.

A test holds every binding to this table, which docs/themes-and-keys.md shows.
"""

from typing import NamedTuple


class Meaning(NamedTuple):
    """`keys` (Textual's names, without spaces in between) mean `words` in the bindings with these ids."""

    keys: str
    words: str
    ids: str


MEANINGS = (
    # on every screen
    Meaning("q ctrl+q", "quit; with `ctrl` without a question", "app.quit app.quit_always"),
    Meaning("question_mark", "the help of this screen", "app.help help.close"),
    Meaning("M", "the messages of this run, once more", "app.messages messages.close"),
    Meaning("ctrl+p", "the palette of commands", "app.commands"),
    Meaning(
        "f2 f3 f4",
        "the modes Live, Sessions and Compare; of the one that is shown, the first screen",
        "app.mode_live app.mode_sessions app.mode_compare live.sessions",
    ),
    Meaning("l", "the run: back to it, or its live screen", "app.live experiment.live experiment_live.back"),
    Meaning(
        "escape",
        "back: to where one came from, or as it was before",
        "app.hide_help baseline.back compare.back compare_mode.sessions cursor.away destination.back"
        " dialog.no doctor.back experiment_live.back experiment_question.no factors.back filter.forget"
        " help.close interfaces.back messages.close metric.back"
        " new_lab.back preview.back prompt.back recording.back replay.leave scenario.back session.back"
        " profile.show_all sessions.show_all sweep.back table.back trouble.again trust.no writing.stop",
    ),
    Meaning(
        "enter",
        "open what the cursor is on, accept the line, or do what the screen offers",
        "compare.retry compare_mode.last cursor.away demo.go destination.write doctor.watch factors.done"
        " baseline.choose experiment.open experiment_question.on filter.enter interfaces.done metric.choose"
        " new_lab.next profile.turn prompt.enter scenario.choose"
        " session.enter_case session.replay_iteration"
        " sessions.open trouble.again trust.on",
    ),
    Meaning(
        "f5",
        "read again",
        "compare.again doctor.again preview.again session.reload sessions.reload sweep.reload",
    ),
    # moving
    Meaning(
        "up down left right j k pageup pagedown home end shift+up shift+down shift+left shift+right 0",
        "move: in a list, a text or time, or in and out of a group; with `shift` further; `j` and `k` as the"
        " arrows down and up, `0` as `home`",
        "app.down app.up compare.scroll_down compare.scroll_up cursor.back cursor.back_far cursor.first"
        " cursor.forward cursor.forward_far cursor.last dialog.down dialog.other dialog.page_down"
        " dialog.page_up dialog.up filter.keep list.down list.up profile.fold profile.fold_all"
        " profile.unfold profile.unfold_all recording.close recording.open replay.back"
        " replay.back_far replay.beginning replay.end replay.forward replay.forward_far sessions.fold"
        " sessions.fold_all sessions.unfold sessions.unfold_all table.first table.last",
    ),
    Meaning(
        "tab shift+tab",
        "the next and the previous tab, panel or chart",
        "compare.next_tab compare.last_tab sweep.next sweep.previous",
    ),
    Meaning(
        "1 2 3 4 5 6 7 8 9",
        "the tab or the entry with this number",
        "compare.tab_why compare.tab_histogram compare.tab_ministat compare.tab_iterations"
        " compare.tab_time compare.tab_profile compare.tab_facts compare.tab_warnings"
        " compare.tab_statistics session.tab_series session.tab_account session.tab_logs session.tab_dmesg"
        " session.tab_distribution session.tab_facts session.tab_functions welcome.1 welcome.2"
        " welcome.3 welcome.4 welcome.5 welcome.6",
    ),
    Meaning("H", "the hot functions, in which CPU time was spent", "compare.tab_functions"),
    Meaning(
        "n p",
        "the next and the previous iteration or blast, or the demo's next session",
        "compare.other_next compare.other_last demo.skip replay.next_blast replay.previous_blast"
        " session.next session.previous",
    ),
    Meaning("N P", "the baseline's next and previous iteration", "compare.base_next compare.base_last"),
    Meaning("full_stop comma", "one sample on or back", "replay.step replay.step_back"),
    # what is shown
    Meaning("m", "maximise one panel or tab, or show all", "compare.enlarge live.maximise"),
    Meaning("z Z", "zoom in and out", "compare.zoom compare.zoom_out live.zoom_in live.zoom_out"),
    Meaning(
        "f",
        "the axis: fitted to the rates or from zero; of a sweep linear or logarithmic",
        "compare.axis sweep.scale",
    ),
    Meaning("W", "the wire: the link's speed and the frames' length, for line rate", "sweep.link"),
    Meaning("B", "bits or packets", "live.unit"),
    Meaning(
        "x",
        "the other form of the same: matrix or list, Markdown or page, chart or table",
        "compare.matrix experiment.form preview.source profile.form sweep.table",
    ),
    Meaning(
        "i", "choose what is included: interfaces, parts of a report", "live.interfaces preview.include"
    ),
    Meaning("S", "a sweep: medians over a factor", "compare.sweep session.sweep sessions.sweep"),
    Meaning("K", "another factor for the lines of a sweep", "sweep.series"),
    Meaning("slash", "search", "compare.search recording.filter session.search sessions.filter"),
    Meaning(
        "less_than_sign greater_than_sign",
        "sort by another column",
        "profile.sort profile.sort_back sessions.sort sessions.sort_back",
    ),
    Meaning("I", "invert the order", "sessions.turn"),
    Meaning("G", "group a list", "sessions.group"),
    Meaning("left_square_bracket right_square_bracket", "slower and faster", "replay.slower replay.faster"),
    Meaning("L", "loop", "replay.loop"),
    Meaning("T", "the samples as a table, and back", "compare.table live.table session.table table.back"),
    Meaning("v", "a second recording beside this one", "replay.beside"),
    # what is done
    Meaning("space", "pause and resume what runs", "live.pause replay.play replay.stop"),
    Meaning("space", "mark what the cursor is on", "session.candidate sessions.candidate"),
    Meaning("U", "unmark all", "sessions.unmark"),
    Meaning("s", "save: an iteration, a table", "live.cut table.save"),
    Meaning("u ctrl+z", "undo the last change", "live.take_back sessions.undo"),
    Meaning(
        "a",
        "automatic: an iteration of each blast, the lab's own interfaces",
        "interfaces.all live.automatic",
    ),
    Meaning("A", "run the demo automatically", "demo.run_all"),
    Meaning("w", "restart the walk of the demo", "demo.walk"),
    Meaning("g", "start or stop the generator, or the experiment", "experiment.stop live.generator"),
    Meaning(
        "b",
        "the baseline",
        "compare.swap factors.baseline live.baseline session.baseline sessions.baseline",
    ),
    Meaning("c", "compare", "demo.compare experiment.compare session.compare sessions.compare"),
    Meaning(
        "F",
        "the factors: to compare by, and what is included; on the axis of a sweep",
        "compare.factors sweep.factor",
    ),
    Meaning("C", "what is compared: the rate, or what a packet costs", "compare.metric sweep.metric"),
    Meaning("plus equals_sign minus", "a wider or narrower margin", "compare.margin_up compare.margin_down"),
    Meaning(
        "left_parenthesis right_parenthesis", "less or more confidence", "compare.conf_down compare.conf_up"
    ),
    Meaning("r", "replay", "compare.replay session.replay sessions.replay"),
    Meaning(
        "o",
        "open something else: a session, a folder, a scenario",
        "compare.open demo.others sessions.folder",
    ),
    Meaning(
        "e",
        "the report: look at it, write it",
        "compare.export experiment.report preview.export sweep.export",
    ),
    Meaning(
        "y ctrl+c",
        "copy what is under the cursor; `ctrl+c` in dialogs, where `y` answers or is text",
        "app.copy dialog.copy list.copy",
    ),
    Meaning("t", "write a text: a note, a title", "preview.title session.annotate sessions.annotate"),
    Meaning("R", "rename", "sessions.rename"),
    Meaning("d delete", "drop or delete what the cursor is on", "session.drop sessions.delete"),
    # in dialogs and forms
    Meaning(
        "y n",
        "yes and no, to a question",
        "dialog.yes dialog.no experiment_question.yes experiment_question.no trust.yes trust.no",
    ),
    Meaning("ctrl+s", "accept a text of several lines, or a form", "new_lab.write prompt.keep"),
    Meaning("ctrl+n", "use another name", "destination.other"),
)  # fmt: skip


def meanings_of(key: str, name: str) -> list[Meaning]:
    """The meanings that this key is listed with for the binding with the id `name`."""
    return [one for one in MEANINGS if key in one.keys.split() and name in one.ids.split()]
