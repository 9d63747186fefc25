"""The tables of lab.toml as they are in the file, and the valid values of each key. core/lab builds a Lab.

msgspec checks the tables for unknown keys, missing keys and wrong values. Each value has its own type, which
says in words what it expects.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec

from fwdtui.core import factors_toml
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.framing import LONGEST, SHORTEST
from fwdtui.core.mistakes import mistake
from fwdtui.core.profile.folded import NAME_MOST, frame
from fwdtui.core.roles import ROLES, WANTED
from fwdtui.core.units import parse_duration, parse_rate

_FUNCTIONS = 100
_INTERVAL = (0.01, 10.0)  # seconds between samples
EVENT = r"[A-Za-z][A-Za-z0-9_./:=@-]{0,63}"
MOST_EVENTS = 16


def _wrong(expected: str, value: object) -> ValueError:
    return ValueError(f"expected {expected}, got {value!r}")


class Text(str):
    """A non-empty string. As in all these types, `read` raises ValueError with a message for the user."""

    __slots__ = ()
    expected: ClassVar[str] = "a string"

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is valid."""
        if not isinstance(value, str):
            raise _wrong(Text.expected, value)
        if not value.strip():
            raise _wrong("a string that is not empty", value)
        if not cls._fits(value):
            raise _wrong(cls.expected, value)
        return cls(value)

    @staticmethod
    def _fits(value: str) -> bool:
        return True


class AtRate(Text):
    """A command that sends at the rate that the variable ``{rate}`` stands for."""

    __slots__ = ()
    expected = "a command with {rate} where its packets per second belong"

    @staticmethod
    def _fits(value: str) -> bool:
        return "{rate}" in value


class Destination(Text):
    """An ssh destination."""

    __slots__ = ()
    expected = "an ssh destination (alias, user@host or user@host:port)"

    @staticmethod
    def _fits(value: str) -> bool:
        # any ssh client would read a leading dash as an option
        return not value.startswith("-") and re.search(r"[\s\x00-\x1f]", value) is None


class Interface(Text):
    """The name of an interface."""

    __slots__ = ()
    expected = "an interface name"

    @staticmethod
    def _fits(value: str) -> bool:
        return re.fullmatch(r"[A-Za-z0-9_.:@][A-Za-z0-9_.:@-]{0,31}", value) is not None


class Interfaces(tuple[str, ...]):
    """One interface, or a list of them."""

    __slots__ = ()
    expected: ClassVar[str] = "an interface name or a list of them"

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is one name or several."""
        if isinstance(value, list) and value:
            return cls(str(Interface.read(one)) for one in value)
        if not isinstance(value, str):
            raise _wrong(cls.expected, value)
        return cls([str(Interface.read(value))])


class Duration(float):
    """Seconds, written with their unit."""

    __slots__ = ()
    expected: ClassVar[str] = 'a duration such as "60s" or "100ms"'

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in seconds."""
        try:
            return cls(parse_duration(Text.read(value)))
        except (FwdtuiError, ValueError):
            raise _wrong(Duration.expected, value) from None


class Interval(Duration):
    """The time between samples."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in seconds."""
        interval = super().read(value)
        if not _INTERVAL[0] <= interval <= _INTERVAL[1]:
            raise _wrong("10ms to 10s", value)
        return interval


class Length(Duration):
    """The length of a blast."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in seconds."""
        length = super().read(value)
        if length <= 0:
            raise _wrong("a duration longer than zero", value)
        return length


class Rate(float):
    """Packets per second."""

    __slots__ = ()
    expected: ClassVar[str] = 'packets per second such as "14.88M"'

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, in packets per second."""
        try:
            return cls(parse_rate(Text.read(value)))
        except (FwdtuiError, ValueError):
            raise _wrong(cls.expected, value) from None


class Count(int):
    """A number of at least one."""

    __slots__ = ()
    expected: ClassVar[str] = "a whole number of at least 1"

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is valid."""
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise _wrong(cls.expected, value)
        return cls(value)


class Events(tuple[str, ...]):
    """Events of the performance counters, as the host's own tool calls them."""

    __slots__ = ()
    expected: ClassVar[str] = 'a list of events such as ["cycles", "instructions"]'

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, each event once."""
        if not isinstance(value, list):
            raise _wrong(cls.expected, value)
        for one in value:
            # they become arguments of a command; the tools' groups in {} and lists with commas are refused
            if not isinstance(one, str) or not re.fullmatch(EVENT, one):
                raise _wrong("an event such as cycles or LLC-load-misses", one)
        if len(dict.fromkeys(value)) > MOST_EVENTS:
            raise _wrong(f"at most {MOST_EVENTS} events", value)
        return cls(dict.fromkeys(value))


class Functions(tuple[str, ...]):
    """Names of functions."""

    __slots__ = ()
    expected: ClassVar[str] = 'a list of functions such as ["my_poll_loop"]'

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, each function once."""
        if not isinstance(value, list):
            raise _wrong(cls.expected, value)
        for one in value:
            if not isinstance(one, str) or not one.strip() or frame(one) != one:
                raise _wrong(f"the name of a function, of at most {NAME_MOST} characters", one)
        if len(value) > _FUNCTIONS:
            raise _wrong(f"at most {_FUNCTIONS} functions", f"{len(value)}")
        return cls(dict.fromkeys(value))


class Frame(int):
    """The length of a frame in bytes, with its FCS: a number, or a text such as "64B"."""

    __slots__ = ()
    expected: ClassVar[str] = (
        f'the length of a frame in bytes with its FCS, {SHORTEST} to {LONGEST}, such as 64 or "64B"'
    )

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is valid."""
        written = re.fullmatch(r"([0-9]{1,5}) ?B", value) if isinstance(value, str) else None
        length = int(written[1]) if written else value
        if not isinstance(length, int) or isinstance(length, bool) or not SHORTEST <= length <= LONGEST:
            raise _wrong(cls.expected, value)
        return cls(length)


class Role(str):
    """What a generator sends: wanted traffic, or an attack beside it."""

    __slots__ = ()
    expected: ClassVar[str] = " or ".join(f'"{role}"' for role in ROLES)

    @classmethod
    def read(cls, value: object) -> Self:
        """The value from the file, if it is valid."""
        if value not in ROLES:
            raise _wrong(cls.expected, value)
        return cls(value)


class Ssh(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[ssh]"""

    config_file: Text | None = None
    known_hosts: Text | None = None


class Sampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[sampling]"""

    interval: Interval = Interval(1.0)


class Endpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[receiver], and the keys that [generator] shares with it."""

    host: Destination
    interface: Interface
    tool: Text = Text("counters")
    start: Text | None = None
    stop: Text | None = None


class Generator(Endpoint, frozen=True, forbid_unknown_fields=True):
    """[generator], or one of several."""

    at_rate: AtRate | None = None
    line_rate: Rate | None = None
    frame: Frame | None = None
    role: Role = Role(WANTED)


class Dut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[dut]"""

    host: Destination
    inputs: Interfaces = msgspec.field(name="in")
    outputs: Interfaces = msgspec.field(name="out")
    os: Text | None = None
    count: Events = Events()
    drop_reasons: bool = False


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[run]"""

    iterations: Count = Count(5)
    warmup: Duration = Duration(5.0)
    duration: Length = Length(60.0)
    settle: Duration = Duration(10.0)


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[profile]"""

    idle: Functions = Functions()


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """lab.toml"""

    name: Text = Text("lab")
    ssh: Ssh = Ssh()
    sampling: Sampling = Sampling()
    generator: Generator | tuple[Generator, ...] = ()
    dut: Dut
    receiver: Endpoint | None = None
    run: Run = Run()
    profile: Profile = Profile()
    factors: Mapping[str, FactorValue] = {}


def read(text: str, path: str) -> File:
    """The tables in `text`. Raises FwdtuiError, which names the file, the key and what was expected."""
    plain = factors_toml.toml(text, path)
    try:
        return msgspec.convert(plain, File, dec_hook=_value)
    except msgspec.ValidationError as error:
        raise FwdtuiError(f"{path}: {mistake(error, plain, path, File)}") from None


def _value(kind: Any, value: object) -> object:
    return kind.read(value)
