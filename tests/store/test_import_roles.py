"""Several senders of an import: who attacks, what was offered then, and what no log can say."""

import tempfile
from pathlib import Path
from statistics import median

import pytest
from fixtures import Agree, benchlab

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration
from fwdtui.monitor.replay.iteration_series import read_series
from fwdtui.report.bearing import MEANING, UNSOUND
from fwdtui.store import read_session
from fwdtui.store.benchlab import import_tree
from fwdtui.store.benchlab_plan import plan

MPPS = 1e6


@pytest.fixture
def dos(tmp_path: Path) -> Path:
    """A benchmark of 2 Mpps of wanted traffic under 0, 1 and 2 Mpps of attack."""
    root = tmp_path / "r1-2M_leg-0to4M_dos"
    for attack in (0, 1, 2):
        benchlab.attacked(root / f"r1-2-{attack}" / "RAW", 2 * MPPS, attack * MPPS, 1.9 * MPPS)
    return root


def imported(root: Path, into: Path, trim: str = "steady", *corrections: str) -> dict[str, Iteration]:
    """Label of each session -> its first iteration."""
    made = import_tree(root, into, trim, corrections=corrections)
    return {one.label: read_session(one.path).cases[0].iterations[0] for one in made}


def codes(one: Iteration) -> list[str]:
    return [caution.code for caution in one.warnings]


def figures(one: Iteration) -> dict[str, float]:
    return {name: round(summary.median / MPPS, 2) for name, summary in one.metrics.items()}


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_offered_is_the_wanted_traffic_alone_and_the_attack_is_kept_beside_it(dos, tmp_path, trim):
    quiet, one, two = imported(dos, tmp_path / "s", trim).values()
    assert figures(quiet) == {"offered": 2.0, "received": 1.9} and codes(quiet) == []
    assert figures(one) == {"offered": 2.0, "attack": 1.0, "received": 1.9}
    assert figures(two) == {"offered": 2.0, "attack": 2.0, "received": 1.9}
    for attacked in (one, two):
        assert codes(attacked) == ["attack-sent"]
        (text,) = (caution.text for caution in attacked.warnings)
        assert "sender sent an attack" in text and "does not say whose packets" in text


def test_the_plan_says_the_roles_and_how_they_are_known(dos, tmp_path):
    none, one, two = plan(dos, tmp_path / "s").described
    attacked = {"sender": "attack", "sender_gen2": "wanted", "sender_gen2_2": "wanted"}
    assert none.roles == {"sender": "wanted"} and one.roles == attacked
    assert "loads" in one.why["roles"]
    # 2 against 2 Mpps: by the addresses that the benchmarks beside it show
    assert two.roles == attacked and "addresses" in two.why["roles"]


def test_equal_loads_alone_are_told_apart_by_nothing_and_offered_is_right_all_the_same(dos, tmp_path):
    (described,) = plan(dos / "r1-2-2", tmp_path / "s").described
    assert described.roles["sender"] == "attack" and "do not tell them apart" in described.why["roles"]
    (one,) = imported(dos / "r1-2-2", tmp_path / "s").values()
    assert figures(one) == {"offered": 2.0, "attack": 2.0, "received": 1.9}


def test_the_attack_need_not_be_the_first_generator(tmp_path):
    root = tmp_path / "r1-2M_leg-0to4M_dos"
    for attack in (1, 2):
        folder = root / f"r1-2-{attack}"
        benchlab.attacked(folder, 2 * MPPS, attack * MPPS, 1.9 * MPPS, first="wanted")
    for described in plan(root, tmp_path / "s").described:
        assert described.roles == {"sender": "wanted", "sender_gen2": "wanted", "sender_gen2_2": "attack"}


def test_without_promised_loads_the_sum_stays_with_its_warning(tmp_path):
    benchlab.attacked(tmp_path / "may", 2 * MPPS, 1 * MPPS, 1.9 * MPPS)
    (one,) = imported(tmp_path / "may", tmp_path / "s").values()
    assert figures(one) == {"offered": 3.0, "received": 1.9} and codes(one) == ["senders-summed"]


def test_loads_that_are_not_those_promised_give_no_roles(tmp_path):
    root = tmp_path / "r1-2M_leg-0to4M_dos"
    benchlab.attacked(root / "r1-2-1", 3 * MPPS, 1 * MPPS, 1.9 * MPPS)
    (one,) = imported(root, tmp_path / "s").values()
    assert figures(one)["offered"] == 4.0 and codes(one) == ["senders-summed"]


ROLES = '[results."{}".roles]\nsender = "attack"\n'


def test_roles_can_be_given_and_who_is_not_named_sends_wanted_traffic(tmp_path):
    benchlab.attacked(tmp_path / "may", 2 * MPPS, 1 * MPPS, 1.9 * MPPS)
    (tmp_path / "may" / "factors.toml").write_text(ROLES.format("*"))
    (one,) = imported(tmp_path / "may", tmp_path / "s").values()
    assert figures(one) == {"offered": 2.0, "attack": 1.0, "received": 1.9} and codes(one) == ["attack-sent"]
    (session,) = (tmp_path / "s").iterdir()
    facts = read_session(session).facts
    assert (facts["generator.role"], facts["generator_gen2.role"]) == ("attack", "wanted")
    (tmp_path / "may" / "factors.toml").write_text(ROLES.format("*").replace("sender", "sender_gen9"))
    with pytest.raises(
        FwdtuiError, match=r'results\."\*"\.roles\.sender_gen9: no such generator; there are: sender, '
    ):
        plan(tmp_path / "may", tmp_path / "s")


def test_roles_that_are_all_wanted_need_no_warning(tmp_path):
    benchlab.attacked(tmp_path / "may", 2 * MPPS, 1 * MPPS, 1.9 * MPPS)
    (tmp_path / "may" / "factors.toml").write_text('[results."*".roles]\nsender = "wanted"\n')
    (one,) = imported(tmp_path / "may", tmp_path / "s").values()
    assert figures(one)["offered"] == 3.0 and codes(one) == []


@pytest.mark.parametrize(
    ("received", "expected"),
    [
        (2.01, []),  # within 1 %: two clocks
        (2.1, ["attack-received"]),  # part of the attack was forwarded
        (3.02, ["attack-received"]),
        (3.1, ["received-above-offered"]),  # more than both together
    ],
)
def test_more_received_than_wanted_is_the_attack_as_long_as_it_can_be(tmp_path, received, expected):
    root = tmp_path / "r1-2M_leg-0to4M_dos"
    benchlab.attacked(root / "r1-2-1", 2 * MPPS, 1 * MPPS, received * MPPS)
    (one,) = imported(root, tmp_path / "s").values()
    assert codes(one) == ["attack-sent", *expected]
    for code in expected:  # the verdict must not be read without it, and it proves nothing
        assert code in MEANING and code in UNSOUND
    assert "attack-sent" not in MEANING


def test_an_attack_whose_log_has_no_rate_is_told_and_the_load_is_known_all_the_same(dos, tmp_path):
    folder = dos / "r1-2-1" / "RAW"
    command = (folder / "bench.fw-on.1.sender").read_text().splitlines()[0]
    (dos / "factors.toml").write_text(ROLES.format("r1-2-1/*"))
    (folder / "bench.fw-on.1.sender").write_text(f"{command}\nTerminated\n")
    one = imported(dos, tmp_path / "s")["r1-2-1.fw-on"]
    assert figures(one) == {"offered": 2.0, "received": 1.9} and codes(one) == ["attack-sent"]
    assert "rate is not known" in one.warnings[0].text
    # but a generator of wanted traffic without a rate leaves the load unknown
    wanted = folder / "bench.fw-on.1.sender_gen2"
    wanted.write_text(f"{command}\nTerminated\n")
    one = imported(dos, tmp_path / "t")["r1-2-1.fw-on"]
    assert "offered" not in one.metrics and "sender-unread" in codes(one)


def test_what_is_drawn_of_such_a_run_is_what_was_offered(dos, tmp_path):
    made = import_tree(dos, tmp_path / "s")
    session = read_session(made[1].path)
    series = read_series(made[1].path / "default" / "001", session)
    offered = median(point.value for point in series.inside("offered") if point.value is not None)
    assert offered == session.cases[0].iterations[0].metrics["offered"].median == pytest.approx(2 * MPPS)


def real_roles(archive: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        attacked_as_published(archive / "Xeon_E5-2697Av4_16Cores", Path(folder))


def attacked_as_published(root: Path, into: Path) -> None:
    made = import_tree(root, into, "netbenches")
    assert sum(one.iterations for one in made) == 50
    for one in made:
        session = read_session(one.path)
        (case,) = session.cases
        attack = float(str(case.factors["attack_rate"]).removesuffix(" Mpps")) * MPPS
        folder = next(root.rglob(one.label.partition(".ipfw")[0]))
        published = (folder / f"{case.factors['config']}.pps").read_text().split()
        assert [i.value for i in case.iterations] == [float(word) for word in published]
        for i in case.iterations:
            assert i.metrics["offered"].median == pytest.approx(20e6, rel=0.001)
            assert i.value is not None and i.value <= i.metrics["offered"].median
            assert codes(i) == (["attack-sent"] if attack else [])
            if attack:
                assert i.metrics["attack"].median == pytest.approx(attack, rel=0.001)


def test_published_attacks_are_told_from_the_wanted_traffic(agree: Agree) -> None:
    agree(real_roles)
