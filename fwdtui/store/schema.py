"""The files session.toml and iteration.json: their fields, their checksum, and refusing newer versions."""

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import SCHEMA, Caution, Fact, Iteration, Packets, Summary, Window

SESSION_FILE = "session.toml"
ITERATION_FILE = "iteration.json"


class SessionFile(msgspec.Struct, frozen=True):
    """session.toml. People may edit the label and add facts."""

    schema: int
    label: str
    created: str
    facts: Mapping[str, Fact] = {}
    lab: Mapping[str, Any] | None = None  # lab.toml without [ssh]


class IterationFile(msgspec.Struct, frozen=True):
    """iteration.json: the commit mark of an iteration, and its result."""

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
    checksum: str = ""

    def iteration(self) -> Iteration:
        """The model's view of it."""
        return Iteration(
            index=self.index,
            value=self.value,
            unit=self.unit,
            source=self.source,
            origin=self.origin,
            complete=True,
            window=self.window,
            metrics=self.metrics,
            warnings=self.warnings,
            files=self.files,
            packets=self.packets,
            limit=self.limit,
            began=self.began,
        )


def encode_iteration(case: str, iteration: Iteration) -> bytes:
    """iteration.json as bytes, readable and with its checksum."""
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
    )
    plain = msgspec.to_builtins(record)
    plain["checksum"] = _checksum(plain)
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def decode_iteration(data: bytes, path: Path | str) -> IterationFile:
    """Raises FwdtuiError that names file and place: not JSON, wrong type, wrong checksum, newer schema."""
    try:
        plain = msgspec.json.decode(data)
        refuse_newer(plain, path)
        record = msgspec.convert(plain, IterationFile)
    except msgspec.MsgspecError as error:
        raise FwdtuiError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8 at byte {error.start}") from None
    if record.checksum != _checksum(plain):
        raise FwdtuiError(f"{path}: checksum does not match: the file was changed after it was recorded")
    return record


def _checksum(plain: dict[str, Any]) -> str:
    """SHA-256 over the JSON without `checksum`, keys sorted, no white space: survives re-indenting."""
    content = {key: value for key, value in plain.items() if key != "checksum"}
    return "sha256:" + hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def encode_session(session: SessionFile) -> bytes:
    """session.toml as bytes."""
    import tomli_w

    plain = msgspec.to_builtins(session)
    if session.lab is None:
        del plain["lab"]
    return tomli_w.dumps(plain).encode()


def decode_session(data: bytes, path: Path) -> SessionFile:
    """Raises FwdtuiError that names file and place."""
    try:
        plain = tomllib.loads(data.decode("utf-8"))
        refuse_newer(plain, path)
        return msgspec.convert(plain, SessionFile)
    except UnicodeDecodeError as error:
        raise FwdtuiError(f"{path}: not UTF-8 at byte {error.start}") from None
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise FwdtuiError(f"{path}: {error}") from None


def refuse_newer(plain: Any, path: Path | str) -> None:
    """Raises FwdtuiError where a file is of a later version than this one."""
    schema = plain.get("schema") if isinstance(plain, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        raise FwdtuiError(
            f"{path}: schema {schema} is newer than this fwdtui knows ({SCHEMA}); please update fwdtui"
        )
