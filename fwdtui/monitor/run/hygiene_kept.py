"""Keeps the hosts' hygiene in the session: the first findings of each host, and each change."""

from collections.abc import Iterator, Sequence

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.findings import NOTE, Finding, HostFindings
from fwdtui.core.host_settings import EVERYTHING
from fwdtui.core.hygiene.unread import NOT_READ
from fwdtui.store import hygiene
from fwdtui.store.schema import NewerSchemaError
from fwdtui.store.writer import SessionWriter

_SPARE = 64 << 10  # characters, reserved for the marks that say that later readings are not kept


class KeptHygiene:
    """`take` each host's findings; `flush` writes what is new."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer
        self._readings: list[HostFindings] | None = None  # those of the session; None: not read yet
        self._size = 0  # of the readings, written out
        self._now: dict[str, HostFindings] = {}  # what this recording knows of each host
        self._new = False
        self._kept_out = ""  # why nothing may be written
        self._damaged = ""  # what is wrong with the existing file
        self._told = False
        self._notes: list[str] = []  # to be returned once the new file exists

    @property
    def waiting(self) -> tuple[str, ...]:
        """The hosts that were read, if there are findings that may be written and are not written yet."""
        return tuple(self._now) if self._new and not self._kept_out else ()

    def take(self, findings: HostFindings, changed_by_us: bool = False) -> tuple[str, ...]:
        """Keep the findings if they are new; returns what has changed in this recording, a sentence each.

        `changed_by_us`: an experiment changes the hosts, so what could not be read may differ from before.
        """
        if self._readings is None:
            self._readings = []
            try:
                self._readings += self._writer.hygiene()
                self._size = sum(map(hygiene.written_out, self._readings))
            except (NewerSchemaError, hygiene.UnreachedError) as error:
                self._kept_out = str(error)  # the file stays as it is: what would be replaced is not known
            except FwdtuiError as error:
                self._damaged = str(error)
        of_host = [one for one in self._readings if one.host == findings.host]
        if EVERYTHING in findings.unread and not (changed_by_us and of_host):
            return ()  # the host was not read, so nothing is known of it
        kept = findings if self._has_room(of_host, findings) else _no_more(findings)
        if not of_host or not of_host[-1].same_as(kept):
            self._readings.append(kept)
            self._size += hygiene.written_out(kept)
            self._new = True
        before = self._now.get(findings.host)
        now = self._now[findings.host] = findings if changed_by_us else findings.after(before)
        return () if before is None else (*now.changes(before), *_hidden(now, before))

    def flush(self) -> list[str]:
        """Write what is new; returns what the user should know about it, a sentence each. Raises OSError."""
        if not self._new or self._readings is None:
            return []
        if self._kept_out:
            told = [] if self._told else [f"{self._kept_out}: what is found on the hosts is not saved"]
            self._told = True
            return told
        if self._damaged:
            name = self._writer.set_hygiene_aside()
            self._notes.append(f"{self._damaged}: it is kept as {name}, and a new {hygiene.FILE} begins")
            self._damaged = ""
        self._writer.keep_hygiene(self._readings)
        self._new = False
        told, self._notes = self._notes, []
        return told

    def _has_room(self, kept: Sequence[HostFindings], new: HostFindings) -> bool:
        """Whether the file may have another reading of a host, after those that are `kept`."""
        if len(kept) >= hygiene.READINGS_MOST:
            return False
        if self._size + hygiene.written_out(new) > hygiene.WRITTEN_OUT_MOST - _SPARE:
            return False
        different = {(one.findings, one.unread) for one in kept}
        return len(different) < hygiene.MOST or (new.findings, new.unread) in different

    def again(self) -> None:
        """The session's folder was created again: everything has to be written once more."""
        self._new, self._kept_out, self._damaged = bool(self._readings), "", ""


def _no_more(new: HostFindings) -> HostFindings:
    """The mark that is kept instead of a reading: what was kept before does not hold from here on."""
    why = f"not kept: there were {hygiene.MOST} different readings before, or too many in all"
    return msgspec.structs.replace(new, findings=(Finding(NOT_READ, NOTE, why),), unread=(EVERYTHING,))


def _hidden(now: HostFindings, before: HostFindings) -> Iterator[str]:
    """What can no longer be read, a sentence each."""
    told = [one.seen for one in before.findings]
    return (one.seen for one in now.findings if one.code == NOT_READ and one.seen not in told)
