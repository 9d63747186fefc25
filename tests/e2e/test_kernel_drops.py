"""A real qdisc that drops beside a real backlog that overflows: each loss in one stage, and all add up."""

import json
import os
import re
import subprocess
from collections.abc import Iterator

import pytest
from kernel_runs import NEEDS, Lab, fwdtui

pytestmark = NEEDS


@pytest.fixture
def lab(tmp_path) -> Iterator[Lab]:
    found = Lab(tmp_path / "lab", f"q{os.getpid()}")
    found.lab("up")
    try:
        yield found
    finally:
        found.lab("down")


def dropped(lab: Lab) -> int:
    shown = tc(lab, "-s", "qdisc", "show", "dev", "dut1", "root")
    found = re.search(r"dropped ([0-9]+)", shown)
    assert found, shown
    return int(found[1])


def tc(lab: Lab, *arguments: str) -> str:
    command = ["ip", "netns", "exec", f"fwdtui-{lab.name}-dut", "tc", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout


def test_what_a_small_qdisc_drops_is_named_to_the_packet_beside_what_the_backlog_drops(lab, tmp_path):
    shaper = ["tbf", "rate", "20mbit", "burst", "20kb", "limit", "40kb"]
    tc(lab, "qdisc", "add", "dev", "dut1", "root", *shaper)
    path = lab.toml(iterations="1", duration='"3s"')
    before = dropped(lab)
    done = fwdtui("run", str(path), "--headless", "--into", str(tmp_path), "--session", "s", "--case", "c")
    assert done.returncode == 0, done.stderr
    lost = dropped(lab) - before
    assert lost > 1000, "the qdisc did not drop, so this test shows nothing"
    told = json.loads((tmp_path / "s" / "c" / "001" / "iteration.json").read_text())
    packets = told["packets"]
    assert packets["drops"]["tx soft queue"] == lost
    assert packets["offered"] == packets["forwarded"] + sum(packets["drops"].values())
    assert packets["unaccounted"] == 0 and "unread" not in packets
