"""What each host of a lab has and what is missing; the user can go on from here to watch the lab."""

import asyncio
import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from fwdtui.collectors.base import Check
from fwdtui.collectors.lab_trust import open_lab
from fwdtui.collectors.labfile import load
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.findings import WRONG, counted
from fwdtui.core.text import clean
from fwdtui.report.cells import wrap
from fwdtui.transport.errors import HostError, UnknownHostKey
from fwdtui.transport.known_hosts import accept
from fwdtui.ui.common import dialogs
from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.live.bench_control import BenchControl

_WHOLE = 1_000_000  # columns: no line is wrapped
_MARKS = {True: "✓", False: "!", None: "·"}


class DoctorScreen(StyledOnce, Screen[None]):
    """Checks the hosts at once. Nothing is started on them except what samples them."""

    HELP = """\
# Doctor
`!` marks something that is missing on a host, with the fix below. `F5` checks again. `Enter` watches the lab
anyway: what is missing is then shown as not known.

Below that are settings that distort results: `wrong` (something other than forwarding is measured), `noisy`
(results vary by themselves), `note` (matters when hosts are compared). The command after the arrow changes
the setting; fwdtui itself changes nothing.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "watch", "watch this lab", id="doctor.watch"),
        Binding("f5", "again", "check again", key_display="F5", id="doctor.again"),
        Binding("escape", "app.pop_screen", "back", id="doctor.back"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._told = ""
        self._checks: Sequence[Check] | None = None  # None: not checked yet, or the lab cannot be checked

    def compose(self) -> ComposeResult:
        yield Static(id="where", markup=False)
        with VerticalScroll(id="checks"):
            yield Static(id="found", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begin to check."""
        self.action_again()

    @work(exclusive=True)
    async def action_again(self) -> None:
        """Check every host; ask about an unknown key first."""
        self._say(f"{self._path}: checking its hosts ...")
        self.query_one("#found", Static).loading = True
        try:
            checks = await self._examined()
        except (FwdtuiError, OSError) as error:
            self._say(f"{self._path} cannot be checked")
            self._checks = None
            text = Text(f"! {clean(str(error))}")
        else:
            self._say(f"{self._path}: {verdict(checks)}")
            self._checks = checks
            text = shown(checks, self._columns)
        told = self.query_one("#found", Static)
        told.loading = False
        told.update(text)

    @property
    def _columns(self) -> int:
        return max(self.query_one("#checks").content_size.width, 20)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap what was found for the new width, once that is known."""
        self.call_after_refresh(self._wrap)

    def _wrap(self) -> None:
        if self._checks is not None:
            self.query_one("#found", Static).update(shown(self._checks, self._columns))

    async def _examined(self) -> list[Check]:
        from fwdtui.collectors.doctor import examine
        from fwdtui.collectors.lab_trust import UntrustedError

        refused: set[str] = set()
        while True:
            try:
                lab, pool = open_lab(self._path)
            except UntrustedError as untrusted:
                if not await self.app.push_screen_wait(dialogs.question(untrusted)):
                    raise
                untrusted.allow()
                continue
            async with pool:
                unknown = None
                for name in lab.hosts():
                    self._say(f"{self._path}: checking {clean(name)} ...")
                    try:
                        await (await pool.open(name, name)).connect()
                    except UnknownHostKey as error:
                        unknown = None if name in refused else error
                    except HostError:
                        continue  # the doctor reports it
                    if unknown is not None:
                        break
                if unknown is None:
                    return await examine(lab, pool, str(self._path))
            if await self.app.push_screen_wait(dialogs.host_key(unknown)):
                await asyncio.to_thread(accept, unknown)
            else:
                refused.add(name)

    def to_copy(self) -> Copy:
        """Everything that was found."""
        text = self.query_one("#found", Static).content
        if not isinstance(text, Text):
            return Copy("Nothing is found yet.", "")
        plain = text.plain if self._checks is None else shown(self._checks, _WHOLE).plain
        return lines("what was found", f"{self._told}\n{plain}")

    def _say(self, text: str) -> None:
        self._told = text
        self.query_one("#where", Static).update(Text(text))

    def action_watch(self) -> None:
        """Open the lab on the live screen; sessions go to the folder beside lab.toml."""
        sessions = self._path.parent / "sessions"
        try:
            name = f"{load(self._path).name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
            control = BenchControl(self._path, sessions, name, "default")
        except FwdtuiError as error:
            self.notify(str(error), severity="error", timeout=15, markup=False)
            return
        shell(self).open(sessions, live=control)


def verdict(checks: Sequence[Check]) -> str:
    """Whether anything is missing, and how many findings there are on what makes results misleading."""
    lacks = sum(check.ok is False for check in checks)
    told = "nothing is missing" if not lacks else f"{lacks} problem{'s' * (lacks > 1)} to fix"
    hygiene = counted(check.finding for check in checks if check.finding is not None)
    return f"{told}; lab hygiene: {hygiene}" if hygiene else told


def shown(checks: Sequence[Check], columns: int) -> Text:
    """A block for each host: problems first, each with its fix below. Hosts with problems come first.

    A line that is longer than `columns` continues below, indented.
    """
    text = Text()

    def line(first: str, words: str, style: str = "") -> None:
        rows = wrap(words, columns, first=first, rest=" " * len(first))
        text.append("\n".join(rows) + "\n", style=style)

    host = None
    order = {name: number for number, name in enumerate(dict.fromkeys(check.host for check in checks))}
    lacking = {check.host for check in checks if check.ok is False}
    for check in sorted(checks, key=lambda c: (c.host not in lacking, order[c.host], c.ok is not False)):
        if check.host != host:
            text.append(("\n" if host is not None else "") + clean(check.host) + "\n", style="bold")
            host = check.host
        finding = check.finding
        bold = "bold" if check.ok is False or (finding is not None and finding.severity == WRONG) else ""
        mark = _MARKS[check.ok] if finding is None else f"{_MARKS[None]} {finding.severity}:"
        line(f"  {mark} ", f"{clean(check.what)}: {clean(check.found)}", bold)
        if finding is not None and finding.why:
            line("      ", clean(finding.why), "dim")
        if check.fix:
            line("      → ", clean(check.fix))
    return text
