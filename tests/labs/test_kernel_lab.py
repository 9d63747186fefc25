"""The kernel lab under load: Linux's own forwarding between three namespaces, every packet accounted for."""

import subprocess
import time
from pathlib import Path

import pytest
from kernel_lab_use import LabUnderTest, wait_for
from kernel_sending import ends_by_itself, moved, reconcile, sending, settled

pytestmark = pytest.mark.root


def softnet_dropped() -> int:
    rows = Path("/proc/net/softnet_stat").read_text().splitlines()
    return sum(int(row.split()[1], 16) for row in rows)


@pytest.mark.parametrize("family", [(), ("--ipv6",)], ids=["IPv4", "IPv6"])
def test_under_overload_every_packet_is_counted_once_and_the_dut_really_drops(
    lab: LabUnderTest, family: tuple[str, ...]
) -> None:
    lab("rules", 300)  # so that the DUT is slower than the generator on any machine
    try:
        before, dropped = settled(lab), softnet_dropped()
        with sending(lab, *family):
            time.sleep(0.8)
        delta = moved(before, settled(lab))
        reconcile(delta)
        assert delta["sink.nft"] > 10_000
        assert delta["dut0.rx_dropped"] > 0
        # The DUT's backlog counts a loss, and the sender's port counts the same loss.
        assert delta["gen0.tx_dropped"] == delta["dut0.rx_dropped"]
        # softnet_stat is the whole machine's: ours are among them
        assert softnet_dropped() - dropped >= delta["dut0.rx_dropped"] + delta["dut1.tx_dropped"]
    finally:
        lab("rules", 0)
    assert not lab.generators()


def test_a_generator_at_full_load_ends_by_itself_when_its_time_is_over(lab: LabUnderTest) -> None:
    ends_by_itself(lab)


def test_a_generator_ends_with_the_process_group_that_it_was_started_in(lab: LabUnderTest) -> None:
    # how a supervisor over ssh ends what it started: kill -TERM 0
    command = [*lab.ssh_command("gen"), f"( sleep 1; kill -TERM 0 ) & {lab.generator()['start']}"]
    subprocess.run(command, capture_output=True, timeout=60)
    wait_for(lambda: not lab.generators(), "no trafgen is left", 3)


@pytest.mark.parametrize("mode", ["inline", "napi"])
def test_the_other_modes_forward_and_account_too(a_lab: LabUnderTest, mode: str) -> None:
    up = a_lab("up", "--mode", mode)
    assert up.status == 0, up.err
    before = settled(a_lab)
    with sending(a_lab):
        time.sleep(0.7)
    delta = moved(before, settled(a_lab))
    reconcile(delta)
    assert delta["sink.nft"] > 1000
    # what a napi ring cannot take is counted at the sender alone; inline there is no queue to overflow
    assert delta["dut0.rx_dropped"] == 0
    if mode == "inline":
        assert delta["gen0.tx_dropped"] == delta["dut1.tx_dropped"] == 0
