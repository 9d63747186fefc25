"""The stylesheet that does nothing twice: every widget has the styles that Textual's own finds for it."""

from collections.abc import Callable
from typing import Any

import pytest
from sessions_rig import open_first
from textual.css.stylesheet import Stylesheet
from textual.widget import Widget
from textual.widgets import DataTable, Tab
from waiting import press, rest

from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.styling import StyledOnce

Found = dict[Widget, tuple[dict[str, Any], dict[str, dict[str, Any]]]]


def found(app: FwdtuiApp) -> Found:
    """The styles of every widget on the screen on top, and of its parts."""
    return {
        one: (
            dict(one.styles.base._rules),
            {name: dict(part.base._rules) for name, part in one._component_styles.items()},
        )
        for one in app.screen.walk_children(Widget, with_self=True)
    }


def found_anew(app: FwdtuiApp) -> Found:
    """The same by Textual's own stylesheet, from the same sources."""
    own = Stylesheet(variables=app.stylesheet._variables)
    own.source = app.stylesheet.source.copy()
    own._require_parse = True
    own.update(app.screen)
    return found(app)


def different(app: FwdtuiApp) -> list[str]:
    before, after = found(app), found_anew(app)
    assert len(before) > 5 and before.keys() == after.keys()
    return [f"{one!r}: {before[one]} {after[one]}" for one in before if before[one] != after[one]]


def disable(app: FwdtuiApp) -> None:
    app.screen.query_one("#behind").disabled = True


def hover(app: FwdtuiApp) -> None:
    tab = app.screen.query(Tab).last()
    tab.mouse_hover = True
    tab.update_node_styles()


CHANGES: dict[str, Callable[[FwdtuiApp], object]] = {
    "as it was opened": lambda app: None,
    "another focus": lambda app: app.screen.query(DataTable).first().focus(),
    "no focus": lambda app: app.screen.set_focus(None),
    "a class of the screen": lambda app: app.screen.add_class("-nothing", "-low"),
    "a class of the app": lambda app: app.remove_class("-roomy"),
    "a class that goes again": lambda app: app.screen.toggle_class("-low").toggle_class("-low"),
    "a disabled part": disable,
    "the mouse on a tab": hover,
    "the terminal in the background": lambda app: setattr(app, "app_focus", False),
    "another theme": lambda app: setattr(app, "theme", "fwdtui-light"),
    "the terminal's own colours": lambda app: setattr(app, "theme", "fwdtui-terminal"),
}


async def test_whatever_changes_every_widget_has_the_styles_that_are_looked_for_anew(folder, session):
    session("a", {"inet4": [100.0, 102.0], "inet6": [7.0, 8.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_first(pilot)
        for what, change in CHANGES.items():
            change(app)
            await rest(app)
            assert not different(app), what
        for key in ("d", "escape", "question_mark", "7", "escape"):  # a dialog over it, and a panel beside it
            await press(pilot, key)
            assert not different(app), key


@pytest.fixture
def applied(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The widgets whose rules are looked for."""
    looked_for: list[object] = []
    apply = Stylesheet.apply

    def counted(self: Stylesheet, node: Any, **how: Any) -> None:
        looked_for.append(node)
        apply(self, node, **how)

    monkeypatch.setattr(Stylesheet, "apply", counted)
    return looked_for


async def test_where_nothing_has_changed_no_rules_are_looked_for(folder, session, applied):
    session("a", {"inet4": [100.0, 102.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        await rest(app)
        applied.clear()
        screen.update_node_styles(animate=False)
        again = [one for one in applied if isinstance(one, Widget)]
        assert all(one._has_order_style or one._has_odd_or_even or one._has_focus_within for one in again)
        assert len(again) < len(list(screen.walk_children())) / 4
        applied.clear()
        app.theme = "fwdtui-light"
        await rest(app)
        assert {*screen.walk_children(with_self=True)} <= {*applied}


async def test_other_styles_ask_for_a_refresh_of_each_kind_once_not_for_each_colour(folder, session):
    session("a", {"inet4": [100.0, 102.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        table = (await open_first(pilot)).query_one("#iterations")
        rules, asked = dict(table.styles.base._rules), []
        table.refresh = lambda **how: asked.append(how)  # type: ignore[method-assign, assignment]
        kinds = []
        for kind in (Stylesheet, StyledOnce):
            table.styles.base._rules.clear()  # each of them differs now
            kind.replace_rules(table, rules)
            assert table.styles.base._rules.keys() == rules.keys()
            kinds.append(asked.copy())
            asked.clear()
        usual, once = kinds
        assert {str(how) for how in once} == {str(how) for how in usual}
        assert len(once) < len(usual) / 3
