"""Whether the DUT reboots before a trial. A run and its dry run both decide it here."""

import enum

import msgspec


class Rebooted(msgspec.Struct, frozen=True):
    """The last reboot, while nothing has been measured since.

    `trial`: the one that it was for; 0: none, or there is no such reboot. `boot`: the DUT's boot that it led
    to. `forwards`: the DUT was seen to forward in it.
    """

    trial: int = 0
    boot: str = ""
    forwards: bool = False


class Booting(enum.Enum):
    """What is done about the DUT's boot before a trial, or at the end."""

    NOTHING = enum.auto()
    CHECK = enum.auto()
    """The DUT has rebooted for this trial; only the check that it forwards is missing."""
    AWAITED = enum.auto()
    """A reboot was asked for: if the DUT has booted since, that is the one; otherwise it is asked again."""
    REBOOT = enum.auto()


def booting_for(trial: int, rebooted: Rebooted, *, planned: bool, chosen: bool, awaited: bool) -> Booting:
    """What is done about the boot before a trial.

    `rebooted`: the last reboot if the DUT is still in that boot; otherwise `Rebooted()`. `planned`: the DUT
    reboots for the trial in any case. `chosen`: levels were chosen just now for the next boot, so no earlier
    one is sufficient. `awaited`: a reboot was asked for, and the journal does not say whether it happened.
    """
    mine = rebooted.trial == trial
    if chosen:
        return Booting.REBOOT
    if awaited:  # it was asked for after `rebooted`, which is therefore not sufficient
        return Booting.AWAITED
    if mine and not rebooted.forwards:
        return Booting.CHECK
    return Booting.REBOOT if planned and not mine else Booting.NOTHING
