"""An experiment: a design over factors, its trials in order, and how each level is brought about.

experiment.toml describes it (docs/experiment-toml.md); `core/experiment/file.py` reads that file, and
`core/experiment/order.py` puts the trials in order. Everything here is data.
"""

import shlex
from collections.abc import Mapping

import msgspec

from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Run

INTERLEAVED, RANDOM, SEQUENTIAL = "interleaved", "random", "sequential"
ORDERS = (INTERLEAVED, RANDOM, SEQUENTIAL)
"""How cells follow each other: in ABBA order, shuffled in each block, or one after another."""
BEFORE, DURING, AFTER = "before", "during", "after"
MOMENTS = (BEFORE, DURING, AFTER)
"""When a hook runs: before the generator starts, while it sends, after the last packet."""
FIXED, PRECISION, LOOKS = "fixed", "precision", "looks"
RULES = (FIXED, PRECISION, LOOKS)
"""When an experiment ends, see `StopRule`."""
FIRST_PRECISE = 5
"""The block from which on the precision is judged: with fewer a narrow interval may be luck."""
BLOCKS = 6
"""Blocks if the file names none: even, so that a linear drift cancels in ABBA order."""


class Action(msgspec.Struct, frozen=True):
    """A command on one host. `run` is given to /bin/sh; its output is kept, cleaned and bounded."""

    host: str  # an ssh destination of the lab
    run: str
    timeout: float = 60.0  # seconds


class Upload(msgspec.Struct, frozen=True):
    """A file that is copied to a host before a level's commands run."""

    host: str
    source: str  # relative to experiment.toml
    target: str  # absolute, on the host

    @property
    def part(self) -> str:
        """Where its content is until all of it has arrived."""
        return f"{self.target}.fwdtui-part"

    @property
    def removal(self) -> Action:
        """The command that removes the file from the host again."""
        return Action(self.host, f"rm -f {shlex.quote(self.target)}")


class Check(msgspec.Struct, frozen=True):
    """What must be true of a host while a level holds."""

    host: str
    run: str
    expect: str  # the output, without white space around it
    timeout: float = 60.0


class Restore(msgspec.Struct, frozen=True):
    """A setting whose value is read before a level's `apply`, and put back after its `undo`.

    `read` prints the value, `write` sets it: ``{value}`` in it stands for what was printed.
    """

    host: str
    read: str
    write: str
    timeout: float = 60.0  # seconds, for each of the two

    def command(self, printed: str) -> str:
        """`write` for what `read` printed, without white space around it and quoted for /bin/sh."""
        return self.write.replace("{value}", shlex.quote(printed.strip()))


class LevelSetup(msgspec.Struct, frozen=True):
    """One level of a factor, and how it is brought about; without commands just a value (for {variables}).

    To enter it: read the values of `restore`, copy `uploads`, run `apply`, reboot if `reboot`, run `verify`.
    To leave it: run `undo`, then put back `restore` in reverse order. If one level of a factor has `reboot`,
    all have; since what chooses the next boot may only work once (nextboot, grub-reboot), their `apply` runs
    before every reboot. No text here has variables: core/experiment/file.py has filled them in.
    """

    value: FactorValue
    uploads: tuple[Upload, ...] = ()
    apply: tuple[Action, ...] = ()
    verify: tuple[Check, ...] = ()
    undo: tuple[Action, ...] = ()
    restore: tuple[Restore, ...] = ()
    reboot: bool = False  # the DUT reboots between `apply` and `verify`: a boot entry, a loader tunable

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts on which it changes something, each once."""
        hosts = [one.host for one in self.uploads]
        hosts += [one.host for one in (*self.apply, *self.undo)] + [one.host for one in self.restore]
        return tuple(dict.fromkeys(hosts))


class DesignFactor(msgspec.Struct, frozen=True):
    """A factor and its levels, the baseline first."""

    name: str
    levels: tuple[LevelSetup, ...]


class Traffic(msgspec.Struct, frozen=True):
    """Commands instead of lab.toml's. ``{NAME}`` is a factor's level or a variable of the profile.

    core/experiment/cells.py fills them in: `lab_of` is the lab as a cell starts it.
    """

    name: str
    generators: tuple[str, ...]  # in the order of lab.toml's generators
    receiver: str | None = None
    variables: Mapping[str, FactorValue] = {}
    frame: int | None = None  # bytes with FCS


class Hook(msgspec.Struct, frozen=True):
    """A command around every trial, or around the whole experiment (`whole`: BEFORE or AFTER only)."""

    when: str
    action: Action
    whole: bool = False


class Abort(msgspec.Struct, frozen=True):
    """When the experiment gives up."""

    attempts: int = 3  # the most attempts to get a sound value from one trial
    failed: int = 3  # this many trials in a row without a sound value
    boot: float = 300.0  # seconds for a DUT to come back and forward again


class CellProfile(msgspec.Struct, frozen=True):
    """A profile of the DUT for each cell, in a blast of its own after the last of the cell's trials.

    `rate`: packets per second of wanted traffic, sent by lab.toml's `at_rate`; None: the cell's own traffic.
    """

    rate: float | None = None
    seconds: float = 10.0


class StopRule(msgspec.Struct, frozen=True):
    """When enough has been measured.

    "fixed": after the planned trials. "precision": when the interval of every comparison with the baseline is
    at most +/- `precision` percent, looked at after each block from FIRST_PRECISE on. "looks": after the
    planned blocks, or earlier at one of `looks` (numbers of blocks) by a boundary that keeps the error of all
    looks together.
    """

    rule: str = "fixed"
    precision: float | None = None
    looks: tuple[int, ...] = ()


class Experiment(msgspec.Struct, frozen=True):
    """What experiment.toml says. Each of the `blocks` measures every cell, `iterations` times in a row."""

    name: str
    lab: str  # lab.toml, relative to experiment.toml
    factors: tuple[DesignFactor, ...]
    traffic: tuple[Traffic, ...] = ()  # more than one: the factor "traffic"
    cells: tuple[Mapping[str, FactorValue], ...] = ()  # empty: the full design
    blocks: int = BLOCKS  # with `reboot` these are boots of each cell, the unit of the statistics
    iterations: int = 1  # of a cell in each block; more than one only shows the spread within a boot
    reboot: bool = False  # whether the DUT reboots before each cell of each block
    reboot_command: str = "reboot"  # on the DUT, for /bin/sh
    reboot_time: float = 90.0  # seconds that a reboot is assumed to take until one was seen
    order: str = INTERLEAVED
    seed: int = 0
    run: Run = Run()  # warm-up, duration, settle; `iterations` is not used
    margin: float = 1.0  # percent: the smallest difference that matters
    hooks: tuple[Hook, ...] = ()
    abort: Abort = Abort()
    stop: StopRule = StopRule()
    profile: CellProfile | None = None


class Cell(msgspec.Struct, frozen=True):
    """A combination of levels."""

    number: int  # from 0, in the design's order: the baseline's is first
    name: str  # the case of its iterations, such as ``rules=100 traffic=udp64``
    levels: Mapping[str, int]  # factor -> index of its level in `DesignFactor.levels`
    factors: Mapping[str, FactorValue]  # factor -> value, as the iterations record it
    traffic: str = ""  # the name of its profile; "": lab.toml's own commands


class Trial(msgspec.Struct, frozen=True):
    """One planned iteration."""

    number: int  # from 1, in the order of the plan
    block: int  # from 1
    cell: int
    repeat: int  # from 1, among the iterations of this cell in this block
    boot: bool  # the DUT reboots before it


class Plan(msgspec.Struct, frozen=True):
    """An experiment in order."""

    experiment: Experiment
    digest: str  # sha256 of experiment.toml and of the files it uploads, hexadecimal
    cells: tuple[Cell, ...]
    trials: tuple[Trial, ...]

    def is_profiled(self, trial: Trial) -> bool:
        """Whether the cell is profiled after this trial: it is the last of the cell."""
        if self.experiment.profile is None:
            return False
        after = range(trial.number, len(self.trials))  # the search is short: a cell's next trial is near
        return all(self.trials[place].cell != trial.cell for place in after)
