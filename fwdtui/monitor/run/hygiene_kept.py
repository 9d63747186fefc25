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
        self._newer = False

    def take(self, findings: HostFindings) -> tuple[str, ...]:
        """Keep it if it says something new; what has changed since this recording began, a sentence each."""
        if self._readings is None:
            self._readings = []
            try:
                self._readings += self._writer.hygiene()
            except NewerSchemaError:
                self._newer = True  # a newer fwdtui's file stays as it is
            except FwdtuiError:
                pass  # a damaged file is replaced, as it says nothing
        before, self._now[findings.host] = self._now.get(findings.host), findings
        of_host = [one for one in self._readings if one.host == findings.host]
        known = of_host[-1] if of_host else None
        if (known is None or known.findings != findings.findings) and len(of_host) < hygiene.MOST:
            self._readings.append(findings)
            self._new = True
        return () if before is None else findings.changes(before)

    def flush(self) -> None:
        """Write what is new. Raises OSError."""
        if self._new and self._readings is not None and not self._newer:
            self._writer.keep_hygiene(self._readings)
            self._new = False

    def again(self) -> None:
        """The session's folder was made anew: everything has to be written once more."""
        self._new, self._newer = bool(self._readings), False
