"""Keeps the hosts' settings in the session: once for each host, and again when they have changed."""

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import EVERYTHING, HostSettings, SettingsSource
from fwdtui.store.writer import SessionWriter


class KeptSettings:
    """`take` what was read; `flush` writes what is new. A host's newest settings wait until that succeeds."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer
        self._known: dict[str, HostSettings] | None = (
            None  # in the session, or waiting; None: not looked at yet
        )
        self._waiting: dict[str, HostSettings] = {}
        self._given_up: set[str] = set()

    @property
    def waiting(self) -> tuple[str, ...]:
        """The hosts whose newest settings are not written yet."""
        return tuple(self._waiting)

    def take(self, read: HostSettings) -> None:
        """Keep the settings of a host if they are new."""
        if self._known is None:
            self._known = self._writer.settings()
        known = self._known.get(read.host)
        if read.host not in self._given_up and (known is None or not read.same_as(known)):
            self._known[read.host] = self._waiting[read.host] = read

    def flush(self) -> list[str]:
        """Write what waits; returns what is no longer kept and why, a sentence each. Raises OSError."""
        told: list[str] = []
        for host in list(self._waiting):
            try:
                kept = self._writer.keep_settings(self._waiting[host])
                reason = (
                    "" if kept else f"the settings of {host} have changed too often: no more are recorded"
                )
            except FwdtuiError as error:
                reason = str(error)
            if reason:
                self._given_up.add(host)
                told.append(reason)
                self._end(self._waiting[host], reason)
            del self._waiting[host]
        return told

    def _end(self, newest: HostSettings, why: str) -> None:
        """Say in the session that what was kept of a host before does not hold from here on."""
        none = (SettingsSource(EVERYTHING, missing=why),)
        self._writer.keep_settings(msgspec.structs.replace(newest, sources=none), limited=False)

    def again(self) -> None:
        """The session's folder was created again: everything has to be written once more."""
        self._waiting |= self._known or {}
