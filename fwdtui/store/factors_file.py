"""factors.toml: what people say about the factors of results that they import, where names do not say it.

The format is documented in docs/importing.md. An unknown key or a wrong value is an error that names the file
and the key.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from fwdtui.core import factor_pattern
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factor_pattern import FactorPattern
from fwdtui.core.factors import FactorValue, assignment, factor_name
from fwdtui.core.lab_tables import Role
from fwdtui.core.mistakes import mistake
from fwdtui.core.text import clean
from fwdtui.core.units import quoted
from fwdtui.store import opening, plain


class ResultTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table [results."PATTERN"]. `without`: names of factors to take away."""

    factors: Mapping[str, FactorValue] = {}
    without: tuple[str, ...] = ()
    roles: Mapping[str, Role] = {}


class FactorsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole factors.toml."""

    pattern: str = ""
    factors: Mapping[str, FactorValue] = {}
    results: Mapping[str, ResultTable] = {}


class Said(msgspec.Struct, frozen=True):
    """What is said about the results whose places fit `key` ("": about all results).

    `source` and `where`: the file or option that says it, and the key in it. `pattern`: the factors are parts
    of the names; results that do not fit it are left alone. `without`: factors to take away.
    """

    source: str
    where: str
    key: str = ""
    pattern: FactorPattern | None = None
    factors: Mapping[str, FactorValue] = {}
    without: tuple[str, ...] = ()
    roles: Mapping[str, str] = {}
    fill: bool = False  # only where the value is not known

    def fits(self, place: str) -> bool:
        """Whether it is about the result at `place`, FOLDER/.../NAME."""
        if not self.key:
            return True
        parts = place.split("/")
        if "/" not in self.key:
            return fnmatchcase(parts[-1], self.key)
        return any(fnmatchcase("/".join(parts[n:]), self.key) for n in range(len(parts)))


def read(path: Path, data: bytes | None = None) -> list[Said]:
    """What the file says, in its order: later parts win. `data`: its content, if it was read already.

    Raises FwdtuiError naming file and key, or OSError.
    """
    content = plain.toml(opening.read(path) if data is None else data, path, stated=True)
    try:
        file = msgspec.convert(content, FactorsFile, dec_hook=_value)
    except msgspec.ValidationError as error:
        raise FwdtuiError(f"{path}: {mistake(error, content, path, FactorsFile)}") from None
    source = str(path)
    said = []
    if file.pattern:
        said.append(Said(source, "pattern", pattern=_pattern(file.pattern, f"{path}: pattern")))
    if file.factors:
        said.append(Said(source, "factors", factors=_factors(file.factors, f"{path}: factors")))
    for key, table in file.results.items():
        where = f'results."{key}"'
        if not key:
            raise FwdtuiError(f"{path}: {where}: expected a pattern such as *.inet4")
        said.append(
            Said(
                source,
                where,
                key,
                factors=_factors(table.factors, f"{path}: {where}.factors"),
                without=tuple(_name(name, f"{path}: {where}.without") for name in table.without),
                roles={clean(name): str(role) for name, role in table.roles.items()},
            )
        )
    return said


def given(text: str) -> list[Said]:
    """What ``--factors TEXT`` says: a file, a pattern, or one factor. Raises FwdtuiError or OSError."""
    path = Path(text)
    option = f"--factors {text}"
    if "{" in text and not path.is_file():
        return [Said(option, "", pattern=_pattern(text, "--factors"))]
    if path.is_file() or text.endswith(".toml"):
        return read(path, path.read_bytes())
    if "=" in text:
        try:
            name, value = assignment(text)
        except FwdtuiError as error:
            raise FwdtuiError(f"--factors: {error}") from None
        return [Said(option, "", factors={name: value}, fill=True)]
    raise FwdtuiError(
        f"--factors: {quoted(text)} is neither a file, nor a pattern such as {{image}}.{{config}}.{{af}}, "
        "nor a factor such as af=inet4"
    )


def _value(kind: Any, value: object) -> object:
    return kind.read(value)


def _pattern(text: str, where: str) -> FactorPattern:
    try:
        return factor_pattern.parse(text)
    except FwdtuiError as error:
        raise FwdtuiError(f"{where}: {error}") from None


def _factors(factors: Mapping[str, FactorValue], where: str) -> dict[str, FactorValue]:
    return {
        _name(name, where): clean(value).strip() if isinstance(value, str) else value
        for name, value in factors.items()
    }


def _name(name: str, where: str) -> str:
    try:
        return factor_name(name)
    except FwdtuiError as error:
        raise FwdtuiError(f"{where}: {error}") from None
