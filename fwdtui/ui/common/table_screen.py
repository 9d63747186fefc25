"""The samples of a chart as a table with a line for each, to read, copy or save."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Log, Static

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean, slug
from fwdtui.monitor.live.sample_table import FORMATS, SampleTable, head_and_lines, text, unit
from fwdtui.store.atomic import replace, write_new
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.common.footer import Footer, FooterKeys
from fwdtui.ui.common.styled_once import StyledOnce

_TRIES = 1000  # numbers that are tried for a free file name


class TableScreen(StyledOnce, Screen[None]):
    """The samples that the chart showed when the table was opened; later ones are not added."""

    DEFAULT_CSS = """
    TableScreen #title { height: auto; padding: 0 1; background: $panel; color: $foreground; }
    TableScreen #columns { height: 1; padding: 0 1; color: $foreground; text-style: bold; }
    TableScreen Log {
        height: 1fr; padding: 0 1; background: $background; color: $foreground;
        overflow-x: auto; overflow-y: auto; scrollbar-size-vertical: 1;
    }
    """
    HELP = """\
# Table
A line for each sample that the chart showed when you opened this table. *s* is the middle of the sample's
interval in seconds; `core` and `busy%` are the DUT's busiest core. Each value is that of the sample whose
interval contains the moment; `-` means *not known*, with the cause at the end of the line. `y` copies the
table as plain text, `s` saves it to a file: the ending `.csv` or `.json` chooses another format.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", "save", tooltip="Save the table to a file", id="table.save"),
        Binding("escape,T", "back", "back", id="table.back"),
    ]
    FOOTER = FooterKeys(first=("app.copy",))

    def __init__(
        self, tables: Sequence[SampleTable], name: str, *, bits: bool = False, at: float | None = None
    ) -> None:
        """`name`: what the saved file is named after. `at`: the moment to scroll to, in the first table."""
        super().__init__()
        self._tables, self._bits = tables, bits
        self._path = free(Path(f"{slug(name)}.txt"))
        rows = tables[0].rows if tables else ()
        self._first = 0 if at is None else sum(row.at < at for row in rows)

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="columns", markup=False)
        yield Log(auto_scroll=False)
        yield Footer()

    def on_mount(self) -> None:
        """Write the lines, and go to the moment of the chart's cursor."""
        head, lines = head_and_lines(self._tables, bits=self._bits)
        some = sum(len(table.rows) for table in self._tables)
        title = Text(" · ".join(clean(table.title) for table in self._tables), style="bold")
        which = unit(self._bits, self._tables[0].frame if self._tables else None)
        title.append(f"   {some} sample{'s' * (some != 1)}, {which}", style="not bold")
        self.query_one("#title", Static).update(title)
        log, columns = self.query_one(Log), self.query_one("#columns", Static)

        def follow(left: float) -> None:
            columns.update(Text(head[round(left) :], no_wrap=True))

        self.watch(log, "scroll_x", follow)
        log.write_lines(lines, scroll_end=False)
        log.focus()
        self.call_after_refresh(
            lambda: log.scroll_to(y=max(self._first - log.size.height // 2, 0), animate=False)
        )

    def to_copy(self) -> Copy:
        """The whole table: it has no cursor."""
        some = sum(len(table.rows) for table in self._tables)
        shown = text(self._tables, bits=self._bits)
        return Copy(f"the table, {some} sample{'s' * (some != 1)}", shown)

    @work(exclusive=True, group="save")
    async def action_save(self) -> None:
        """Save the table to a file. One that exists is only replaced if you say so."""
        lines = ["A line for each sample, as text; a name that ends in .csv or .json chooses that format."]
        ask = Prompt("Save the table", lines, str(self._path), does="save it", needed="Type a file name.")
        typed = await self.app.push_screen_wait(ask)
        if typed is None:
            return
        try:
            path = file_of(typed)
            try:
                write_new(path, self._content(path))
            except FileExistsError:
                lines = [str(path), "", "What it contains now would be lost."]
                copies = Copy("the path", str(path))
                ask_again = Confirm("This file exists", lines, "y  replace it", "n  cancel", copies)
                if not await self.app.push_screen_wait(ask_again):
                    return
                replace(path, self._content(path))
        except (FwdtuiError, OSError) as error:
            self.notify(clean(str(error)), title="not saved", severity="error", timeout=15, markup=False)
            return
        self._path = free(path)
        self.notify(clean(str(path.absolute())), title="saved", markup=False)

    def _content(self, path: Path) -> bytes:
        write = FORMATS[path.suffix.removeprefix(".")]
        return (text(self._tables, bits=self._bits) if write is text else write(self._tables)).encode()

    def action_back(self) -> None:
        """Go back to the chart."""
        self.dismiss()


def file_of(typed: str) -> Path:
    """The path that was typed, with a safe file name. Without a known ending, it gets ``.txt``.

    Raises FwdtuiError if this is not the path of a file in a folder that exists.
    """
    try:
        path = Path(typed.strip()).expanduser()
    except RuntimeError as error:
        raise FwdtuiError(f"{typed}: {error}") from None
    known = path.suffix.removeprefix(".") in FORMATS
    stem, suffix = (path.stem, path.suffix) if known else (path.name, ".txt")
    if not stem or "\0" in typed or path.is_dir():
        raise FwdtuiError(f"{typed}: this is not a name of a file")
    if not path.parent.is_dir():
        raise FwdtuiError(f"{path.parent}: there is no such folder")
    return path.with_name(f"{slug(stem)}{suffix}")


def free(path: Path) -> Path:
    """This name or, if such a file exists, the first of ``name-2``, ``name-3`` that is free."""
    stem = path.stem
    for number in range(2, _TRIES):
        if not os.path.lexists(path):
            break
        path = path.with_name(f"{stem}-{number}{path.suffix}")
    return path
