"""The command palette: every action of the screen and of the app with its key, modes, sessions and themes."""

import datetime
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from textual.command import Command, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.widgets import OptionList

from fwdtui.core.text import clean
from fwdtui.ui.common.bars import MODES
from fwdtui.ui.shell.keymap import face, more

if TYPE_CHECKING:
    from fwdtui.ui.shell.app import FwdtuiApp

_SKIPPED = {"command_palette", "app.command_palette", "help_quit", "hide_help", "leave"}


class Entry(NamedTuple):
    """One line of the palette."""

    name: str
    meaning: str
    run: Callable[[], object]


class Literal(Provider):
    """A provider of plain text: names, keys and files are never markup."""

    def found(self, name: str, run: Callable[[], object], meaning: str = "") -> DiscoveryHit:
        """A line of the list before anything is typed."""
        return DiscoveryHit(Content(name), run, text=name, help=_shown(meaning))

    def fitting(self, query: str, name: str, run: Callable[[], object], meaning: str = "") -> Hit | None:
        """A line whose name or meaning matches `query`, with the matching letters highlighted; else None."""
        search = self.matcher(query).fuzzy_search
        score, places = search.match(query, name)
        score = max(score, search.match(query, meaning)[0] * 0.5)
        if score <= 0:
            return None
        shown = Content(name)
        for place in places:
            if not name[place : place + 1].isspace():
                shown = shown.stylize(self.match_style or "reverse", place, place + 1)
        return Hit(score, shown, run, text=name, help=_shown(meaning))


def _shown(meaning: str) -> str | None:
    # the palette reads a help text as markup unless it is Content, whatever its type says
    return cast(str, Content(meaning)) if meaning else None


class Commands(Literal):
    """Everything that can be done now."""

    @property
    def _app(self) -> "FwdtuiApp":
        return cast("FwdtuiApp", self.app)

    async def startup(self) -> None:
        """List everything once, when the palette opens."""
        self._entries = [*self._actions(), *self._places(), *self._general()]

    def _actions(self) -> Iterator[Entry]:
        """The keys that work now on the screen below: those in its footer, then the hidden ones.

        Disabled ones are left out.
        """
        seen = set()
        active = sorted(self.screen.active_bindings.values(), key=lambda one: not one.binding.show)
        for node, binding, enabled, _tip in active:
            known = node, binding.action
            if known in seen or not enabled or not binding.description or binding.action in _SKIPPED:
                continue
            seen.add(known)
            if binding.action.startswith("mode(") or not binding.id:
                continue  # modes follow below; keys without an id move a cursor
            key = face(self.app, binding)
            run = partial(self.app.run_action, binding.action, default_namespace=node)
            yield Entry(f"{binding.description}  ({key})", more(node, binding), run)

    def _places(self) -> Iterator[Entry]:
        app = self._app
        for mode, key, title in MODES:
            if mode != app.current_mode:
                told_of = f"Go to {title}; this screen stays as it is."
                yield Entry(f"mode: {title}  ({key.upper()})", told_of, partial(app.action_mode, mode))
        from fwdtui.store.listing import session_folders

        for path in session_folders(app.sessions):
            name = f"session: {clean(path.name)}"
            yield Entry(name, "Open this session.", partial(app.open_session, path))

    def _general(self) -> Iterator[Entry]:
        app = self._app
        yield Entry("theme ...", "Choose colours, with a preview of each.", app.search_themes)
        meaning = "Bind other keys to actions: where config.toml is, and what to write there."
        yield Entry("change keys ...", meaning, partial(show_keys, app, self.screen))
        shot = "Write what is on the screen to an SVG file in the current folder."
        yield Entry("screenshot", shot, partial(screenshot, app))

    async def discover(self) -> Hits:
        """All entries in order, before anything is typed."""
        for entry in self._entries:
            yield self.found(entry.name, entry.run, entry.meaning)

    async def search(self, query: str) -> Hits:
        """The entries whose name or meaning matches what was typed."""
        for entry in self._entries:
            if hit := self.fitting(query, entry.name, entry.run, entry.meaning):
                yield hit


class Themes(Literal):
    """All themes: the one in use first, whose preview changes nothing, then fwdtui's own."""

    async def startup(self) -> None:
        """Note the theme in use, before another one is previewed."""
        self._used = self.app.theme

    def _names(self) -> list[str]:
        def place(name: str) -> tuple[bool, bool, str]:
            return name != self._used, not name.startswith("fwdtui-"), name

        return sorted(self.app.available_themes, key=place)

    def _told(self, name: str) -> str:
        return _origin(name) + (", in use" if name == self._used else "")

    def _choose(self, name: str) -> Callable[[], None]:
        return partial(cast("FwdtuiApp", self.app).choose_theme, name)

    async def discover(self) -> Hits:
        """All themes."""
        for name in self._names():
            yield self.found(name, self._choose(name), self._told(name))

    async def search(self, query: str) -> Hits:
        """The themes whose name matches."""
        for name in self._names():
            if hit := self.fitting(query, name, self._choose(name), self._told(name)):
                yield hit


def _origin(name: str) -> str:
    """Where a theme comes from: ours are made for graphs, and their contrast is checked."""
    if name.startswith("fwdtui-"):
        return "fwdtui's own"
    return "Textual's" if name in BUILTIN_THEMES else "yours"


class ThemePalette(CommandPalette):
    """Previews the theme under the cursor; without a choice the old one is restored."""

    def __init__(self, before: str) -> None:
        super().__init__(providers=[Themes], placeholder="Which colours?")
        self._before = before

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the theme under the cursor."""
        option = event.option
        if isinstance(option, Command) and option.hit.text in self.app.available_themes:
            self.app.theme = str(option.hit.text)

    def on_unmount(self) -> None:
        """Restore the old theme if none was chosen."""
        if self._selected_command is None:
            self.app.theme = self._before


def show_keys(app: "FwdtuiApp", screen: Screen[object]) -> None:
    """Show the path of config.toml, an example, and the ids of this screen's keys."""
    from fwdtui.ui.common.dialogs import Confirm

    names: dict[str, list[str]] = {}
    for _, binding, _, _ in screen.active_bindings.values():
        if binding.id and not binding.id.startswith(("app.", "table.")):
            names.setdefault(binding.id, []).append(face(app, binding))
    first = next(iter(names), "app.help")
    lines = [
        f"Write this into {clean(str(app.settings.file))}",
        "",
        "[keys]",
        f'"{first}" = "x,ctrl+x"',
        "",
        "It takes effect at the next start. The names of this screen's keys:",
        ", ".join(f"{name} ({' '.join(keys)})" for name, keys in names.items()),
        "docs/themes-and-keys.md lists all of them.",
    ]
    app.push_screen(Confirm("Change keys", lines, None, "Esc  close"))


def screenshot(app: "FwdtuiApp") -> None:
    """Take a screenshot once the palette is closed and the footer shows its keys again."""
    app.call_at_rest(partial(save_screenshot, app))


def save_screenshot(app: "FwdtuiApp") -> None:
    """Save an SVG of the screen in the current folder; in a browser, download it."""
    if app.is_web:
        app.deliver_screenshot()
        return
    name = f"fwdtui-{datetime.datetime.now():%Y%m%d-%H%M%S}.svg"
    path = Path(app.save_screenshot(name, path=str(Path.cwd())))
    app.notify(str(path), title="screenshot written", timeout=10, markup=False)
