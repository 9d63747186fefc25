"""What a journal says: which trials are done, what is changed on the hosts and what may still run there."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from fwdtui.core.experiment import AFTER, LevelSetup, Plan
from fwdtui.core.experiment.booting import Rebooted
from fwdtui.store.experiment_journal import (
    ENDED,
    FORWARDS,
    HOOK,
    JUDGED,
    LEVEL,
    LOOK,
    PROFILE,
    REBOOT,
    SAVED,
    STOPPED,
    TOOLS,
    UNDO,
    Step,
)


@dataclass
class Standing:
    """A level that was entered. `sure`: entered completely, and nothing was begun since that could end it.

    `doubted`: it was sure, but something went wrong since that may or may not have ended it.
    `booted`: the DUT has booted since, so what is not persistent there is gone. `old` is what the level's
    `restore` commands printed before it was entered. `boots`: host that the level changes -> the identity of
    its boot when the level was entered. `parted`: a part of it was undone, and another could not be. That
    its checks no longer hold then says nothing of the latter.
    """

    level: int
    sure: bool
    booted: bool = False
    doubted: bool = False
    parted: bool = False
    old: tuple[str, ...] = ()
    boots: Mapping[str, str] = field(default_factory=dict)


def rebooted_since(standing: Standing, setup: LevelSetup, now: Mapping[str, str], dut: str) -> set[str]:
    """The hosts that have booted since this level was entered there; `now`: the boot of each, if known.

    Without the DUT if the level takes effect with a boot of it, because such a boot does not end it.
    """
    hosts = {host for host, then in standing.boots.items() if now.get(host, then) != then}
    return hosts - {dut} if setup.reboot else hosts


@dataclass
class Known:
    """The state that the steps so far add up to. `take` each of them in order."""

    levels: dict[str, Standing] = field(default_factory=dict)
    attempts: dict[int, int] = field(default_factory=dict)  # trial -> the last attempt's number
    repeated: dict[int, int] = field(default_factory=dict)  # trial -> attempts that do not count
    sound: dict[int, int] = field(default_factory=dict)  # trial -> the attempt that counts
    places: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    """Trial and attempt -> case and index of the iteration that was saved."""
    unjudged: set[tuple[int, int]] = field(default_factory=set)  # trial, attempt: saved, but not judged
    marks: dict[str, tuple[str, ...]] = field(default_factory=dict)  # mark of tools that may run -> hosts
    rebooting: str | None = None  # the boot that a reboot was to end, if its end was not seen
    boot: str = ""  # the boot that the last reboot led to; "" while that is not known
    booted: dict[str, int] = field(default_factory=dict)  # factor -> the level in which the DUT booted last
    reached: str = ""  # the boot of `booted`, which stays while the next one is awaited
    rebooted: Rebooted = field(default_factory=Rebooted)
    last: int = 0  # the trial that was measured last since the last reboot
    seen: str = ""  # the DUT's boot when a reboot, or the end of a run, last named it
    boots: dict[str, str] = field(default_factory=dict)
    """Host -> its boot when a level was entered there since `seen`."""
    looks: list[Step] = field(default_factory=list)
    profiled: set[int] = field(default_factory=set)  # trials after which their cell's profile was taken
    begun: int = 0
    """How many hooks before the whole experiment have run; 0 again once a hook after it was begun."""

    @classmethod
    def of(cls, steps: Iterable[Step]) -> "Known":
        """The state after these steps."""
        known = cls()
        for step in steps:
            known.take(step)
        return known

    @property
    def decided(self) -> bool:
        """Whether a look said that nothing more has to be measured."""
        return any(look.decided for look in self.looks)

    def boot_of(self, dut: str) -> str:
        """The boot of the DUT, a host, when the journal last named it; "" if it never did."""
        return self.boots.get(dut) or self.seen

    @property
    def _in_force(self) -> dict[str, int]:
        return {factor: standing.level for factor, standing in self.levels.items()}

    def may_run(self, boot: str) -> dict[str, int]:
        """Factor -> the level that the DUT may run in this boot; `boot` "": the boot is not known.

        Until its next boot the DUT runs the levels with which it booted, even if they are undone since. Any
        other boot, requested or not, may have come up with the levels that are in force now, but not with
        those that were undone before it.
        """
        here = boot in ("", self.reached)
        runs = dict(self.booted) if here else {}
        if self.rebooting is not None or (self.reached and not here):
            runs |= self._in_force
        return runs

    def is_chosen_only(self, factor: str) -> bool:
        """Whether a level that takes a boot was chosen, but no boot was asked for since."""
        return self.rebooting is None and self.booted.get(factor) != self.levels[factor].level

    def lost(self, plan: Plan, there: Collection[int]) -> frozenset[int]:
        """The trials by which a look decided, but whose values no longer count; `there`: those that count."""
        look = next((one for one in self.looks if one.decided), None)
        if look is None:
            return frozenset()
        gone = self.sound.keys() - set(there) - set(look.without)
        return frozenset(one.number for one in plan.trials if one.number in gone and one.block <= look.index)

    def take(self, step: Step) -> None:
        """Count one more step."""
        if step.attempt:
            self.attempts[step.trial] = max(step.attempt, self.attempts.get(step.trial, 0))
        match step.what, step.done and not step.failed:
            case "level", done:
                assert step.what == LEVEL
                # entered again on some hosts, it still names the boots in which it was entered on the others
                before = self.levels[step.factor].boots if step.factor in self.levels else {}
                self.boots |= {host: boot for host, boot in step.boots.items() if before.get(host) != boot}
                self.levels[step.factor] = Standing(step.level, done, old=step.old, boots=step.boots)
            case "undo", True:
                assert step.what == UNDO
                self.levels.pop(step.factor, None)
            case "undo", False:
                if step.factor in self.levels:
                    standing = self.levels[step.factor]
                    standing.sure = standing.doubted = False
                    standing.parted = standing.parted or step.parted
            case "reboot", done:
                assert step.what == REBOOT
                self.rebooting = None if done else step.boot
                self.boot, self.last = step.boot if done else "", 0
                self.seen, self.boots = step.boot, {}
                if done:
                    self.booted, self.reached = self._in_force, step.boot
                    self.rebooted = Rebooted(step.trial, step.boot)
                for standing in self.levels.values():
                    standing.booted = True
            case "forwards", True:
                assert step.what == FORWARDS
                if step.trial == self.rebooted.trial:
                    self.rebooted = replace(self.rebooted, forwards=True)
            case "ended", _:
                assert step.what == ENDED
                if step.boot:
                    self.seen, self.boots = step.boot, {}
                if step.boot not in ("", self.reached):  # a boot of its own, in which only these may run
                    there = self._in_force.items()
                    self.booted = {one: level for one, level in self.booted.items() if (one, level) in there}
            case "tools", _:
                assert step.what == TOOLS
                self.marks[step.mark] = step.hosts
                if not step.probe:
                    self.rebooted = Rebooted()
            case "stopped", True:
                assert step.what == STOPPED
                self.marks.pop(step.mark, None)
            case "saved", _:
                assert step.what == SAVED
                self.places[step.trial, step.attempt] = step.case, step.index
                self.unjudged.add((step.trial, step.attempt))
                self.last, self.rebooted = step.trial, Rebooted()
            case "judged", _:
                assert step.what == JUDGED
                self.unjudged.discard((step.trial, step.attempt))
                self.rebooted = Rebooted()
                if step.sound:
                    self.sound[step.trial] = step.attempt
                else:
                    self.repeated[step.trial] = self.repeated.get(step.trial, 0) + 1
            case "look", True:
                assert step.what == LOOK
                self.looks.append(step)
            case "profile", True:
                assert step.what == PROFILE
                self.profiled.add(step.trial)
            case "hook", done if not step.trial:
                assert step.what == HOOK
                if step.text.startswith(f"{AFTER}: "):
                    self.begun = 0  # it may have put back what the hooks before had set up
                else:
                    self.begun += done
