"""Drop reasons are counted only while a blast is on, also one of others, and not after fwdtui was killed.

The load is small and no count is judged here, so other tests may run meanwhile.
"""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from kernel_lab_use import HOSTS, LabUnderTest, running, wait_for
from lossy_dut import counters

from fwdtui.collectors.drop_reasons_script import PREFIX

pytestmark = [pytest.mark.root, pytest.mark.usefixtures("kernel_counts")]


def test_a_blast_of_others_is_counted_from_when_it_was_seen_on(lossy: LabUnderTest, tmp_path: Path) -> None:
    into = ("--into", tmp_path, "--session", "s", "--case", "c")
    file = lossy.quick_file("--rate", "5k", interval="200ms")
    pcap = lossy.folder / "ipv4.pcap"

    def recorded(*texts: str) -> bool:
        lines = b"".join(one.read_bytes() for one in tmp_path.glob("s/*.jsonl"))
        return all(text.encode() in lines for text in texts)

    sending = lossy.ssh_command("gen")
    with running("live", file, "--headless", "--drop-reasons", "--for", "2m", *into) as recording:
        wait_for(lambda: recorded(*(f'"host":"{host}"' for host in HOSTS)), "all hosts are sampled", 30)
        blast = f"timeout 60 tcpreplay -q --intf1=gen0 --timer=nano --pps=5000 --loop=0 {pcap}"
        sender = subprocess.Popen([*sending, blast])
        wait_for(lambda: recorded('"reason":"IP_INHDR"'), "the kernel counts", 30)
        sender.terminate()
        sender.wait(10)
        lossy.ssh("gen", "pkill --ns $$ --nslist net -x tcpreplay || true")
        wait_for(lambda: list(tmp_path.glob("s/c/001/iteration.json")), "the blast is an iteration", 30)
        wait_for(lambda: not any("bpftrace" in one for one in lossy.at_work()), "nothing counts any more")
        recording.send_signal(signal.SIGINT)
        out, err = recording.communicate(timeout=30)
    (said,) = json.loads(out)[0]["cases"][0]["iterations"]
    reasons = said["packets"]["reasons"]
    assert (reasons["whole"], reasons["explained"], reasons["unexplained"]) == (False, {}, {})
    assert reasons["seconds"] > 0
    named = {f"{row['reason']} {row['location']}" for row in reasons["rows"] if row["stage"]}
    assert named >= set(counters(lossy))
    assert re.search(
        r"7[45]\.\d % lost\. In the \d\.\d s of the blast in which drop reasons were counted", err
    )


def test_when_fwdtui_is_killed_nothing_counts_any_more(lab: LabUnderTest, tmp_path: Path) -> None:
    into = ("--into", tmp_path, "--session", "s", "--case", "c")
    file = lab.quick_file("--rate", "5k", interval="200ms", duration='"60s"')
    with running("run", file, "--headless", "--drop-reasons", *into) as process:
        wait_for(lambda: any("bpftrace" in one for one in lab.at_work()), "the kernel counts", 30)
        wait_for(lambda: lab.generators(), "the generator runs", 30)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert lab.quiet(20) == []
    assert not list(Path("/sys/kernel/tracing").glob(f"instances/{PREFIX}*"))
