"""What docs/profiles.md says of published profiles."""

from pathlib import Path

import pytest

from fwdtui.core.parse.pmc_graph import parse_pmc_graph
from fwdtui.core.parse.profile_text import read_profile
from fwdtui.core.profile.folded import Folded
from fwdtui.core.profile.functions import Functions, functions
from fwdtui.core.profile.idle import Idle

FOUR = ("iflib_txd_db_check", "ifmp_ring_enqueue", "iflib_encap", "iflib_txq_drain")
ALL = Idle(frozenset())
IDLE = Idle()


@pytest.fixture(scope="module")
def texts(archive: Path) -> list[str]:
    """The call graphs with tx_abdicate off and on."""
    return [
        next(archive.rglob(f"bench.txabdicate_{name}.inet4.pmc.graph")).read_text() for name in ("off", "on")
    ]


def percent(found: Functions) -> list[float]:
    """The four functions, and their sum."""
    counts = [found.own[name] for name in FOUR]
    return [round(100 * count / found.busy, 2) for count in (*counts, sum(counts))]


def section(text: str, number: int) -> Functions:
    one = parse_pmc_graph(text).value.sections[number]
    return functions(Folded.of([*one.whole.stacks.items(), *one.inner.stacks.items()]), ALL)


def test_the_published_shares_are_those_of_the_first_cpu(texts: list[str]) -> None:
    off, on = (percent(section(text, 0)) for text in texts)
    assert off == [6.37, 4.93, 4.88, 2.02, 18.20]
    assert on == [0.50, 1.08, 3.04, 0.62, 5.24]
    assert percent(section(texts[0], 3))[:2] == [1.81, 1.69], "which do not hold for the fourth"


def test_of_all_cpus_and_of_what_is_not_idle_they_are_others(texts: list[str]) -> None:
    read = [read_profile(text.encode()).folded for text in texts]
    assert [percent(functions(one, ALL)) for one in read] == [
        [5.26, 4.18, 4.93, 2.01, 16.37],
        [0.51, 1.08, 3.10, 0.61, 5.30],
    ]
    assert [percent(functions(one, IDLE)) for one in read] == [
        [7.68, 6.10, 7.20, 2.93, 23.90],
        [1.19, 2.53, 7.24, 1.42, 12.38],
    ]
    assert [round(100 * IDLE.samples(one) / one.samples, 2) for one in read] == [31.51, 57.18]


def test_with_tx_abdicate_the_drain_is_not_on_the_receiving_thread(texts: list[str]) -> None:
    found = functions(read_profile(texts[1].encode()).folded, IDLE)
    every = found.busy + found.idle
    shares = {}
    for thread in ("_task_fn_rx", "_task_fn_tx"):
        below = [(stack, n) for stack, n in found.mended.folded.stacks.items() if thread in stack]
        shares[thread] = round(100 * sum(n for stack, n in below if stack[-1] in FOUR) / every, 2)
        if thread == "_task_fn_rx":
            assert {stack[-1] for stack, _ in below if stack[-1] in FOUR} == {"ifmp_ring_enqueue"}
    assert shares == {"_task_fn_rx": 1.08, "_task_fn_tx": 4.22}


def test_what_stackcollapse_leaves_out_is_not_idle(texts: list[str]) -> None:
    left_out = []
    for text in texts:
        inner = Folded.of(
            row for one in parse_pmc_graph(text).value.sections for row in one.inner.stacks.items()
        )
        assert IDLE.samples(inner) == 0
        left_out.append(inner.samples)
    assert left_out == [3132, 2029]


def test_the_profiles_of_seed_002_are_mostly_idle(netbenches: Path) -> None:
    shares = []
    for name in ("320657.inet4", "320657D11476.inet4", "320657.inet6", "320657D11476.inet6"):
        (path,) = netbenches.rglob(f"bench.{name}.1.pmc.graph")
        shares.append(functions(read_profile(path.read_bytes()).folded, IDLE).idle_share or 0.0)
    assert [round(100 * share) for share in shares] == [92, 97, 95, 92]
