"""The line of keys: what fits is shown with its words, a click presses a key, and it costs one widget."""

import itertools
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input
from waiting import seen

from fwdtui.ui.common.footer import Footer, FooterKeys, ShownKey, placed


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
    lines = [footer.render_line(0) for footer in app.screen.query(Footer)]
    return "".join(segment.text for strip in lines for segment in strip).rstrip()


async def test_each_action_is_shown_once_by_its_first_key_and_markup_is_text() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await seen(pilot, lambda: line(app) != "")
        assert line(app) == "s save f5 reload g go [bold]on"


class Typing(Keyed):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u,ctrl+z", "undo", "undo", key_display="u"),
        Binding("slash", "find", "find", key_display="/"),
    ]

    def compose(self) -> ComposeResult:
        yield Input()
        yield Footer()


async def test_a_letter_that_would_be_typed_is_not_offered_but_the_other_key_is() -> None:
    app = Typing()
    async with app.run_test(size=(80, 5)) as pilot:
        await seen(pilot, lambda: line(app) != "")
        assert line(app) == "f5 reload ^z undo"
        app.screen.set_focus(None)
        await seen(pilot, lambda: line(app) != "f5 reload ^z undo")
        assert line(app) == "s save f5 reload g go [bold]on u undo / find"


async def test_a_click_presses_the_key_under_it_and_nothing_between_or_beside() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await seen(pilot, lambda: line(app) != "")
        for column in ("s save f5 reload".index("f5"), "s save f5 reload".index("load"), 0):
            await pilot.click(Footer, offset=(column, 0))
        await pilot.click(Footer, offset=("s save f5".index(" f5"), 0))
        await pilot.click(Footer, offset=(70, 0))
        await seen(pilot, lambda: len(app.pressed) >= 3)
        assert app.pressed == ["reload", "reload", "save"]


async def test_a_key_that_goes_leaves_the_line_and_one_that_may_not_be_pressed_is_dim() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await seen(pilot, lambda: "save" in line(app))
        app.may_save = False
        app.refresh_bindings()
        await seen(pilot, lambda: "save" not in line(app))
        app.may_save = None
        app.refresh_bindings()
        await seen(pilot, lambda: "save" in line(app))
        drawn = app.query_one(Footer).render()
        dim = [str(drawn)[span.start : span.end] for span in drawn.spans if span.style == "dim"]
        assert dim == ["s save"]
        await pilot.click(Footer, offset=(0, 0))
        assert app.pressed == []


async def test_a_screen_with_many_keys_pays_for_one_widget() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        await seen(pilot, lambda: line(app) != "")
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


def shown_keys(*, first: str, rest: str) -> list[ShownKey]:
    """The screen's keys, most wanted first, each with a word of eight columns and a short one of two."""
    own = [ShownKey(key, key, "12345678", True, short="12") for key in first + rest]
    app = [ShownKey(key, key, word, True, general=True) for key, word in (("q", "quit"), ("?", "keys"))]
    return [*own, *app]


@pytest.mark.parametrize(
    ("width", "shown", "word"),
    [
        (80, "abcdefq?", "12345678"),
        (79, "abcdefq?", "12345678"),
        (78, "abcdefq?", "12"),
        (43, "abcdefq?", "12"),
        (42, "abcdeq?", "12"),
        (37, "abcdq?", "12"),
        (33, "abcd?", "12"),
        (27, "abc?", "12"),
        (8, "?", "12"),
    ],
)
def test_short_words_come_first_then_the_four_most_wanted_keys_outlive_the_others(
    width: int, shown: str, word: str
) -> None:
    keys = placed(shown_keys(first="abcd", rest="ef"), width)
    assert "".join(key.key for key in keys) == shown
    assert {key.description for key in keys if not key.general} <= {word}


class Declared(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "app.bell", "alpha", id="x.alpha"),
        Binding("b", "app.quit", "beta", id="x.beta"),
    ]
    FOOTER = FooterKeys(first=("x.beta",), short={"x.alpha": "al"})

    def compose(self) -> ComposeResult:
        yield Footer()


async def test_a_screen_declares_which_keys_come_first_and_their_short_words() -> None:
    app = Keyed()
    async with app.run_test(size=(80, 5)) as pilot:
        app.push_screen(Declared())
        await seen(pilot, lambda: isinstance(app.screen, Declared) and line(app).startswith("b"))
        assert line(app) == "b beta a alpha s save f5 reload g go [bold]on"
        await pilot.resize_terminal(40, 5)
        await seen(pilot, lambda: "alpha" not in line(app))
        assert line(app) == "b beta a al s save f5 reload …"


async def test_the_sign_that_there_are_more_keys_stands_at_the_end() -> None:
    app = Keyed()
    async with app.run_test(size=(20, 5)) as pilot:
        await seen(pilot, lambda: line(app) != "")
        assert line(app) == "s save f5 reload …"
