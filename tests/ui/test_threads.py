"""What a thread has read is shown only while it is wanted."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from sessions_rig import labels, read
from waiting import until

import fwdtui.ui
from fwdtui.store import annotations
from fwdtui.ui.common import threads
from fwdtui.ui.shell.app import FwdtuiApp


async def test_what_was_read_before_a_change_does_not_replace_what_was_read_after_it(
    session, folder, monkeypatch
):
    one = session("n1", {"inet4": [100.0, 101.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await read(pilot)
        go_on = threading.Event()
        arrived, gone = [], []
        hand = app.call_from_thread

        def held_up(*given):
            """A busy machine may hold up a thread here: it has read, and was not cancelled yet."""
            arrived.append(given)
            before = len(arrived) == 1
            if before:
                go_on.wait(60.0)
            hand(*given)
            if before:
                gone.append(given)

        monkeypatch.setattr(app, "call_from_thread", held_up)
        screen.action_reload()
        await until(lambda: arrived)
        annotations.rename(one, "n2")
        screen.action_reload()
        await until(lambda: labels(screen) == ["n2"])
        go_on.set()
        await until(lambda: gone)
        assert labels(screen) == ["n2"]


@pytest.mark.parametrize(
    ("running", "cancelled", "shown"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_what_is_handed_over_is_dropped_once_the_app_shuts_down_or_the_worker_is_cancelled(
    monkeypatch: pytest.MonkeyPatch, running: bool, cancelled: bool, shown: bool
) -> None:
    """An app that shuts down takes its screens apart first: a query on one failed, and so did the app."""
    worker = SimpleNamespace(is_cancelled=False)

    def call_from_thread(do) -> None:
        worker.is_cancelled = cancelled  # meanwhile
        do()

    app = SimpleNamespace(is_running=running, call_from_thread=call_from_thread)
    monkeypatch.setattr(threads, "get_current_worker", lambda: worker)
    called: list[int] = []
    threads.from_thread(SimpleNamespace(app=app), called.append, 1)  # type: ignore[arg-type]
    assert called == [1] * shown


def test_no_screen_hands_over_in_another_way():
    ui = Path(fwdtui.ui.__file__).parent
    assert [path.name for path in ui.rglob("*.py") if "call_from_thread" in path.read_text()] == [
        "threads.py"
    ]
