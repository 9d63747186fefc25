"""What a cell sends: whether it has a start command, and the rate that it requests."""

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Cell, Experiment
from fwdtui.core.experiment.cells import lab_of, profile_of
from fwdtui.core.experiment.variables import names
from fwdtui.core.factors import level
from fwdtui.core.lab import Lab
from fwdtui.core.roles import ATTACK


def check(lab: Lab, experiment: Experiment, cell: Cell) -> None:
    """Raise FwdtuiError if no generator of wanted traffic has a start command in this cell.

    Not every generator needs one: one program may send on the ports of several generators.
    """
    wanted = [one for one in lab_of(experiment, lab, cell).generators if one.role != ATTACK]
    if not any(one.start for one in wanted):
        raise FwdtuiError(f"{cell.name}: the generator on {wanted[0].host} has no start command")


def wanted_rate(lab: Lab, experiment: Experiment, cell: Cell) -> float | None:
    """Packets per second that ``{rate}`` in the generator's command requests.

    None if it sends as fast as possible, if it is not clear which generator has the rate, or if the rate is
    not in packets per second.
    """
    profile = profile_of(experiment, cell)
    senders = [generator for generator in lab.generators if generator.role != ATTACK]
    if profile is None or len(senders) != 1:
        return None
    command = profile.generators[lab.generators.index(senders[0])]
    if "rate" not in names(command):
        return None
    asked = level("rate", cell.factors.get("rate", profile.variables.get("rate", "")))
    return asked.number or None if asked.unit == "pps" else None
