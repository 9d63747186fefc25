"""What of the hosts' hygiene goes into the session: the first findings of each host, and each change."""

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.findings import HostFindings
from fwdtui.store import hygiene
from fwdtui.store.schema import NewerSchemaError
from fwdtui.store.writer import SessionWriter


class KeptHygiene:
    """`take` what was found, `flush` it if it is new."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer
        self._readings: list[HostFindings] | None = None  # None: not looked at yet
        self._now: dict[str, HostFindings] = {}  # by this recording
        self._new = False
        self._kept_out = ""  # why nothing may be written
        self._damaged = ""  # what is wrong with the file that is there
        self._told = False
        self._notes: list[str] = []  # told once the new file is there

    def take(self, findings: HostFindings) -> tuple[str, ...]:
        """Keep it if it says something new; what has changed since this recording began, a sentence each."""
        if self._readings is None:
            self._readings = []
            try:
                self._readings += self._writer.hygiene()
            except (NewerSchemaError, hygiene.UnreachedError) as error:
                self._kept_out = str(error)  # it stays as it is: nobody knows what would be replaced
            except FwdtuiError as error:
                self._damaged = str(error)
        before, self._now[findings.host] = self._now.get(findings.host), findings
        of_host = [one for one in self._readings if one.host == findings.host]
        known = of_host[-1] if of_host else None
        if (known is None or known.findings != findings.findings) and len(of_host) < hygiene.MOST:
            self._readings.append(findings)
            self._new = True
        return () if before is None else findings.changes(before)

    def flush(self) -> list[str]:
        """Write what is new; what is to be told of it, a sentence each. Raises OSError."""
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

    def again(self) -> None:
        """The session's folder was made anew: everything has to be written once more."""
        self._new, self._kept_out, self._damaged = bool(self._readings), "", ""
