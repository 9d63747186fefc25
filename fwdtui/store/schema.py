"""The files session.toml and iteration.json: their fields, their checksum, and refusing newer versions."""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from sys import intern
from typing import Any, Protocol, TypeVar

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.mistakes import mistake
from fwdtui.core.model import SCHEMA, Caution, Cost, Fact, Iteration, Packets, Planned, Summary, Window
from fwdtui.core.profile.record import Profile
from fwdtui.core.profiled import without_value
from fwdtui.core.text import clean
from fwdtui.store import opening
from fwdtui.store import plain as parsing

SESSION_FILE = "session.toml"
ITERATION_FILE = "iteration.json"
DIVIDED = "write a case's name with dots in quotation marks; it is not used"
"""What a message says of a case whose name TOML has divided at its dots."""


_NONE: Mapping[str, Any] = {}  # shared by all iterations that have none, and never changed


class NewerSchemaError(FwdtuiError):
    """A file of a newer fwdtui: it is not read, and must not be replaced either."""


class CaseTable(msgspec.Struct, frozen=True):
    """What session.toml says of one case."""

    factors: Mapping[str, FactorValue] = {}


class SessionFile(msgspec.Struct, frozen=True):
    """session.toml. People may edit the label and add facts."""

    schema: int
    label: str
    created: str  # ISO 8601 with offset; "": not known
    imported: str = ""  # when it was imported; "": it was recorded
    facts: Mapping[str, Fact] = {}
    lab: Mapping[str, Any] | None = None  # lab.toml without [ssh]
    factors: Mapping[str, FactorValue] = {}
    cases: Mapping[str, CaseTable] = {}  # by the case's real name


class IterationFile(msgspec.Struct, frozen=True):
    """iteration.json: an iteration's result, and the mark that it is committed."""

    schema: int
    case: str
    index: int
    value: float | None
    unit: str
    source: str
    window: Window | None
    metrics: Mapping[str, Summary]
    warnings: tuple[Caution, ...] = ()
    files: Mapping[str, str] = {}
    origin: str = ""
    packets: Packets | None = None
    limit: Caution | None = None
    began: str = ""
    incomplete: str = ""
    boot: str = ""
    factors: Mapping[str, FactorValue] = {}
    planned: Planned | None = None
    facts: Mapping[str, Fact] = {}
    costs: Mapping[str, Cost] = {}
    profile: Profile | None = None
    checksum: str = ""

    def iteration(self) -> Iteration:
        """The iteration as the model has it; one that was profiled has no value, whatever the file says."""
        return without_value(self._read())

    def _read(self) -> Iteration:
        return Iteration(
            index=self.index,
            value=self.value,
            unit=intern(self.unit),
            source=intern(self.source),
            origin=self.origin,
            complete=not self.incomplete,
            incomplete=self.incomplete,
            window=self.window,
            metrics=self.metrics,
            warnings=self.warnings,
            files=self.files or _NONE,
            packets=self.packets,
            limit=self.limit,
            began=self.began,
            boot=intern(self.boot),
            factors=self.factors or _NONE,
            planned=self.planned,
            facts=self.facts or _NONE,
            costs=self.costs or _NONE,
            profile=self.profile,
        )


def encode_iteration(case: str, iteration: Iteration) -> bytes:
    """iteration.json as bytes, indented and with its checksum.

    Raises FwdtuiError if it would be larger than what is read of it.
    """
    iteration = without_value(iteration)
    record = IterationFile(
        schema=SCHEMA,
        case=case,
        index=iteration.index,
        value=iteration.value,
        unit=iteration.unit,
        source=iteration.source,
        origin=iteration.origin,
        window=iteration.window,
        metrics=iteration.metrics,
        warnings=iteration.warnings,
        files=iteration.files,
        packets=iteration.packets,
        limit=iteration.limit,
        began=iteration.began,
        incomplete=iteration.incomplete,
        boot=iteration.boot,
        factors=iteration.factors,
        planned=iteration.planned,
        facts=iteration.facts,
        costs=iteration.costs,
        profile=iteration.profile,
    )
    plain = msgspec.to_builtins(record)
    for key in ("incomplete", "factors", "planned", "facts", "costs", "profile"):
        if not plain[key]:
            del plain[key]
    plain["checksum"] = checksum(plain)
    data = msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"
    if len(data) > opening.TEXT_MOST:
        most = opening.shown(opening.TEXT_MOST)
        raise FwdtuiError(f"iteration {iteration.index}: its {ITERATION_FILE} would be larger than {most}")
    return data


def decode_iteration(data: bytes, path: Path | str) -> IterationFile:
    """Parse iteration.json.

    Raises FwdtuiError naming file and position: not JSON, wrong type, wrong checksum, newer schema.
    """
    return checked(data, path, IterationFile)


class Checked(Protocol):
    """A file's content that includes a checksum over the rest of it."""

    @property
    def checksum(self) -> str: ...


_Checked = TypeVar("_Checked", bound=Checked)


def checked(data: bytes, path: Path | str, kind: type[_Checked]) -> _Checked:
    """Parse a JSON file that includes its own checksum.

    Raises FwdtuiError naming file and position: not JSON, wrong type, wrong checksum, newer schema.
    """
    content = parsing.json(data, path)
    refuse_newer(content, path)
    try:
        record = msgspec.convert(content, kind)
    except msgspec.MsgspecError as error:
        raise FwdtuiError(f"{path}: {mistake(error, content, path)}") from None
    content.pop("checksum", None)  # `content` is our own: a copy without it took a tenth of the time
    if record.checksum != _digest(content):
        raise FwdtuiError(f"{path}: checksum does not match: the file was changed after it was recorded")
    return record


def checksum(content: Mapping[str, Any]) -> str:
    """SHA-256 over the JSON without `checksum`, keys sorted, no white space: unaffected by indentation."""
    rest = {key: value for key, value in content.items() if key != "checksum"}
    return _digest(rest)


_canonical = msgspec.json.Encoder(order="sorted").encode


def _digest(rest: Mapping[str, Any]) -> str:
    return "sha256:" + hashlib.sha256(_canonical(rest)).hexdigest()


def encode_session(session: SessionFile) -> bytes:
    """session.toml as bytes."""
    import tomli_w

    plain = msgspec.to_builtins(session)
    for key in ("lab", "imported", "factors", "cases"):
        if not plain[key]:
            del plain[key]
    return tomli_w.dumps(plain).encode()


def decode_session(data: bytes, path: Path) -> SessionFile:
    """Parse session.toml. Raises FwdtuiError naming file and position."""
    return decode_session_and_divided(data, path)[0]


def decode_session_and_divided(data: bytes, path: Path) -> tuple[SessionFile, tuple[str, ...]]:
    """As `decode_session`; and the cases whose tables are not used because TOML divided their names."""
    plain = parsing.toml(data, path)
    refuse_newer(plain, path)
    try:
        file = msgspec.convert(plain, SessionFile)
    except msgspec.ValidationError as error:
        raise FwdtuiError(f"{path}: {mistake(error, plain, path)}") from None
    return file, tuple(chain.from_iterable(divided(plain["cases"][name], clean(name)) for name in file.cases))


def divided(table: Mapping[str, Any], name: str) -> Iterator[str]:
    """The cases that tables within the table of case `name` mean: ``[cases.off.inet4.factors]`` off.inet4."""
    for part, inner in table.items():
        if part != "factors" and isinstance(inner, dict):
            place = f"{name}.{clean(part)}"
            if isinstance(inner.get("factors"), dict):
                yield place
            yield from divided(inner, place)


def refuse_newer(plain: Any, path: Path | str) -> None:
    """Raise NewerSchemaError if a file's schema is newer than this version's."""
    schema = plain.get("schema") if isinstance(plain, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        raise NewerSchemaError(
            f"{path}: schema {schema} is newer than this fwdtui knows ({SCHEMA}); please update fwdtui"
        )
