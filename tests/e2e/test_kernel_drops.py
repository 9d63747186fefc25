"""A real qdisc that drops beside a real backlog that overflows: each loss in one stage, and all add up."""

import json
import re
from collections.abc import Iterator

import pytest
from kernel_lab_use import LabUnderTest, run_undisturbed

pytestmark = pytest.mark.root


def dropped(lab: LabUnderTest) -> int:
    shown = tc(lab, "-s", "qdisc", "show", "dev", "dut1", "root")
    found = re.search(r"dropped ([0-9]+)", shown)
    assert found, shown
    return int(found[1])


def tc(lab: LabUnderTest, *arguments: str) -> str:
    return lab.inside("dut", "tc", *arguments)


@pytest.fixture
def shaped(lab: LabUnderTest) -> Iterator[LabUnderTest]:
    """The DUT's output has a small queue, and takes less than a DUT forwards that others keep busy."""
    shaper = ["tbf", "rate", "2mbit", "burst", "20kb", "limit", "40kb"]
    tc(lab, "qdisc", "add", "dev", "dut1", "root", *shaper)
    yield lab
    tc(lab, "qdisc", "del", "dev", "dut1", "root")


def test_what_a_small_qdisc_drops_is_named_to_the_packet_beside_what_the_backlog_drops(shaped, tmp_path):
    lab = shaped
    path = lab.quick_file(iterations="1", duration='"1s"')
    before: list[int] = []
    done = run_undisturbed(path, tmp_path, "s", before=lambda: before.append(dropped(lab)))
    assert done.status == 0, done.err
    lost = dropped(lab) - before[-1]
    assert lost > 1000, "the qdisc did not drop, so this test shows nothing"
    told = json.loads((tmp_path / "s" / "c" / "001" / "iteration.json").read_text())
    packets = told["packets"]
    assert packets["drops"]["tx soft queue"] == lost
    assert packets["offered"] == packets["forwarded"] + sum(packets["drops"].values())
    assert packets["unaccounted"] == 0 and "unread" not in packets
