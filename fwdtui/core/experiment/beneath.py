"""What a change of levels may undo: what factors further down have set on the same hosts.

`ethtool -L` resets the indirection table that `ethtool -X` has set; a ruleset that is loaded again, or a
module or an interface that is created again, loses what was done to it. There is no way to know which
commands do so.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.experiment.model import LevelSetup


class Beneath(NamedTuple):
    """The factors, in their order, whose levels stay beneath those that change.

    `anew`: nothing verifies them, so they are left before the change and entered again after it. `doubted`:
    they are verified after it, and entered again only if they no longer hold.
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
    """The factors below those `changed` that stay as they are, and that have a host in common with them.

    The levels in force are `then`, and will be those of `now`. `booting`: hosts that boot for the change,
    after which all is entered again in any case. Levels that take effect with a boot only prepare it: they
    neither undo what is in force nor are they undone.
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
