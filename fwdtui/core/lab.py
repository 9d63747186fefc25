"""lab.toml: which hosts play which role, and how a run goes.

An unknown key or a wrong value is an error that names file, key and what was expected.
"""

import re
from decimal import Decimal
from typing import Any, NoReturn

import msgspec

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import parse_duration, parse_rate

GENERATOR_TOOLS = ("netmap-pkt-gen", "trafgen", "iperf3", "linux-pktgen", "counters")
SYSTEMS = ("freebsd", "linux")
_INTERVAL = (0.1, 10.0)


class Ssh(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where OpenSSH's files are; relative names are relative to lab.toml. None: the user's own."""

    config_file: str | None = None
    known_hosts: str | None = None


class Endpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A generator or a receiver. `host` is an ssh destination: alias, user@host, user@host:port."""

    host: str
    interface: str
    tool: str = "counters"
    start: str | None = None
    stop: str | None = None
    line_rate: float | None = None  # packets per second


class Dut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The device under test. Several port pairs: lists of the same length."""

    host: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    os: str | None = None  # None: detected


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an unattended run goes; seconds."""

    iterations: int = 5
    warmup: float = 5.0
    duration: float = 60.0
    settle: float = 10.0


class Lab(msgspec.Struct, frozen=True):
    """A lab of one to four hosts."""

    name: str
    generators: tuple[Endpoint, ...]
    dut: Dut
    receiver: Endpoint | None = None  # None: the DUT's output counters tell what arrives
    ssh: Ssh = Ssh()
    interval: float = 1.0  # seconds between samples
    run: Run = Run()

    @property
    def line_rate(self) -> float | None:
        """Packets per second that all generators' lines carry; None where one of them is not told."""
        rates = [generator.line_rate for generator in self.generators]
        return sum(rate for rate in rates if rate) if rates and all(rates) else None

    def hosts(self) -> tuple[str, ...]:
        """Each ssh destination once, in the order generator, DUT, receiver."""
        everyone = [generator.host for generator in self.generators] + [self.dut.host]
        if self.receiver:
            everyone.append(self.receiver.host)
        return tuple(dict.fromkeys(everyone))


def parse(text: str, path: str = "lab.toml") -> Lab:
    """Raises FwdtuiError: ``lab.toml: dut.in: expected an interface name or a list of them, got 3``."""
    plain = bounded.toml(text, path)
    return _Reader(path).lab(plain)


def plain(lab: Lab) -> dict[str, object]:
    """The content of a lab.toml that `parse` reads as `lab`, but for [ssh], which stays on this machine."""
    content: dict[str, object] = {
        "name": lab.name,
        "sampling": {"interval": _seconds(lab.interval)},
        "generator": [_plain_endpoint(generator) for generator in lab.generators],
        "dut": {"host": lab.dut.host, "in": list(lab.dut.inputs), "out": list(lab.dut.outputs)}
        | ({"os": lab.dut.os} if lab.dut.os else {}),
        "run": {
            "iterations": lab.run.iterations,
            "warmup": _seconds(lab.run.warmup),
            "duration": _seconds(lab.run.duration),
            "settle": _seconds(lab.run.settle),
        },
    }
    if lab.receiver:
        content["receiver"] = _plain_endpoint(lab.receiver)
    return content


def _plain_endpoint(endpoint: Endpoint) -> dict[str, str]:
    named = {"start": endpoint.start, "stop": endpoint.stop}
    found = {"host": endpoint.host, "interface": endpoint.interface, "tool": endpoint.tool}
    found |= {key: text for key, text in named.items() if text is not None}
    if endpoint.line_rate is not None:
        found["line_rate"] = repr(endpoint.line_rate)
    return found


def _seconds(seconds: float) -> str:
    return f"{Decimal(repr(seconds)):f}s"  # every digit, and no exponent, which a duration does not take


class _Reader:
    """Checks one file. Each method takes the value found and the key it stood under."""

    def __init__(self, path: str) -> None:
        self._path = path

    def lab(self, plain: dict[str, Any]) -> Lab:
        self._only(plain, "", ("name", "ssh", "sampling", "generator", "dut", "receiver", "run"))
        sampling = self._table(plain.get("sampling", {}), "sampling")
        self._only(sampling, "sampling.", ("interval",))
        interval = self._duration(sampling.get("interval", "1s"), "sampling.interval")
        if not _INTERVAL[0] <= interval <= _INTERVAL[1]:
            self._fail("sampling.interval", "100ms to 10s", sampling["interval"])
        found = plain.get("generator", [])
        generators = found if isinstance(found, list) else [found]
        receiver = plain.get("receiver")
        return Lab(
            name=self._text(plain.get("name", "lab"), "name"),
            generators=tuple(self._endpoint(g, "generator") for g in generators),
            dut=self._dut(self._table(self._needed(plain, "dut", "a [dut] table"), "dut")),
            receiver=None if receiver is None else self._endpoint(receiver, "receiver"),
            ssh=self._ssh(self._table(plain.get("ssh", {}), "ssh")),
            interval=interval,
            run=self._run(self._table(plain.get("run", {}), "run")),
        )

    def _endpoint(self, plain: Any, key: str) -> Endpoint:
        table = self._table(plain, key)
        keys = ("host", "interface", "tool", "start", "stop", *(("line_rate",) if key == "generator" else ()))
        self._only(table, f"{key}.", keys)
        tool = self._text(table.get("tool", "counters"), f"{key}.tool")
        rate = table.get("line_rate")
        return Endpoint(
            host=self._host(self._needed(table, "host", "an ssh destination", key), f"{key}.host"),
            interface=self._interface(
                self._needed(table, "interface", "an interface name", key), f"{key}.interface"
            ),
            tool=tool,
            start=self._optional(table, "start", key),
            stop=self._optional(table, "stop", key),
            line_rate=None if rate is None else self._rate(rate, f"{key}.line_rate"),
        )

    def _dut(self, table: dict[str, Any]) -> Dut:
        self._only(table, "dut.", ("host", "in", "out", "os"))
        wanted = "an interface name or a list of them"
        inputs = self._interfaces(self._needed(table, "in", wanted, "dut"), "dut.in")
        outputs = self._interfaces(self._needed(table, "out", wanted, "dut"), "dut.out")
        system = self._optional(table, "os", "dut")
        host = self._host(self._needed(table, "host", "an ssh destination", "dut"), "dut.host")
        return Dut(host=host, inputs=inputs, outputs=outputs, os=system)

    def _ssh(self, table: dict[str, Any]) -> Ssh:
        self._only(table, "ssh.", ("config_file", "known_hosts"))
        return Ssh(self._optional(table, "config_file", "ssh"), self._optional(table, "known_hosts", "ssh"))

    def _run(self, table: dict[str, Any]) -> Run:
        self._only(table, "run.", ("iterations", "warmup", "duration", "settle"))
        iterations = table.get("iterations", Run().iterations)
        if not isinstance(iterations, int) or isinstance(iterations, bool) or iterations < 1:
            self._fail("run.iterations", "a whole number from 1", iterations)
        times = {
            name: self._duration(table[name], f"run.{name}")
            for name in ("warmup", "duration", "settle")
            if name in table
        }
        if times.get("duration", 1.0) <= 0:
            self._fail("run.duration", "longer than nothing", table["duration"])
        return Run(iterations=iterations, **times)

    def _only(self, table: dict[str, Any], prefix: str, keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                self._fail(f"{prefix}{key}", f"one of {', '.join(keys)}", None, "unknown key")

    def _needed(self, table: dict[str, Any], name: str, expected: str, under: str = "") -> Any:
        if name not in table:
            key = f"{under}.{name}" if under else name
            self._fail(key, expected, None, "missing")
        return table[name]

    def _optional(self, table: dict[str, Any], name: str, under: str) -> str | None:
        return self._text(table[name], f"{under}.{name}") if name in table else None

    def _table(self, value: Any, key: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._fail(key, "a table", value)
        return dict(value)

    def _text(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or not value.strip():
            self._fail(key, "a text", value)
        return str(value)

    def _host(self, value: Any, key: str) -> str:
        text = self._text(value, key)
        # a destination that begins with a dash would be read as an option by any ssh client
        if text.startswith("-") or re.search(r"[\s\x00-\x1f]", text):
            self._fail(key, "an ssh destination (alias, user@host or user@host:port)", value)
        return text

    def _interface(self, value: Any, key: str) -> str:
        text = self._text(value, key)
        if not re.fullmatch(r"[A-Za-z0-9_.:@-]{1,32}", text) or text.startswith("-"):
            self._fail(key, "an interface name", value)
        return text

    def _interfaces(self, value: Any, key: str) -> tuple[str, ...]:
        if isinstance(value, list) and value:
            return tuple(self._interface(item, key) for item in value)
        if not isinstance(value, str):
            self._fail(key, "an interface name or a list of them", value)
        return (self._interface(value, key),)

    def _duration(self, value: Any, key: str) -> float:
        try:
            return parse_duration(self._text(value, key))
        except FwdtuiError:
            self._fail(key, 'a duration such as "60s" or "100ms"', value)

    def _rate(self, value: Any, key: str) -> float:
        try:
            return parse_rate(value if isinstance(value, str) else self._text(value, key))
        except FwdtuiError:
            self._fail(key, 'packets per second such as "14.88M"', value)

    def _fail(self, key: str, expected: str, got: Any, problem: str = "") -> NoReturn:
        found = f"{problem}; expected {expected}" if problem else f"expected {expected}, got {got!r}"
        raise FwdtuiError(f"{self._path}: {key}: {found}")
