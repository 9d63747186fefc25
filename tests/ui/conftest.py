"""Small sessions that a test can draw: written by the store, with values chosen for their verdicts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import waiting
from textual import _callback
from textual.app import App
from textual.css.model import RuleSet
from textual.css.styles import Styles
from textual.css.stylesheet import Stylesheet
from textual.notifications import Notification
from textual.screen import Screen

from fwdtui.core.model import Caution, Fact, Iteration, Summary
from fwdtui.store import SessionWriter

Make = Callable[..., Path]

PARSED: dict[Any, list[Any]] = {}
"""Style sheets of all apps of this process, by their text and the number of the theme's colours."""
COLOURS: dict[Any, int] = {}
"""Numbers of themes' colours: hashing them for each sheet took longer than all the rest of finding it."""

COUNTED: dict[Any, int] = {}
"""How many parameters functions and bound methods have, by their code: a closure would keep its app."""


@pytest.fixture(autouse=True)
def _notices_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notice goes away when it is told to, not because the machine was busy for five seconds."""
    monkeypatch.setattr(Notification, "time_left", property(lambda self: 600.0))


@pytest.fixture(autouse=True)
def _parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every app has the same style sheets; parsing them for each took a tenth of the time of these tests."""
    parse = Stylesheet._parse_rules

    def parsed(self: Stylesheet, css: str, *given: Any, **named: Any) -> list[Any]:
        variables, colours = self.__dict__.get("_numbered", (None, 0))
        if variables is not self._variables:
            colours = COLOURS.setdefault(tuple(sorted(self._variables.items())), len(COLOURS))
            self.__dict__["_numbered"] = self._variables, colours
        key = css, given, tuple(sorted(named.items())), colours
        if key not in PARSED:
            PARSED[key] = parse(self, css, *given, **named)
        return PARSED[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parsed)


@pytest.fixture(autouse=True)
def _plain_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven caches are made for each line that is painted, mostly for nothing: a dict is made faster."""
    monkeypatch.setattr("textual.strip.FIFOCache", lambda _: {})


@pytest.fixture(autouse=True)
def _rules_by_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are hashed by identity 250 times for each widget that is styled: in C, not in Python."""
    monkeypatch.setattr(RuleSet, "__hash__", object.__hash__)


@pytest.fixture(autouse=True)
def _refreshed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A widget that is styled refreshes itself and all within for each new colour: once is enough."""
    replace, refresh = Stylesheet.replace_rules, Styles.refresh
    wanted: dict[int, dict[Any, None]] = {}  # by the identity of the styles that are being replaced

    def replaced(cls: type[Stylesheet], node: Any, *given: Any, **named: Any) -> None:
        base = node.styles.base
        outer, wanted[id(base)] = wanted.get(id(base)), {}
        try:
            replace(node, *given, **named)
        finally:
            found = wanted.pop(id(base))
            if outer is not None:
                wanted[id(base)] = outer
        for how in found:
            base.refresh(**dict(how))

    def noted(self: Styles, **how: bool) -> None:
        if (found := wanted.get(id(self))) is None:
            refresh(self, **how)
        else:
            found[tuple(how.items())] = None

    monkeypatch.setattr(Stylesheet, "replace_rules", classmethod(replaced))
    monkeypatch.setattr(Styles, "refresh", noted)


@pytest.fixture(autouse=True)
def _parameters_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual asks for the signature of every callback that is called later: 400 times a test."""
    count = _callback._count_parameters

    def counted(function: Callable[..., object]) -> int:
        plain = getattr(function, "__func__", function)
        code = getattr(plain, "__code__", None)
        if code is None or hasattr(plain, "__wrapped__") or hasattr(plain, "__signature__"):
            return count(function)
        key = code, plain is function
        if key not in COUNTED:
            COUNTED[key] = count(function)
        return COUNTED[key]

    monkeypatch.setattr(_callback, "_count_parameters", counted)


@pytest.fixture
def painted_at_once() -> None:
    """For tests of painting itself: each step is painted, as in a terminal that keeps up."""


@pytest.fixture(autouse=True)
def _painted_at_rest(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A screen is painted when a test is about to look at it, and at the end, not at each step on the way.

    That is what a terminal gets that does not keep up: what changed meanwhile is painted together. Painting
    every step took a third of the time of these tests.
    """
    if "painted_at_once" not in request.fixturenames:
        monkeypatch.setattr(Screen, "_compositor_refresh", waiting.painted_at_rest)
        monkeypatch.setattr(App, "_shutdown", waiting.painted_at_the_end)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where `session` puts its sessions."""
    return tmp_path / "sessions"


@pytest.fixture
def session(folder: Path) -> Make:
    """session(label, {case: values}, facts=..., warnings=...) -> the session's folder."""

    def make(
        label: str,
        cases: Mapping[str, Sequence[float | None]],
        facts: Mapping[str, Fact] | None = None,
        warnings: Sequence[Caution] = (),
        name: str | None = None,
        limits: Sequence[str] = (),
    ) -> Path:
        path = folder / (name or label)
        with SessionWriter.create(
            path, label=label, created="2026-01-02T03:04:05+00:00", facts=facts
        ) as writer:
            for case, values in cases.items():
                for number, value in enumerate(values):
                    limit = Caution(limits[number], f"{limits[number]}: a sentence") if limits else None
                    writing = writer.begin(case)
                    metrics = {} if value is None else {"received": Summary(value, value, value, value, 60)}
                    writing.commit(
                        Iteration(
                            0,
                            value,
                            source="receiver.log",
                            metrics=metrics,
                            warnings=tuple(warnings),
                            limit=limit,
                        )
                    )
        return path

    return make


@pytest.fixture
def pair(session: Make) -> tuple[Path, Path]:
    """A baseline and a candidate: one case slower, one faster, one that cannot be told."""
    base = session(
        "n311215",
        {
            "forwarding.off": [883374, 880100, 885000, 884200, 882000],
            "forwarding.on": [379926, 380400, 378000, 381000, 380000],
            "pf.inet4": [402113, 412113, 398113, 405113, 400113],
        },
        facts={"kernel": "n311215", "nic": "igb"},
    )
    other = session(
        "n311215-UDP2",
        {
            "forwarding.off": [480840, 482000, 479500, 481500, 480100],
            "forwarding.on": [1001291, 1002000, 999000, 1003000, 1000100],
            "pf.inet4": [405870, 399870, 411870, 402870, 408870],
        },
        facts={"kernel": "n311215-UDP2", "nic": "igb"},
    )
    return base, other


@pytest.fixture
def live(folder: Path) -> Callable[..., tuple[Any, Any]]:
    """live(control, size) -> the app with its live screen, and its pilot to be entered."""
    from fwdtui.ui.shell.app import FwdtuiApp

    def make(control: Any, size: tuple[int, int] = (200, 60)) -> tuple[Any, Any]:
        control.sessions = folder
        app = FwdtuiApp(folder, live=control)
        return app, app.run_test(size=size)

    return make
