"""The line of keys: what fits is shown with its words, a click presses a key, and it costs one widget."""

import itertools
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from ui.sessions_rig import until

from fwdtui.ui.common.footer import Footer, ShownKey, placed


class Keyed(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False),
        Binding("s", "save", "save"),
        Binding("f5,r", "reload", "reload"),
        Binding("g", "go", "go [bold]on"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[str] = []
        self.may_save: bool | None = True

    def compose(self) -> ComposeResult:
        yield Footer()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.may_save if action == "save" else True

    def action_save(self) -> None:
        self.pressed.append("save")

    def action_reload(self) -> None:
        self.pressed.append("reload")

    def action_go(self) -> None:
        self.pressed.append("go")


def line(app: Keyed) -> str:
    footer = app.query_one(Footer)
    return "".join(segment.text for segment in footer.render_line(0)).rstrip()


async def test_each_action_is_shown_once_by_its_first_key_and_markup_is_text() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await until(pilot, lambda: line(app) != "")
        assert line(app) == "s save f5 reload g go [bold]on"


async def test_a_click_presses_the_key_under_it_and_nothing_between_or_beside() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await until(pilot, lambda: line(app) != "")
        for column in ("s save f5 reload".index("f5"), "s save f5 reload".index("load"), 0):
            await pilot.click(Footer, offset=(column, 0))
        await pilot.click(Footer, offset=("s save f5".index(" f5"), 0))
        await pilot.click(Footer, offset=(70, 0))
        await until(pilot, lambda: len(app.pressed) >= 3)
        assert app.pressed == ["reload", "reload", "save"]


async def test_a_key_that_goes_leaves_the_line_and_one_that_may_not_be_pressed_is_dim() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await until(pilot, lambda: "save" in line(app))
        app.may_save = False
        app.refresh_bindings()
        await until(pilot, lambda: "save" not in line(app))
        app.may_save = None
        app.refresh_bindings()
        await until(pilot, lambda: "save" in line(app))
        drawn = app.query_one(Footer).render()
        dim = [str(drawn)[span.start : span.end] for span in drawn.spans if span.style == "dim"]
        assert dim == ["s save"]
        await pilot.click(Footer, offset=(0, 0))
        assert app.pressed == []


async def test_a_screen_with_many_keys_pays_for_one_widget() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await until(pilot, lambda: line(app) != "")
        assert len(app.query_one(Footer).walk_children()) == 0


KEYS = [
    ShownKey(key, key, word, True)
    for key, word in (("a", "add"), ("b", "bake"), ("?", "help"), ("c", "cook"))
]
# "a add b bake ? help c cook": 5 + 1 + 6 + 1 + 6 + 1 + 6 columns


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (26, ["a", "b", "?", "c"]),
        (25, ["a", "b", "?"]),  # and two columns for the sign
        (21, ["a", "b", "?"]),
        (20, ["a", "?"]),
        (14, ["a", "?"]),
        (13, ["?"]),
        (8, ["?"]),
        (7, []),
        (0, []),
    ],
)
def test_what_does_not_fit_goes_from_the_end_and_help_last(width: int, shown: list[str]) -> None:
    keys = placed(KEYS, width)
    assert [key.key for key in keys] == shown
    assert all(key.right - key.left == key.width for key in keys)
    assert all(right.left == left.right + 1 for left, right in itertools.pairwise(keys))


async def test_the_sign_that_there_are_more_keys_stands_at_the_end() -> None:
    app = Keyed()
    async with app.run_test(size=(20, 5)) as pilot:
        await until(pilot, lambda: line(app) != "")
        assert line(app) == "s save f5 reload …"
