"""Blocks of real ministats come out of their value files again: recorded ones, and 13 published ones."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from fixtures import Agree, cases, reports

from fwdtui.stats.ministat import MinistatOptions, NamedSet, block
from fwdtui.store.valuefile import read_values


def ours(pair: str, flavour: str) -> str:
    """Our block of a recorded pair of value files, under the names that the recorded one has."""
    labels = [line[2:] for line in reports.block(pair, reports.AGES[flavour]).splitlines()[:2]]
    sets = [
        NamedSet(label, read_values(str(reports.MINISTAT / f"{pair}.{side}.pps")))
        for label, side in zip(labels, ("base", "other"), strict=True)
    ]
    return block(sets, MinistatOptions(flavour=flavour, separate_bars=True))


@pytest.mark.parametrize("flavour", reports.AGES)
@pytest.mark.parametrize("pair", reports.PAIRS)
def test_a_recorded_block_comes_out_again(pair: str, flavour: str) -> None:
    """Recorded from a real ministat; today's error in percent is awk's: fixtures/record_ministat.sh."""
    assert ours(pair, flavour) == reports.block(pair, reports.AGES[flavour])


@pytest.mark.parametrize("pair", reports.PAIRS)
def test_a_block_fits_one_age_of_ministat_only_where_a_difference_is_proven(pair: str) -> None:
    proven = "Difference at" in reports.block(pair, "current")
    assert (ours(pair, "classic") != reports.block(pair, "current")) == proven


# published reports

E5_2650 = "Xeon_E5-2650_8Cores/Chelsio_T540-CR/firewalls/results/fbsd13-r368287.D27401v2"
E5_2697 = "Xeon_E5-2697Av4_16Cores/Chelsio_T580"
APU2 = "AMD_GX-412TC_4Cores/Intel_i210AT/firewalls/results/fbsd12-head.r320657.D11476"
C2558 = "Atom_C2558_4Cores/Intel_i350/firewalls/results/fbsd11-head.r296935-D4306"


class Seed(NamedTuple):
    """A report, the ministat of its day, and the pairs of value files in the order of its blocks.

    The percent error changed in November 2016: the report of March 2016 has the old one, that of July 2017
    and those of December 2020 have the new.
    """

    report: str
    flavour: str
    folder: str
    pairs: tuple[tuple[str, str], ...]


SEEDS = (
    Seed(
        "000_4df0ac7286045386.txt",
        "current",
        E5_2650,
        (
            ("r368287.inet4.pps", "r368287D27401v2.inet4.pps"),
            ("r368287.inet6.pps", "r368287D27401v2.inet6.pps"),
            ("r368287.inet4.pps", "r368287.inet6.pps"),
            ("r368287D27401v2.inet4.pps", "r368287D27401v2.inet6.pps"),
        ),
    ),
    Seed(
        "001_3664861cbf693376.txt",
        "current",
        f"{E5_2697}/firewalls/results/fbsd13-r368606.D27401v3",
        (
            ("r368606.inet4.pps", "r368606D27401v3.inet4.pps"),
            ("r368606.inet6.pps", "r368606D27401v3.inet6.pps"),
        ),
    ),
    Seed(
        "002_e056830f86d01898.txt",
        "current",
        APU2,
        (
            ("320657.inet4.pps", "320657D11476.inet4.pps"),
            ("320657.inet6.pps", "320657D11476.inet6.pps"),
        ),
    ),
    Seed(
        "003_e3909989667126d0.txt",
        "current",
        f"{E5_2697}/fullview/results/fbsd13-r368766D27401",
        (
            ("r368766.inet4.pps", "r368766D27401v80909.inet4.pps"),
            ("r368766.inet6.pps", "r368766D27401v80909.inet6.pps"),
        ),
    ),
    Seed(
        "004_2320b64b04221413.txt",
        "classic",
        C2558,
        (
            ("296935.forwarding", "296935D4306.forwarding"),
            ("296935.pf-statefull", "296935D4306.pf-statefull"),
            ("296935.ipfw-statefull", "296935D4306.ipfw-statefull"),
        ),
    ),
)
CASES = [(seed, place) for seed in SEEDS for place in range(len(seed.pairs))]


def published(report: Path) -> list[str]:
    """The ministat blocks of a report; a tab pasted as eight blanks is a tab, trailing blanks go."""
    text = re.sub(r"(?m)^ {8}(?=\S)", "\t", report.read_text(encoding="utf-8"))
    text = re.sub(r"(?m)[ \t]+$", "", text)
    return [found.strip("\n") + "\n" for found in re.findall(r"```\n(x .*?)```", text, re.DOTALL)]


def again(seed: Seed, place: int, flavour: str, labels: list[str], netbenches: Path) -> str:
    """What our ministat makes of the pair's value files, trailing blanks gone as in the reports."""
    sets = [
        NamedSet(label, read_values(str(netbenches / seed.folder / name)))
        for label, name in zip(labels, seed.pairs[place], strict=True)
    ]
    text = block(sets, MinistatOptions(flavour=flavour, separate_bars=True))
    return re.sub(r"(?m)[ \t]+$", "", text)


def real_the_reports_hold_thirteen_blocks(seeds: Path) -> None:
    assert [len(published(seeds / seed.report)) for seed in SEEDS] == [len(seed.pairs) for seed in SEEDS]
    assert len(CASES) == 13


@cases(("seed", "place"), CASES, ids=[f"{seed.report[:3]}-{seed.pairs[place][1]}" for seed, place in CASES])
def real_a_published_block_comes_out_again(seed: Seed, place: int, seeds: Path, netbenches: Path) -> None:
    expected = published(seeds / seed.report)[place]
    labels = [line[2:] for line in expected.splitlines()[:2]]
    assert again(seed, place, seed.flavour, labels, netbenches) == expected


@cases("seed", SEEDS, ids=[seed.report[:3] for seed in SEEDS])
def real_each_report_fits_one_age_of_ministat_only(seed: Seed, seeds: Path, netbenches: Path) -> None:
    other = {"current": "classic", "classic": "current"}[seed.flavour]
    blocks = published(seeds / seed.report)
    labels = [[line[2:] for line in expected.splitlines()[:2]] for expected in blocks]
    wrong = [again(seed, place, other, labels[place], netbenches) for place in range(len(blocks))]
    decided = any(expected.count("Difference at") for expected in blocks)
    # without a proven difference the two ages print the same
    assert (wrong != blocks) == decided


def test_published_blocks_come_out_again(agree: Agree) -> None:
    agree(
        real_the_reports_hold_thirteen_blocks,
        real_a_published_block_comes_out_again,
        real_each_report_fits_one_age_of_ministat_only,
    )
