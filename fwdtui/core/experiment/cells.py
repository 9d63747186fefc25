"""The cells of an experiment, and the lab as each of them starts it."""

import itertools
import math
from collections.abc import Iterable, Mapping

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.model import Cell, Experiment, Traffic
from fwdtui.core.experiment.variables import filled, written
from fwdtui.core.experiment.variables import names as names_in
from fwdtui.core.factors import FIELD, FactorValue, level
from fwdtui.core.framing import BETWEEN, LONGEST, SHORTEST
from fwdtui.core.lab import Endpoint, Lab, Run, frame_doubt
from fwdtui.core.link_wait import further
from fwdtui.core.roles import ATTACK
from fwdtui.core.sent_frames import frame_of

TRAFFIC = "traffic"
"""The factor whose levels are the traffic profiles, where there are several."""
BUILT_IN = ("warmup", "duration", "time_limit")
"""Variables that every traffic command has, in seconds: of the run, and when a tool has to end by itself."""
_SPARE = 30  # seconds that a tool may run longer than its blast


def cells(experiment: Experiment) -> tuple[Cell, ...]:
    """Every cell, the baseline's first: as listed, or the full design with its last factor varying fastest.

    Raises FwdtuiError if two cells would have the same name.
    """
    profiles = experiment.traffic or (None,)
    rows: list[tuple[dict[str, int], Traffic | None]] = []
    if experiment.cells:
        indexes_of = {
            factor.name: {one.value: n for n, one in enumerate(factor.levels)}
            for factor in experiment.factors
        }
        by_name = {profile.name: profile for profile in experiment.traffic}
        for listed in experiment.cells:
            levels = {name: known[listed[name]] for name, known in indexes_of.items()}
            rows.append((levels, by_name.get(str(listed.get(TRAFFIC)), profiles[0])))
    else:
        counts = [range(len(factor.levels)) for factor in experiment.factors]
        for *indexes, profile in itertools.product(*counts, range(len(profiles))):
            names = (factor.name for factor in experiment.factors)
            rows.append((dict(zip(names, indexes, strict=True)), profiles[profile]))
    made: list[Cell] = []
    seen: set[str] = set()
    for number, (levels, traffic) in enumerate(rows):
        cell = _cell(experiment, number, levels, traffic)
        if cell.name in seen:
            raise FwdtuiError(
                f"cells: two of them would have the name {cell.name!r}; name their levels otherwise"
            )
        seen.add(cell.name)
        made.append(cell)
    return tuple(made)


def _cell(experiment: Experiment, number: int, levels: dict[str, int], profile: Traffic | None) -> Cell:
    named: dict[str, FactorValue] = {
        factor.name: factor.levels[levels[factor.name]].value for factor in experiment.factors
    }
    if profile is not None and len(experiment.traffic) > 1:
        named[TRAFFIC] = profile.name
    sent = profile.variables if profile else {}
    factors = named | {name: value for name, value in sent.items() if name in FIELD}
    name = " ".join(f"{name}={level(name, value).shown}" for name, value in named.items())
    if not name:
        name = profile.name if profile else "default"
    return Cell(number, name, levels, factors, profile.name if profile else "")


def profile_of(experiment: Experiment, cell: Cell) -> Traffic | None:
    """The cell's traffic profile; None: lab.toml's own commands."""
    return next((one for one in experiment.traffic if one.name == cell.traffic), None)


def variables(experiment: Experiment, cell: Cell) -> dict[str, str]:
    """The values of the variables in a cell's traffic commands, by name."""
    profile = profile_of(experiment, cell)
    values: Mapping[str, FactorValue] = {**(profile.variables if profile else {}), **cell.factors}
    return {name: written(name, value) for name, value in values.items()} | times(experiment.run)


def times(run: Run, command: str = "", awaited: Iterable[str] = ()) -> dict[str, str]:
    """The values of the variables BUILT_IN in a command, which may wait for its link first.

    `awaited`: for a receiver, the commands that are started once it is ready, and that then wait too.
    """
    link = further(command) + max(map(further, awaited), default=0.0)
    return {
        "warmup": str(math.ceil(run.warmup)),
        "duration": str(math.ceil(run.duration)),
        "time_limit": str(math.ceil(run.warmup + run.duration + link) + _SPARE),
    }


def lab_of(experiment: Experiment, lab: Lab, cell: Cell) -> Lab:
    """The lab with the commands of this cell, its frame length and the experiment's times.

    Raises FwdtuiError for a variable that is not known, which core/experiment/file.py has ruled out.
    """
    profile = profile_of(experiment, cell)
    if profile is None:
        own = tuple(_own_command(one, frame_size(cell)) for one in lab.generators)
        return msgspec.structs.replace(lab, generators=own, run=experiment.run)
    values = variables(experiment, cell)
    frame = profile.frame or frame_size(cell)
    generators = []
    for generator, command in zip(lab.generators, profile.generators, strict=True):
        start = filled(command, values | times(experiment.run, filled(command, values)))
        if generator.role == ATTACK and "frame_size" not in names_in(command):
            sent = sending(generator, start, _own_frame(profile, generator, start))
        else:
            sent = sending(generator, start, frame)
        generators.append(sent)
    receiver = lab.receiver
    if receiver is not None and profile.receiver is not None:
        awaited = [one.start or "" for one in generators]
        if experiment.profile is not None:  # its blast may be sent by another command
            awaited += [one.at_rate or "" for one in generators]
        limits = times(experiment.run, filled(profile.receiver, values), awaited)
        receiver = msgspec.structs.replace(receiver, start=filled(profile.receiver, values | limits))
    return msgspec.structs.replace(lab, generators=tuple(generators), receiver=receiver, run=experiment.run)


def shown_lab(experiment: Experiment, lab: Lab, cells: Iterable[Cell]) -> Lab:
    """The lab with which all cells are shown: with the length of their frames if it is the same in all cells.

    Otherwise without one, since a rate in bits would be that of another cell's frames.
    """
    labs = [lab_of(experiment, lab, cell) for cell in cells]
    if len({tuple(generator.sends for generator in one.generators) for one in labs}) == 1:
        return msgspec.structs.replace(lab, generators=labs[0].generators)
    generators = (msgspec.structs.replace(one, frame=None, start=None) for one in lab.generators)
    return msgspec.structs.replace(lab, generators=tuple(generators))


def doubtful_frames(experiment: Experiment, lab: Lab, cells: Iterable[Cell]) -> list[str]:
    """Like `Lab.doubtful_frames`, for what the cells send: the first for each traffic and generator."""
    found: dict[tuple[str, int], str] = {}
    for cell in cells:
        own = profile_of(experiment, cell) is None
        sent = lab_of(experiment, lab, cell).generators
        for place, (before, generator) in enumerate(zip(lab.generators, sent, strict=True)):
            by = "lab.toml" if own and generator.frame == before.frame else "experiment.toml"
            if doubt := frame_doubt(generator, by):
                found.setdefault((cell.traffic, place), doubt)
    return list(dict.fromkeys(found.values()))


def lengths_instead(lab: Lab, cell: Cell) -> str:
    """The frame lengths of lab.toml's commands for wanted traffic, if the cell's frame_size differs; else "".

    Also "" if a command does not say for certain how long its frames are: then a level may set that.
    """
    size = frame_size(cell)
    own = {_certain_frame(one) for one in lab.generators if one.start and one.role != ATTACK}
    lengths = sorted(one for one in own if one is not None)
    return " and ".join(map(str, lengths)) if size and None not in own and size not in own else ""


def _certain_frame(generator: Endpoint) -> int | None:
    """The length of a generator's frames if its command itself says it, so that no level changes it."""
    said = frame_of(generator.start or "")
    return said if said == generator.sends else None


def _own_command(generator: Endpoint, frame: int | None) -> Endpoint:
    """A generator with lab.toml's command, whose frames are as long as the levels of frame_size make them.

    The frames may be in a file that a level copies. An attack has frames of its own.
    """
    start = generator.start
    if frame is None or start is None or generator.role == ATTACK or _certain_frame(generator) is not None:
        return generator
    return sending(generator, start, frame)


def _own_frame(profile: Traffic, attack: Endpoint, start: str) -> int | None:
    """The length of the frames of an attack whose command does not use the variable frame_size.

    That is the length of the wanted traffic's frames. None: neither the command nor the profile says the
    attack's, nor does lab.toml for the same command.
    """
    return frame_of(start) or profile.frame or (attack.frame if start == attack.start else None)


def frame_size(cell: Cell) -> int | None:
    """The cell's factor frame_size in bytes with FCS; None if it is not the length of a frame."""
    one = level("frame_size", cell.factors.get("frame_size", ""))
    if one.number is None or one.unit != "B" or not SHORTEST <= one.number <= LONGEST:
        return None
    return int(one.number)


def sending(generator: Endpoint, start: str, frame: int | None) -> Endpoint:
    """The generator with another command and frame length, and the line rate for that length.

    lab.toml's line rate holds for the frames of lab.toml. Packets per second of a link are proportional to
    1 / (frame + 20) (core/framing.py). If one of the two lengths is not known, the line rate is not known
    either, unless the command is the very same.
    """
    before = generator.sends
    changed = msgspec.structs.replace(generator, start=start, frame=frame)
    now, rate = changed.sends, generator.line_rate
    if rate is None or (now == before and (now is not None or start == generator.start)):
        return changed
    known = before is not None and now is not None
    scaled = rate * (before + BETWEEN) / (now + BETWEEN) if before and now and known else None
    return msgspec.structs.replace(changed, line_rate=scaled)
