"""The frames of a cell and the link that they are sent on, as far as its session says; nothing is guessed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level
from fwdtui.core.framing import LONGEST, SHORTEST, line_rate
from fwdtui.core.model import Case, Fact, Iteration, Session
from fwdtui.core.units import quoted
from fwdtui.report import frames, iterations
from fwdtui.report.cells_of import Cell
from fwdtui.report.frames import FRAME_SIZE
from fwdtui.report.iterations import CaseSet

_SPEED = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([MG])(?:b/s|bps|bit/s)?")
_SCALE = {"M": 1e6, "G": 1e9}
_NOMINAL = frozenset({"veth", "tun"})
"""Linux drivers that state 10 Gb/s though no link bounds them: veth_get_link_ksettings() of net/veth.c."""
_SPACED = re.compile(r" +(?=[MGB])")
"""The blank of ``10 G`` and ``64 B``, which `parse_link` takes as one word."""


@dataclass(frozen=True, slots=True)
class Link:
    """What the user says about the link: `speed` in bits per second, `frame` in bytes with FCS.

    `frame` is for sessions that do not say it themselves.
    """

    speed: float | None = None
    frame: int | None = None

    @property
    def given(self) -> str:
        """What the user said, as `parse_link` reads it: ``10G 64``; empty if nothing."""
        return " ".join(text for _, text in self._words)

    @property
    def options(self) -> list[str]:
        """The same as options of the command."""
        return [word for words in self._words for word in words]

    @property
    def _words(self) -> list[tuple[str, str]]:
        words = [] if self.speed is None else [("--link", _written(self.speed))]
        return words if self.frame is None else [*words, ("--frame", str(self.frame))]


def parse_speed(text: str, option: str = "--link") -> float:
    """``"10G"`` -> 1e10 bits per second. Raises FwdtuiError that names the `option`."""
    match = _SPEED.fullmatch(text.strip())
    speed = float(match[1]) * _SCALE[match[2]] if match else 0.0
    if speed <= 0:
        raise FwdtuiError(f"{option}: {quoted(text)} is not the speed of a link: write it as 10G")
    return speed


def parse_frame(text: str, option: str = "--frame") -> int:
    """``"64"`` -> 64 bytes with FCS. Raises FwdtuiError that names the `option`."""
    length = text.strip().removesuffix("B").strip()
    frame = int(length) if re.fullmatch("[0-9]{1,5}", length) else 0
    if not SHORTEST <= frame <= LONGEST:
        raise FwdtuiError(f"{option}: {quoted(text)} is not a length of frames in bytes with FCS, such as 64")
    return frame


def parse_link(text: str) -> Link:
    """``"10G 64"``, ``"10G"`` or ``"64"``: a speed with its M or G, a length without.

    Raises FwdtuiError if it is anything else.
    """
    words = _SPACED.sub("", text.strip()).split()
    speeds = [word for word in words if word[-1] not in "0123456789B"]
    lengths = [word for word in words if word not in speeds]
    if len(speeds) > 1 or len(lengths) > 1:
        raise FwdtuiError(f"{quoted(text)}: give a speed and a length, such as 10G 64")
    return Link(
        parse_speed(speeds[0], "the link") if speeds else None,
        parse_frame(lengths[0], "the frames") if lengths else None,
    )


def _written(speed: float) -> str:
    """A speed as `parse_speed` reads it: ``10G``, ``2.5G``, ``100M``."""
    unit = "G" if speed >= _SCALE["G"] else "M"
    return f"{speed / _SCALE[unit]:.12g}{unit}"


def frame_of(cell: Cell, link: Link) -> int | None:
    """Bytes with FCS of a cell's frames: its factor frame_size, else what the recording or the user says."""
    level = cell.factors.get(FRAME_SIZE, Level(""))
    if level.known:
        return _frame(level.number if level.unit == "B" else None)
    # older imports have one command for all their cases, which may have sent other frames
    recorded = None if cell.session.imported else _recorded(cell)
    return link.frame if recorded is None else recorded


def _recorded(cell: Cell) -> int | None:
    """The length of the lab's frames, or of those that another command sent; None: not known, or several.

    It is that of the wanted traffic: an attack may have frames of another length.
    """
    facts = cell.session.facts
    names = frames.wanted_generators(facts) or ["generator"]
    used = [one for one in cell.case.iterations if iterations.counts(one)]
    lengths = {_frame(frames.frame_sent(one, facts, name)) for one in used for name in names}
    if not used:
        lengths = {_frame(facts.get(f"{name}.frame")) for name in names}
    return lengths.pop() if len(lengths) == 1 else None


def line_rate_of(cell: Cell, link: Link) -> float | None:
    """How many of the cell's frames the links carry per second; None if that is not known.

    As in a comparison, the lab's own line rate is not used for cells with frames of another length.
    """
    frame = frame_of(cell, link)
    if link.speed is not None:
        return None if frame is None else _links(cell.session) * line_rate(link.speed, frame)
    used = [one for one in cell.case.iterations if iterations.counts(one)]
    speed = _speed(cell.session, used)
    if speed is not None and frame is not None:
        return _links(cell.session) * line_rate(speed, frame)
    return frames.line_rate(cell.session, used, cell.factors)


def frame_of_all(cases: CaseSet) -> int | None:
    """Bytes with FCS of all frames of a case, as its factor or its recording says.

    None: it is not known, or iterations or generators differ.
    """
    session, size = cases.session, cases.factors.get(FRAME_SIZE)
    if session is None or FRAME_SIZE in cases.mixed or (size is not None and not size.known):
        return None
    if size is None and not cases.used:
        return None
    return frame_of(Cell({}, cases.factors, session, Case(cases.name, cases.used)), Link())


def rate_of_ports(cases: CaseSet) -> float | None:
    """The line rate of a whole case at the speed of the DUT's ports, as in a sweep; None: not known.

    It is for frames that are not as long as the lab's own, for which lab.toml gives no line rate. None if the
    iterations or the generators differ in their frames.
    """
    session, frame = cases.session, frame_of_all(cases)
    speed = None if session is None else _speed(session, cases.used)
    if session is None or speed is None or frame is None:
        return None
    return _links(session) * line_rate(speed, frame)


def _links(session: Session) -> int:
    """How many links the wanted traffic takes: one for each generator, as far as the DUT has ports."""
    facts = session.facts
    ports = [len(port) for key in ("dut.in", "dut.out") if isinstance(port := facts.get(key), list)]
    return max(min(*ports, len(frames.wanted_generators(facts))), 1) if ports else 1


def _speed(session: Session, used: Iterable[Iteration]) -> float | None:
    """The speed of the DUT's ports in bits per second, if all that the facts give are the same; else None.

    An iteration of `used` may have another speed: that of a level that sets it, or of another kernel.
    """
    own: list[Mapping[str, Fact]] = [one.facts for one in used] or [{}]
    ports = [port for key in ("dut.in", "dut.out") if isinstance(port := session.facts.get(key), list)]
    names = {name for port in ports for name in port}
    dut = (session.lab or {}).get("dut")
    host = dut.get("host") if isinstance(dut, Mapping) else None
    speeds: set[object] = set()
    for key, fact in session.facts.items():
        of, _, name = key.removesuffix(".speed").rpartition(".")
        # other hosts may have interfaces of the same name; older sessions do not say which host is the DUT
        nominal = session.facts.get(f"{of}.{name}.driver") in _NOMINAL
        if key.endswith(".speed") and name in names and host in (None, of) and not nominal:
            speeds.update(one.get(key, fact) for one in own)
    speed = speeds.pop() if len(speeds) == 1 else None
    return float(speed) if isinstance(speed, int | float) and speed > 0 else None


def _frame(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if SHORTEST <= value <= LONGEST and float(value).is_integer() else None
