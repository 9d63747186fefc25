"""Which notices stay on the screen when another one, or a dialog, comes up. `M` lists all of them."""

from typing import Any

from textual.app import App
from textual.notifications import Notification

LASTS = 24 * 3600.0
"""Seconds that a notice stays at most that is taken away when it is no longer true."""

WEIGHTS = ("information", "warning", "error")
"""An error stays for its time, whatever comes after it."""


def make_room(app: App[Any], new: Notification) -> None:
    """Take away an older notice of the same text; on a screen with `ONE_NOTICE`, all that weigh no more."""
    alone = getattr(app.screen, "ONE_NOTICE", False)
    for old in _passing(app):
        no_more = WEIGHTS.index(old.severity) <= WEIGHTS.index(new.severity)
        if (alone and no_more) or (old.title, old.message) == (new.title, new.message):
            app._unnotify(old, refresh=False)  # what is shown is brought up to date with the new one


def put_away(app: App[Any]) -> None:
    """Take away all notices: they would be in front of what comes up, and be shown behind it as well."""
    for old in _passing(app):
        app._unnotify(old, refresh=False)
    app._refresh_notifications()


def _passing(app: App[Any]) -> list[Notification]:
    """The notices that go away with time."""
    return [one for one in app._notifications if one.timeout < LASTS]
