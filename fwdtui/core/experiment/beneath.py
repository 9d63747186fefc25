"""What a change of levels may undo: what factors further down have set on the same hosts.

`ethtool -L` resets the indirection table that `ethtool -X` has set; a ruleset that is loaded anew, a module
or an interface that is made anew lose what was done to them. Nothing tells which commands do so.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.experiment.model import LevelSetup


class Beneath(NamedTuple):
    """The factors, in their order, whose levels stay beneath those that change.

    `anew`: nothing verifies them, so they are left before the change and entered after it. `doubted`: they
    are verified after it, and entered anew only if they do not hold.
    """

    anew: tuple[str, ...]
    doubted: tuple[str, ...]


def beneath(
    setups: Mapping[str, Sequence[LevelSetup]],
    then: Mapping[str, int],
    now: Mapping[str, int],
    changed: Collection[str],
    booting: Collection[str] = (),
) -> Beneath:
    """What stays beneath `changed` from the levels `then` in force to those of `now`, on a host in common.

    `booting`: hosts that boot for the change, after which all is entered again in any case. Levels that take
    a boot only prepare it: they neither undo what is in force nor are they undone.
    """
    touched, anew, doubted = set[str](), list[str](), list[str]()
    for factor, level in now.items():
        setup = setups[factor][level]
        if setup.reboot:
            continue
        if factor in changed:
            touched.update(setup.hosts)
            if factor in then:
                touched.update(setups[factor][then[factor]].hosts)
        elif factor in then and touched.intersection(setup.hosts).difference(booting):
            if setup.verify:
                doubted.append(factor)
            else:
                anew.append(factor)
                touched.update(setup.hosts)
    return Beneath(tuple(anew), tuple(doubted))
