"""What an iteration's generators sent, according to its facts: the length of their frames, and the line rate.

A session's facts are about the lab's own command and frames; an iteration may have other facts of its own.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import count, takewhile

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level
from fwdtui.core.model import Caution, Fact, Iteration, Session
from fwdtui.core.own_facts import GONE
from fwdtui.core.text import clean
from fwdtui.core.units import parse_rate

FRAME_SIZE = "frame_size"
"""The factor that is the frames' length."""


def frames_mixed(session: Session, used: Sequence[Iteration], factors: Mapping[str, Level]) -> list[Caution]:
    """The warning that the iterations' frames differ in length, if the recordings say so and no factor does.

    That happens if recording a session went on after lab.toml had been changed.
    """
    if FRAME_SIZE in factors or session.imported or not any(one.facts for one in used):
        return []
    generators = wanted_generators(session.facts) or ["generator"]
    of_each = [tuple(frame_sent(one, session.facts, name) for name in generators) for one in used]
    different = dict.fromkeys(lengths for lengths in of_each if None not in lengths)
    if len(different) < 2:
        return []
    told = " and ".join("/".join(clean(str(length)) for length in lengths) for lengths in different)
    return [Caution("frames-mixed", f"iterations with frames of different lengths: {told} B")]


def line_rate(session: Session, used: Sequence[Iteration], factors: Mapping[str, Level]) -> float | None:
    """The line rate that the lab's facts give, in packets per second; None if absent or not a rate.

    It is the fact `line_rate`, or the sum over the generators of the wanted traffic, as in core.lab.Lab. A
    generator's line rate may be among an iteration's own facts: that of other frames, or of a lab.toml that
    was changed since the session began. The session's line rates, including the fact `line_rate`, are those
    of the lab's own frames: iterations with the factor frame_size have them only if their frames are known to
    be as long. The same goes for a generator's line rate if another command started it. None if iterations
    differ.
    """
    facts = session.facts
    wanted = wanted_generators(facts)
    if "line_rate" in facts:
        names = wanted or ["generator"]
        as_long = all(_as_long(name, facts, Iteration(0, None), factors) for name in names)
        return _rate(facts["line_rate"]) if as_long or FRAME_SIZE not in factors else None
    keys = [f"{name}.{what}" for name in wanted for what in ("line_rate", "command", "frame")]
    each_object = {id(one.facts): one for one in used}.values()  # most have no facts, others the same ones
    of_generators = {repr([one.facts.get(key) for key in keys]): one for one in each_object}
    alike = [*of_generators.values()] or [Iteration(0, None)]
    recorded = [facts, *(one.facts for one in alike)]
    if not any(f"{name}.line_rate" in there for name in wanted for there in recorded):
        return None
    rates = {tuple(_rate_of(name, facts, one, factors) for name in wanted) for one in alike}
    each = rates.pop() if len(rates) == 1 else ()
    known = [rate for rate in each if rate is not None]
    return sum(known) if known and len(known) == len(wanted) else None


def _rate_of(
    generator: str, facts: Mapping[str, Fact], one: Iteration, factors: Mapping[str, Level]
) -> float | None:
    """The line rate of a generator in an iteration: its own, or the session's if its frames are as long."""
    key = f"{generator}.line_rate"
    if key in one.facts:
        return _rate(one.facts[key])
    return _rate(facts.get(key)) if _as_long(generator, facts, one, factors) else None


def wanted_generators(facts: Mapping[str, Fact]) -> list[str]:
    """The names of the generators of wanted traffic in the lab's facts: ``generator``, ``generator2`` ..."""
    from fwdtui.core.roles import ATTACK

    return [name for name in _generators(facts) if facts.get(f"{name}.role") != ATTACK]


def _generators(facts: Mapping[str, Fact]) -> list[str]:
    names = ("generator" if number == 1 else f"generator{number}" for number in count(1))
    return list(takewhile(lambda name: f"{name}.host" in facts, names))


def _as_long(generator: str, facts: Mapping[str, Fact], one: Iteration, factors: Mapping[str, Level]) -> bool:
    """Whether the frames that a generator sent in an iteration are as long as the lab's own."""
    from fwdtui.core.sent_frames import frame_of  # only where there is a line rate

    command = facts.get(f"{generator}.command", "")
    own = facts.get(f"{generator}.frame", frame_of(str(command)))
    if FRAME_SIZE in factors:
        size = factors[FRAME_SIZE]
        return size.unit == "B" and size.number == own
    if one.facts.get(f"{generator}.command", command) == command and f"{generator}.frame" not in one.facts:
        return True
    return own is not None and frame_sent(one, facts, generator) == own


def frame_sent(iteration: Iteration, facts: Mapping[str, Fact], generator: str = "generator") -> Fact | None:
    """Bytes with FCS of the frames that a generator sent, as its command or the lab says; None: not known.

    `facts`: the session's, which are about the lab's own command. In an experiment, cells may have others.
    """
    key = f"{generator}.command"
    command = iteration.facts.get(key, facts.get(key))
    own = iteration.facts.get(f"{generator}.frame")
    told = None if own == GONE else own
    if command == facts.get(key):
        return facts.get(f"{generator}.frame") if own is None else told
    from fwdtui.core.sent_frames import frame_of

    return frame_of(str(command)) or told


def _rate(fact: Fact | None) -> float | None:
    """A fact as packets per second; None if it is not a rate above zero."""
    if isinstance(fact, str):
        try:
            rate = parse_rate(fact)
        except FwdtuiError:
            return None
    elif isinstance(fact, int | float) and not isinstance(fact, bool):
        rate = float(fact)
    else:
        return None
    return rate if math.isfinite(rate) and rate > 0 else None
