"""A lab whose generators send at a given rate: lab.toml's `at_rate` with ``{rate}`` filled in.

`start` sends as it does in every measurement, usually as fast as it can. Where all variants have to get the
same load (a profile, a latency), each generator needs a command that takes a rate.
"""

import math

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Cell, Experiment
from fwdtui.core.experiment.cells import lab_of, profile_of, sending, times
from fwdtui.core.experiment.variables import filled, names
from fwdtui.core.lab import Endpoint, Lab, Run
from fwdtui.core.roles import ATTACK
from fwdtui.core.sent_frames import frame_of
from fwdtui.core.units import counted, quoted

RATE = "profile.rate"
"""The fact of an iteration that says what was offered for its profile, in packets per second."""

_HOW = {
    "netmap-pkt-gen": "pkt-gen's option is -R {rate}",
    "trafgen": "trafgen sends a second's packets at once, so take another tool: tcpreplay --pps={rate}",
    "iperf3": "iperf3 takes bits per second; with -l 18 a packet has 144: -b $(({rate} * 144))",
    "linux-pktgen": "pktgen's command is ratep {rate}, divided by the number of devices and by burst",
}


def at_rate(lab: Lab, rate: float, path: str = "lab.toml") -> Lab:
    """The lab with generators that together send `rate` packets per second of wanted traffic.

    Each sends the same share; an attack is sent as `start` says. Raises FwdtuiError, which says what to add,
    if a generator has no command for a given rate.
    """
    wanted = [generator for generator in lab.generators if generator.role != ATTACK]
    share = math.floor(rate / max(len(wanted), 1))
    if not wanted or share < 1:
        raise FwdtuiError(
            f"{path}: {rate:g} packets per second cannot be sent by {counted(len(wanted), 'generator')}"
        )
    generators = tuple(
        generator if generator.role == ATTACK else sending_at(generator, share, lab.run, path)
        for generator in lab.generators
    )
    return msgspec.structs.replace(lab, generators=generators)


def check(lab: Lab, path: str = "lab.toml") -> None:
    """Raises FwdtuiError if an `at_rate` command has no variable ``{rate}``.

    ``{{rate}}`` is not one, since it stands for the text ``{rate}``; nor is ``${rate}``, a variable of the
    shell, which nothing sets.
    """
    for generator in lab.generators:
        if generator.at_rate is not None and "rate" not in names(generator.at_rate):
            raise FwdtuiError(
                f"{path}: generator.at_rate: expected a command with {{rate}} where its packets per second"
                f" belong, got {quoted(generator.at_rate)}"
            )


def sending_at(generator: Endpoint, share: int, run: Run, path: str) -> Endpoint:
    """The generator with its command for `share` packets per second. Raises FwdtuiError if it has none."""
    if generator.at_rate is None:
        where = f"{path}: generator.at_rate: missing for {generator.host}"
        how = _HOW.get(generator.tool, "write {rate} where the command takes packets per second")
        raise FwdtuiError(
            f'{where}: add its start command for a given rate, at_rate = "... {{rate}} ..."; {how}'
        )
    try:
        start = filled(generator.at_rate, {"rate": str(share), **times(run, generator.at_rate)})
    except FwdtuiError as error:
        raise FwdtuiError(f"{path}: generator.at_rate: {error}") from None
    frame = generator.frame or frame_of(start) or generator.sends
    if frame is None:  # nor does `start` say a length, the other command for the same packets
        return msgspec.structs.replace(generator, start=start)
    return sending(generator, start, frame)


def of_cell(experiment: Experiment, lab: Lab, cell: Cell, rate: float) -> Lab:
    """The lab as a cell starts it, with lab.toml's wanted traffic at `rate`: `lab` is as lab.toml has it.

    The cell's own attack and receiver stay. If the cell uses lab.toml's commands, the frame length that its
    levels bring about stays too. Raises FwdtuiError like `at_rate`.
    """
    own = lab_of(experiment, lab, cell)
    if profile_of(experiment, cell) is None:
        return at_rate(own, rate)
    pairs = zip(own.generators, lab.generators, strict=True)
    generators = tuple(mine if mine.role == ATTACK else given for mine, given in pairs)
    return at_rate(msgspec.structs.replace(own, generators=generators), rate)
