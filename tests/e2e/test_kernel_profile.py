"""Profiles on the kernel lab: perf sees the packets' path in the kernel; a quiet DUT gives no profile."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_lab_use import LabUnderTest, fwdtui

from fwdtui.collectors.linux import system
from fwdtui.core.model import HostSample
from fwdtui.core.parse.folded_stacks import parse_folded
from fwdtui.core.profile import Folded
from fwdtui.core.profile.capture import Asked
from fwdtui.core.profile.cut_stacks import depth_of, mend
from fwdtui.core.profile.idle import Idle
from fwdtui.core.profile.record import Profile
from fwdtui.core.profile_check import check
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.captured import passages
from fwdtui.transport import trusted

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(shutil.which("perf") is None, reason="not installed: perf (Debian: linux-perf)"),
]
RATE = 60_000
FREQUENCY = 3989  # on a machine that does other things, 997 gave a dozen samples of forwarding, or none
TRIES = 3  # of the command, each of three blasts: a busy machine may starve all of one


@pytest.fixture(scope="module", autouse=True)
def awake() -> Iterator[None]:
    """No processor sleeps: where a virtual one does, its timers may not fire, and cpu-clock gives no samples.

    Seen on a quiet machine: 3 of 1,994 samples of the processor that was asleep, of the other one all.
    """
    spin = "while :; do :; done"
    argv = ["timeout", "300", "chrt", "--idle", "0", "taskset", "-c"]
    spinning = [subprocess.Popen([*argv, cpu, "sh", "-c", spin]) for cpu in ("0", "1")]
    yield
    for process in spinning:
        process.terminate()
        process.wait(10)


def profiled(lab: LabUnderTest, into: Path, path: Path) -> dict:
    """The iteration with the profile, after as few runs as gave one."""
    for _ in range(TRIES):
        done = fwdtui(
            *("profile", "capture", path, "--into", into, "--session", "s", "--case", "c"),
            *("--rate", RATE, "--seconds", "1s", "--frequency", FREQUENCY),
        )
        assert lab.quiet() == []
        if done.status == 0:
            newest = max((into / "s" / "c").iterdir())
            return json.loads((newest / "iteration.json").read_text()) | {"folder": newest}
        assert done.status == 1, done.err
        assert "there is no profile: " in done.err, "what was missed is told"
    pytest.fail(f"no profile in {TRIES} runs: {done.err}")


def left() -> set[str]:
    """What a profiler could leave behind, of anybody's."""
    folders = (Path("/tmp"), Path("/dev/shm"))
    names = {str(path) for folder in folders for path in folder.iterdir()}
    return {name for name in names if "fwdtui-profile" in name or "perf-vdso" in name}


@pytest.fixture(scope="module")
def iteration(lab, tmp_path_factory) -> dict:
    path = lab.quick_file(settle='"300ms"')
    return profiled(lab, tmp_path_factory.mktemp("profiles"), path)


def test_the_path_of_the_packets_through_the_kernel_shows(iteration):
    folded = parse_folded((iteration["folder"] / "profile.folded").read_text()).value
    assert folded.samples == iteration["profile"]["samples"]
    busy = Idle().busy(folded)
    # the compiler lets ip_rcv and ip_forward jump to what they call last: they are seldom callers in a stack
    softirq = [set(stack) for stack in busy.stacks if "net_rx_action" in stack]
    assert any({"ip_rcv", "__netif_receive_skb_one_core"} & stack for stack in softirq), "packets come in"
    # a second at this rate has few samples of the way out, in any of its functions
    way_out = {"ip_output", "ip_finish_output2", "__dev_queue_xmit", "dev_hard_start_xmit", "veth_xmit"}
    assert any(way_out & stack for stack in softirq), "and are forwarded"
    assert folded.samples - busy.samples == iteration["profile"]["idle"]


def test_no_callers_are_added_to_stacks_that_perf_did_not_cut(iteration):
    every = parse_folded((iteration["folder"] / "profile.folded").read_text()).value
    recorded = iteration["profile"]["depth"]
    assert recorded == int(Path("/proc/sys/kernel/perf_event_max_stack").read_text())
    assert max(map(len, every.stacks)) <= 1 + recorded, "the command's name and so many frames"
    # whatever else runs on this machine may have deep stacks
    short = {stack: samples for stack, samples in every.stacks.items() if len(stack) < recorded}
    folded = Folded(short)
    assert any("net_rx_action" in stack for stack in short)
    for depth in (recorded, None):  # None: as if it were imported
        known = depth_of(Profile(folded.samples, tool="perf", depth=depth))
        assert mend(folded, Idle().covers, known).folded == folded


def test_it_is_no_value_but_says_what_was_offered_and_forwarded_meanwhile(iteration):
    profile = iteration["profile"]
    assert iteration["value"] is None and iteration["facts"]["profile.rate"] == RATE
    assert iteration["warnings"][0]["code"] == "profiled"
    assert (profile["tool"], profile["rate"], len(profile["per_cpu"])) == ("perf", FREQUENCY, os.cpu_count())
    seconds = profile["end"] - profile["start"]
    assert profile["packets"] / seconds == pytest.approx(RATE, rel=0.1)


def test_all_of_it_is_inside_the_traffic(iteration):
    samples = [
        json.loads(line)["d"] for line in (iteration["folder"] / "samples.jsonl").read_text().splitlines()
    ]
    dut = [one for one in samples if one["kind"] == "host" and one["host"] == "dut" and "interfaces" in one]
    sent = [
        (one["at"], next(i["tx_packets"] for i in one["interfaces"] if i["name"] == "dut1")) for one in dut
    ]
    profile = iteration["profile"]
    before = [count for at, count in sent if at < profile["start"]]
    after = [count for at, count in sent if at > profile["end"]]
    assert before[-1] > before[0] and after[-1] > after[0], "packets were forwarded before it and after it"


async def test_a_capture_of_a_quiet_dut_is_missed_and_leaves_nothing(lab):
    path = lab.quick_file()
    trusted.made(path.parent)
    were = left()
    asked = Asked(seconds=0.5, frequency=499)
    samples: list[HostSample] = []
    async with await Bench.open(path) as bench:
        bench.start(watchers=[lambda one: samples.append(one) if isinstance(one, HostSample) else None])
        capture = await system.profile(await bench.host("dut"), asked)
        dut = [one for one in samples if one.host == "dut"]
    checked = check(capture, asked, passages(bench.lab, dut))
    assert checked.missed == "It is a profile of an idle DUT, which forwarded 0 pps meanwhile."
    assert capture.folded.samples > 0
    assert left() <= were
    assert lab.quiet() == []
