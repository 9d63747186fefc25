"""A level is left by what the file says: the undo of a shorthand undoes none of the level's own commands."""

import pytest

from fwdtui.core.experiment.file import parse
from fwdtui.core.experiment.order import cautions, plan
from fwdtui.core.experiment.staying import stays
from fwdtui.core.lab import parse as parse_lab

LAB = parse_lab(
    '[generator]\nhost = "gen"\ninterface = "g0"\nstart = "send"\n[dut]\nhost = "dut"\nin = "a"\nout = "b"\n'
)
BEGIN = 'name = "x"\n[[factor]]\nname = "rules"\n[[factor.levels]]\nvalue = 0\n[[factor.levels]]\nvalue = 1\n'
FILE, LOAD = 'upload = { "r.nft" = "/tmp/r.nft" }\n', 'apply = "nft -f /tmp/r.nft"\n'


@pytest.mark.parametrize(
    ("keys", "stay"),
    [
        (LOAD, True),
        (FILE + LOAD, True),
        (FILE + LOAD + 'undo = "rm -f /tmp/r.nft"\n', True),
        ('sysctl = { "net.x" = 1 }\n' + LOAD, True),
        (FILE + LOAD + "undo = []\n", True),
        (FILE, False),
        ('sysctl = { "net.x" = 1, "net.y" = 2 }\n', False),
        (FILE + LOAD + 'undo = "nft flush ruleset"\n', False),
        ('sysctl = { "net.x" = 1 }\n' + LOAD + 'undo = "nft flush ruleset; sysctl net.x=0"\n', False),
        ('module = "dummynet"\n' + LOAD, False),  # what was done to it goes with it
    ],
)
def test_what_a_levels_own_commands_did_stays_unless_something_undoes_it(keys: str, stay: bool) -> None:
    found = parse(f"{BEGIN}{keys}", LAB)
    assert stays(found.factors[0].levels[1]) is stay
    assert ("not-undone" in [one.code for one in cautions(plan(found))]) is stay
