"""The tables of experiment.toml as they are in the file. file.py builds an Experiment from them.

As for lab.toml (core/lab_tables), msgspec checks them for unknown keys, missing keys and wrong types.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec

from fwdtui.core import factors_toml
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.model import FIXED, MOMENTS, ORDERS, RULES
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab_tables import Count, Duration, Frame, Rate, Text
from fwdtui.core.mistakes import mistake

_LONGEST = 7 * 86400.0  # seconds
_MOST = 1000

ITERATION, EXPERIMENT = "iteration", "experiment"


def _wrong(expected: str, value: object) -> ValueError:
    return ValueError(f"expected {expected}, got {value!r}")


def _one_of(texts: tuple[str, ...]) -> str:
    quoted = [f'"{text}"' for text in texts]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


class Pause(Duration):
    """A time that may be zero."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in seconds."""
        seconds = super().read(value)
        if seconds > _LONGEST:
            raise _wrong("a duration of at most 168h", value)
        return seconds


class Limit(Pause):
    """A time longer than zero."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in seconds."""
        seconds = super().read(value)
        if seconds <= 0:
            raise _wrong("a duration longer than zero", value)
        return seconds


class Number(Count):
    """A number of blocks, iterations or attempts."""

    __slots__ = ()
    expected: ClassVar[str] = f"a whole number from 1 to {_MOST}"

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is valid."""
        number = super().read(value)
        if number > _MOST:
            raise _wrong(cls.expected, value)
        return number


class Seed(int):
    """A seed of the random order."""

    __slots__ = ()
    expected: ClassVar[str] = "a whole number from 0 to 18446744073709551615"

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is valid."""
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 64:
            raise _wrong(cls.expected, value)
        return cls(value)


class Percent(float):
    """A share above 0 %, at most 100 %, written ``"1%"``."""

    __slots__ = ()
    expected: ClassVar[str] = 'a percentage such as "1%" or "0.5%"'

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in percent."""
        number = value.strip().removesuffix("%").rstrip() if isinstance(value, str) else ""
        plain = number.isascii() and number.replace(".", "", 1).isdecimal() and len(number) <= 20
        if not isinstance(value, str) or "%" not in value or not plain or not 0 < float(number) <= 100:
            raise _wrong(cls.expected, value)
        return cls(float(number))


class Margin(Percent):
    """The smallest difference that matters: nothing can be slower by 100 % or more."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in percent."""
        percent = super().read(value)
        if percent >= 100:
            raise _wrong('a percentage below 100 %, such as "1%" or "0.5%"', value)
        return percent


class Choice(str):
    """One of several words."""

    __slots__ = ()
    choices: ClassVar[tuple[str, ...]] = ()
    expected: ClassVar[str] = ""

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is valid."""
        if value not in cls.choices:
            raise _wrong(cls.expected, value)
        return cls(value)


class Order(Choice):
    """How the cells follow each other."""

    __slots__ = ()
    choices = ORDERS
    expected = _one_of(ORDERS)


class Moment(Choice):
    """When a hook runs."""

    __slots__ = ()
    choices = MOMENTS
    expected = _one_of(MOMENTS)


class Around(Choice):
    """What a hook is before or after."""

    __slots__ = ()
    choices = (ITERATION, EXPERIMENT)
    expected = _one_of((ITERATION, EXPERIMENT))


class Rule(Choice):
    """When enough has been measured."""

    __slots__ = ()
    choices = RULES
    expected = _one_of(RULES)


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command with a host or a time limit of its own."""

    run: Text
    host: Text | None = None
    timeout: Limit = Limit(60.0)


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command and what it must print."""

    run: Text
    expect: str | int | float
    host: Text | None = None
    timeout: Limit = Limit(60.0)


Commands = str | Command | tuple[str | Command, ...]
"""One command, or several."""


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a level is brought about: the keys that a level shares with its factor."""

    host: Text | None = None
    upload: Mapping[str, str] | None = None
    apply: Commands | None = None
    verify: Check | tuple[Check, ...] | None = None
    undo: Commands | None = None
    sysctl: Mapping[str, Any] | None = None
    module: str | tuple[str, ...] | None = None
    reboot: bool | None = None


class Level(Setup, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[[factor.levels]]"""

    value: FactorValue


class Factor(Setup, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[[factor]]"""

    name: Text
    levels: tuple[FactorValue | Level, ...]


class Traffic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[[traffic]]"""

    name: Text
    generator: str | tuple[str, ...]
    receiver: Text | None = None
    variables: Mapping[str, FactorValue] = {}
    frame: Frame | None = None


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[run]; None: as lab.toml says, or the default."""

    blocks: Number | None = None
    boots: Number | None = None
    iterations: Number = Number(1)
    warmup: Pause | None = None
    duration: Limit | None = None
    settle: Pause | None = None
    reboot: Text = Text("reboot")
    reboot_time: Limit = Limit(90.0)
    order: Order = Order(ORDERS[0])
    seed: Seed = Seed(0)


class Hook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[[hook]]"""

    when: Moment
    run: Text
    host: Text | None = None
    timeout: Limit = Limit(60.0)
    around: Around = Around(ITERATION)


class Abort(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[abort]"""

    attempts: Number = Number(3)
    failed: Number = Number(3)
    boot: Limit = Limit(300.0)


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[stop]"""

    rule: Rule = Rule(FIXED)
    precision: Percent | None = None
    looks: tuple[int, ...] | None = None


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[profile]; without a rate: the cell's own traffic."""

    rate: Rate | None = None
    seconds: Limit = Limit(10.0)


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """experiment.toml"""

    name: Text
    lab: Text = Text("lab.toml")
    margin: Margin = Margin(1.0)
    cells: tuple[Mapping[str, FactorValue], ...] | None = None
    run: Run = Run()
    factor: tuple[Factor, ...] = ()
    traffic: tuple[Traffic, ...] = ()
    hook: tuple[Hook, ...] = ()
    abort: Abort = Abort()
    stop: Stop = Stop()
    profile: Profile | None = None


def read(text: str, path: object) -> File:
    """The tables in `text`. Raises FwdtuiError, which names the file, the key and what was expected."""
    plain = factors_toml.toml(text, path)
    try:
        return msgspec.convert(plain, File, dec_hook=_value)
    except msgspec.ValidationError as error:
        raise FwdtuiError(f"{path}: {mistake(error, plain, path, File)}") from None


def _value(kind: Any, value: object) -> object:
    return kind.read(value)
