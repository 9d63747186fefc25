"""lab.toml: the hosts, their roles and the parameters of a run.

An unknown key or a wrong value is an error that names the file, the key and what was expected.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import combinations, permutations

import msgspec

from fwdtui.core import lab_tables
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.roles import ATTACK, WANTED
from fwdtui.core.same_host import same_host
from fwdtui.core.sent_frames import frame_of
from fwdtui.core.stated_factors import stated

WARMUP_SHARE = 0.25
"""A warm-up never takes more of a blast than this."""
_FASTEST = 1.5e9  # packets per second: beyond a link of 1 Tb/s
_GIGABIT = 1e9  # no lab sends as many packets per second, but many links carry as many bits


class Ssh(msgspec.Struct, frozen=True):
    """Where OpenSSH's files are; relative names are relative to lab.toml. None: the user's own."""

    config_file: str | None = None
    known_hosts: str | None = None


class Endpoint(msgspec.Struct, frozen=True):
    """A generator or a receiver. `host` is an ssh destination: alias, user@host, user@host:port."""

    host: str
    interface: str
    tool: str = "counters"
    start: str | None = None
    stop: str | None = None
    line_rate: float | None = None  # packets per second
    frame: int | None = None  # bytes with FCS of the frames it sends; None: only the start command may say
    at_rate: str | None = None  # of a generator: its start command for a given rate, with {rate} in it
    role: str = WANTED  # of a generator: what it sends, WANTED or ATTACK

    @property
    def sends(self) -> int | None:
        """The length of its frames in bytes with FCS, given or as `start` says; None: not known."""
        return self.frame if self.frame is not None or self.start is None else frame_of(self.start)


class Dut(msgspec.Struct, frozen=True):
    """The device under test. Several port pairs: lists of the same length."""

    host: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    os: str | None = None  # None: detected
    count: tuple[str, ...] = ()  # events that performance counters count while something is recorded
    drop_reasons: bool = False  # count the kernel's drop reasons while a blast is on


class Run(msgspec.Struct, frozen=True):
    """Parameters of an unattended run; times in seconds."""

    iterations: int = 5
    warmup: float = 5.0
    duration: float = 60.0
    settle: float = 10.0

    @property
    def long_warmup(self) -> str:
        """A warning if the warm-up is too long to be left out completely; "" if it is not."""
        left_out = WARMUP_SHARE * (self.warmup + self.duration)
        if self.warmup <= left_out:
            return ""
        return (
            f"The warm-up of {self.warmup:g} s is more than a quarter of the blast, but only a quarter is"
            f" left out: about {round(left_out, 1):g} s. Measure for {3 * self.warmup:g} s or more, or the"
            " rest of the warm-up counts in the values."
        )


_ON_OTHERS = "lagg", "bridge", "bond", "gif", "gre", "vxlan", "wg", "ipsec", "ovpn", "tun"
"""How interfaces are named whose packets also pass other interfaces: made of several, or tunnels."""


class Lab(msgspec.Struct, frozen=True):
    """A lab: its generators, the DUT, and perhaps a receiver; several of them may be on one host."""

    name: str
    generators: tuple[Endpoint, ...]
    dut: Dut
    receiver: Endpoint | None = None  # None: the DUT's output counters are used instead
    ssh: Ssh = Ssh()
    interval: float = 1.0  # seconds between samples
    run: Run = Run()
    factors: Mapping[str, FactorValue] = {}  # of every session that is recorded with this lab
    idle: tuple[
        str, ...
    ] = ()  # functions that are idle time in a profile, beside core.profile.IDLE_FUNCTIONS

    @property
    def attacked(self) -> bool:
        """Whether a generator sends an attack beside the wanted traffic."""
        return any(generator.role == ATTACK for generator in self.generators)

    @property
    def line_rate(self) -> float | None:
        """Packets per second that the lines of the wanted traffic's generators carry together.

        None if lab.toml does not give the line rate of one of them.
        """
        return _together(generator for generator in self.generators if generator.role != ATTACK)

    @property
    def all_line_rate(self) -> float | None:
        """Like `line_rate`, but of all generators: the most that can reach the DUT."""
        return _together(self.generators)

    @property
    def frame(self) -> int | None:
        """Bytes with FCS of the frames that all generators send; None: not known, or they differ."""
        lengths = {generator.sends for generator in self.generators}
        return lengths.pop() if len(lengths) == 1 else None

    @property
    def wanted_frame(self) -> int | None:
        """Like `frame`, but only of the generators of wanted traffic."""
        lengths = {generator.sends for generator in self.generators if generator.role != ATTACK}
        return lengths.pop() if len(lengths) == 1 else None

    @property
    def doubtful_frames(self) -> list[str]:
        """A warning for each generator whose `frame` is not the length that its own command says."""
        return [doubt for one in self.generators if (doubt := frame_doubt(one))]

    @property
    def on_dut(self) -> bool:
        """Whether the DUT's host generates or receives too, so that its cores do more than forward."""
        ends = [*self.generators, *([self.receiver] if self.receiver else [])]
        return any(same_host(end.host, self.dut.host) for end in ends)

    def hosts(self) -> tuple[str, ...]:
        """Each ssh destination once, in the order generator, DUT, receiver."""
        everyone = [generator.host for generator in self.generators] + [self.dut.host]
        if self.receiver:
            everyone.append(self.receiver.host)
        return tuple(dict.fromkeys(everyone))

    def ports(self, host: str) -> tuple[str, ...]:
        """The interfaces of the test path on one host, each once."""
        ends = [*self.generators, *([self.receiver] if self.receiver else [])]
        names = [end.interface for end in ends if end.host == host]
        names += [*self.dut.inputs, *self.dut.outputs] if host == self.dut.host else []
        return tuple(dict.fromkeys(names))

    def may_pass(self, host: str, interface: str) -> bool:
        """Whether the test's packets may pass `interface` of `host`; `host` "": of any host.

        If the test path has a lagg, a bridge or a tunnel, they may pass any interface: lab.toml names neither
        the members of the first two nor the card below a tunnel.
        """
        known = [name for one in ([host] if host else self.hosts()) for name in self.ports(one)]
        return not known or interface in known or any(name.startswith(_ON_OTHERS) for name in known)


def frame_doubt(generator: Endpoint, by: str = "lab.toml") -> str:
    """A warning if the generator's `frame` is not the length that its own command says; else "".

    `by`: the file that states `frame`.
    """
    said = frame_of(generator.start or "")
    if generator.frame is None or said in (None, generator.frame):
        return ""
    return (
        f"According to {by}, the frames of {generator.host} have {generator.frame} bytes with their FCS;"
        f" according to its start command, {said}. One of the two is wrong, and bits and line rate with it."
        " pkt-gen's -l leaves out the 4 bytes of the FCS."
    )


def _together(generators: Iterable[Endpoint]) -> float | None:
    rates = [generator.line_rate for generator in generators]
    return sum(rate for rate in rates if rate) if rates and all(rates) else None


def parse(text: str, path: str = "lab.toml") -> Lab:
    """Reads the text of a lab.toml; `path` is for messages.

    Raises FwdtuiError: ``lab.toml: dut.in: expected an interface name or a list of them, got 3``.
    """
    file = lab_tables.read(text, path)
    generators = file.generator if isinstance(file.generator, tuple) else (file.generator,)
    if generators and all(generator.role == ATTACK for generator in generators):
        raise FwdtuiError(f'{path}: generator.role: expected at least one generator with role "{WANTED}"')
    _counted_once(generators, file.dut, path)
    return Lab(
        name=str(file.name),
        generators=tuple(_endpoint(generator) for generator in generators),
        dut=Dut(
            str(file.dut.host),
            tuple(file.dut.inputs),
            tuple(file.dut.outputs),
            _text(file.dut.os),
            tuple(file.dut.count),
            file.dut.drop_reasons,
        ),
        receiver=None if file.receiver is None else _endpoint(file.receiver),
        ssh=Ssh(_text(file.ssh.config_file), _text(file.ssh.known_hosts)),
        interval=float(file.sampling.interval),
        run=Run(
            iterations=int(file.run.iterations),
            warmup=float(file.run.warmup),
            duration=float(file.run.duration),
            settle=float(file.run.settle),
        ),
        factors=stated(file.factors, f"{path}: factors."),
        idle=tuple(file.profile.idle),
    )


def check_use(lab: Lab, path: str) -> None:
    """Raises FwdtuiError for a key that would do nothing, or whose value would make the numbers wrong.

    `parse` accepts such keys, since labs that were recorded by older versions may have them.
    """
    for generator in lab.generators:
        of = f"(host {generator.host})"
        if generator.line_rate == 0.0:
            raise FwdtuiError(f"{path}: generator.line_rate: expected more than 0 packets per second {of}")
        if (rate := generator.line_rate or 0.0) == _GIGABIT or rate > _FASTEST:
            raise FwdtuiError(
                f"{path}: generator.line_rate: expected packets per second, and {rate / 1e9:g}G looks like"
                f' the speed of a link: at 10 Gb/s and frames of 64 bytes it is "14.88M" {of}'
            )
        if generator.role == ATTACK and generator.at_rate is not None:
            raise FwdtuiError(
                f"{path}: generator.at_rate: an attack is sent as `start` says, whatever the rate of the"
                f" wanted traffic {of}: leave it out"
            )
    _beside_their_vlans(lab, path)


def _beside_their_vlans(lab: Lab, path: str) -> None:
    """Raises FwdtuiError if the counters of one port include what another port of the same sum counts."""
    sums = [
        ("generator", [(one.host, one.interface) for one in lab.generators]),
        ("dut.in", [(lab.dut.host, name) for name in lab.dut.inputs]),
        ("dut.out", [(lab.dut.host, name) for name in lab.dut.outputs]),
    ]
    for key, ports in sums:
        for (host, name), (other, vlan) in permutations(ports, 2):
            if vlan.startswith(f"{name}.") and same_host(host, other):
                raise FwdtuiError(
                    f"{path}: {key}: {vlan} is a VLAN of {name}, whose counters have its packets as well, so"
                    f" they would count twice (host {host}): name VLANs only, or only the port below them"
                )


def _counted_once(generators: Iterable[lab_tables.Generator], dut: lab_tables.Dut, path: str) -> None:
    """Raises FwdtuiError if the packets of one port would count twice: of two generators, or two ports."""
    for key, names in (("in", dut.inputs), ("out", dut.outputs)):
        if name := next((one for one in names if names.count(one) > 1), None):
            raise FwdtuiError(f"{path}: dut.{key}: {name} is named twice")
    ports = [(str(generator.host), str(generator.interface)) for generator in generators]
    twice = (
        one for one, other in combinations(ports, 2) if one[1] == other[1] and same_host(one[0], other[0])
    )
    if port := next(twice, None):
        raise FwdtuiError(
            f"{path}: generator: two of them send on {port[1]} of {port[0]}, where their packets cannot be"
            " told apart: make them one, or give each a port of its own"
        )


def _endpoint(table: lab_tables.Endpoint) -> Endpoint:
    rate = table.line_rate if isinstance(table, lab_tables.Generator) else None
    frame = table.frame if isinstance(table, lab_tables.Generator) else None
    at_rate = table.at_rate if isinstance(table, lab_tables.Generator) else None
    role = str(table.role) if isinstance(table, lab_tables.Generator) else WANTED
    return Endpoint(
        host=str(table.host),
        interface=str(table.interface),
        tool=str(table.tool),
        start=_text(table.start),
        stop=_text(table.stop),
        line_rate=None if rate is None else float(rate),
        frame=None if frame is None else int(frame),
        at_rate=_text(at_rate),
        role=role,
    )


def _text(text: lab_tables.Text | None) -> str | None:
    return None if text is None else str(text)


def plain(lab: Lab) -> dict[str, object]:
    """The content of a lab.toml that `parse` reads as `lab`, except [ssh] and [factors].

    [ssh] stays on this machine, and the factors are those of the session.
    """
    content: dict[str, object] = {
        "name": lab.name,
        "sampling": {"interval": _seconds(lab.interval)},
        "generator": [_plain_endpoint(generator) for generator in lab.generators],
        "dut": {"host": lab.dut.host, "in": list(lab.dut.inputs), "out": list(lab.dut.outputs)}
        | ({"os": lab.dut.os} if lab.dut.os else {})
        | ({"count": list(lab.dut.count)} if lab.dut.count else {})
        | ({"drop_reasons": True} if lab.dut.drop_reasons else {}),
        "run": {
            "iterations": lab.run.iterations,
            "warmup": _seconds(lab.run.warmup),
            "duration": _seconds(lab.run.duration),
            "settle": _seconds(lab.run.settle),
        },
    }
    if lab.idle:
        content["profile"] = {"idle": list(lab.idle)}
    if lab.receiver:
        content["receiver"] = _plain_endpoint(lab.receiver)
    return content


def _plain_endpoint(endpoint: Endpoint) -> dict[str, str | int]:
    named = {"start": endpoint.start, "stop": endpoint.stop, "at_rate": endpoint.at_rate}
    fields: dict[str, str | int] = {
        "host": endpoint.host,
        "interface": endpoint.interface,
        "tool": endpoint.tool,
    }
    fields |= {key: text for key, text in named.items() if text is not None}
    if endpoint.line_rate is not None:
        fields["line_rate"] = repr(endpoint.line_rate)
    if endpoint.frame is not None:
        fields["frame"] = endpoint.frame
    if endpoint.role != WANTED:
        fields["role"] = endpoint.role
    return fields


def _seconds(seconds: float) -> str:
    return f"{Decimal(repr(seconds)):f}s"  # every digit, and no exponent, which a duration does not allow
