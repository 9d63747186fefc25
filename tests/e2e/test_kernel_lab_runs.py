"""The whole instrument on the kernel lab at full load: real forwarding, real sshd, a command as a process."""

import json
import os
import shutil
import tomllib
from pathlib import Path

import pytest
from kernel_blasts import every_packet_is_named, stored, the_dut_is_the_limit
from kernel_lab_use import Answer, LabUnderTest, fwdtui, run_undisturbed

pytestmark = pytest.mark.root


def recorded(done: Answer) -> list[dict]:
    """The iterations of the one case that a run printed as JSON."""
    assert done.status == 0, done.err
    (session,) = json.loads(done.out)
    (case,) = session["cases"]
    return case["iterations"]


def iteration_of(session: Path, index: int) -> dict:
    return stored(session / "c" / f"{index:03d}")


def two_sessions(lab: LabUnderTest, folder: Path, path: Path) -> Path:
    """Blasts at full load without rules, and as many with rules that match nothing, as two sessions."""
    for rules, session in (("0", "none"), ("500", "rules")):
        assert lab("rules", rules).status == 0
        done = run_undisturbed(path, folder, session, "--count", "cycles,cpu-clock")
        assert lab("rules", 0).status == 0
        assert [iteration["index"] for iteration in recorded(done)] == indices(path)
        assert lab.quiet() == []
    return folder


def indices(path: Path) -> list[int]:
    """1 to the number of iterations that this lab.toml asks for."""
    return list(range(1, tomllib.loads(path.read_text())["run"]["iterations"] + 1))


@pytest.fixture(scope="module")
def blasts(lab, tmp_path_factory) -> tuple[Path, list[int]]:
    """Enough blasts for a verdict, as the rules cost much: the sessions' folder and their iterations.

    They are of IPv6; those of test_kernel_experiment.py are of IPv4.
    """
    path = lab.quick_file("--ipv6", iterations="3", warmup='"400ms"', duration='"1s"', settle='"100ms"')
    return two_sessions(lab, tmp_path_factory.mktemp("ipv6"), path), indices(path)


def test_every_packet_of_every_blast_is_named(blasts):
    folder, iterations = blasts
    for session in ("none", "rules"):
        for index in iterations:
            every_packet_is_named(folder / session / "c" / f"{index:03d}")


def test_a_dut_that_drops_is_named_as_the_limit_with_the_stage(blasts):
    folder, iterations = blasts
    for index in iterations:
        the_dut_is_the_limit(folder / "rules" / "c" / f"{index:03d}")


def test_a_ruleset_is_proven_slower_by_two_recorded_sessions(blasts):
    folder, _ = blasts
    base, other = str(folder / "none"), str(folder / "rules")
    done = fwdtui("compare", base, other, "--format", "json")
    (comparison,) = json.loads(done.out)["comparisons"]
    assert comparison["verdict"] == "slower", done.out
    assert comparison["difference"]["percent"] < -10
    assert fwdtui("compare", base, other, "--fail-if", "slower").status == 1


def test_rules_that_match_nothing_make_a_packet_more_expensive(blasts):
    """By the cores' ticks, which need no tool: those of the whole machine, as all hosts share its cores."""
    folder, iterations = blasts
    base, other = str(folder / "none"), str(folder / "rules")
    for session in ("none", "rules"):
        for index in iterations:
            cost = iteration_of(folder / session, index)["costs"]["kernel-per-packet"]
            assert cost["scope"] == "machine"
            assert cost["parts"]["softirq"] > 0
    done = fwdtui("compare", base, other, "--metric", "kernel-per-packet", "--format", "json")
    (comparison,) = json.loads(done.out)["comparisons"]
    assert (comparison["metric"], comparison["unit"]) == ("kernel-per-packet", "us/packet")
    # 3 and 100 us a packet: but of three blasts one may be starved and cost three times that, which hides it
    assert comparison["verdict"] in ("slower", "inconclusive"), done.out
    assert comparison["better"] == "less"
    assert comparison["other"]["min"] > 2 * comparison["base"]["max"], (
        "each blast of one, and each of the other"
    )
    assert "machine-wide" in [warning["code"] for warning in comparison["warnings"]]
    if comparison["verdict"] == "slower":  # what claims nothing has no mark
        assert "machine-wide" in comparison["marked_by"]


@pytest.mark.skipif(not shutil.which("perf"), reason="needs perf (Debian: linux-perf)")
def test_counters_cover_the_packets_of_the_same_seconds(blasts):
    """The clocks of all cores run on, so what they count in a second is known: the number of cores."""
    folder, iterations = blasts
    found = [iteration_of(folder / "none", index) for index in iterations]
    counted = [one for one in found if "summary" in one["costs"]["cpu-clock-per-packet"]]
    assert counted
    for one in counted:
        cost = one["costs"]["cpu-clock-per-packet"]
        assert cost["unit"] == "us/packet"
        cores = cost["summary"]["mean"] * cost["packets"] / cost["seconds"] / 1e6
        assert cores == pytest.approx(len(os.sched_getaffinity(0)), rel=0.2)
        rate = one["metrics"]["forwarded"]
        assert 0.9 * rate["min"] <= cost["packets"] / cost["seconds"] <= 1.1 * rate["max"]
    for one in found:  # a machine has this counter, or says that it has none; it is never 0
        cycles = one["costs"]["cycles-per-packet"]
        assert cycles["summary"]["mean"] > 0 if "summary" in cycles else cycles["why"]
