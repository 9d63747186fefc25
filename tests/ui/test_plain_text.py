"""The last door of the app: a text that nobody cleaned changes no width and acts on no terminal."""

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.color import Color
from textual.widgets import DataTable, Static
from waiting import seen

from fwdtui.core.text import is_plain
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.plain import PlainText

HOSTILE = "a\x1b[2K\x1b]52;c;eA==\x07b\x9b31m\u202ec\u200b\u2066漢\ufe0fd\U000e0041\x85\u3164e"


def test_a_line_is_as_wide_as_it_was():
    before = [Segment("│ ⣿ "), Segment(HOSTILE)]
    after = PlainText().apply(before, Color(0, 0, 0))
    assert all(is_plain(segment.text) for segment in after)
    assert [cell_len(segment.text) for segment in after] == [cell_len(segment.text) for segment in before]


def test_what_is_plain_is_not_touched():
    line = [Segment("│ ⣿ "), Segment("accents é, 漢字, 🚀\tand blanks  ")]
    assert PlainText().apply(line, Color(0, 0, 0)) is line


def drawn(app: FwdtuiApp) -> str:
    strips = app.screen._compositor.render_strips()
    return "".join(segment.text for strip in strips for segment in strip)


@pytest.mark.parametrize("kind", ["static", "notice", "table"])
async def test_no_widget_lets_it_through(kind, tmp_path):
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        if kind == "static":
            await app.screen.mount(Static(Text(HOSTILE), markup=False))
        elif kind == "notice":
            app.notify(HOSTILE, title=HOSTILE, markup=False)
        else:
            table: DataTable[str] = DataTable()
            await app.screen.mount(table)
            table.add_columns(HOSTILE)
            table.add_row(HOSTILE)
        await seen(pilot, lambda: "52;c;eA==" in drawn(app))
        assert is_plain(drawn(app))
