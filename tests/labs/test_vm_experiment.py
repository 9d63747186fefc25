"""An experiment on two boot entries of the VM lab: rebooted, lost in a panic, and gone on with."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kernel_lab_use import Answer, LabUnderTest, fwdtui, wait_for
from vm_lab_use import up

from fwdtui.core.model import Iteration
from fwdtui.labs.vm.kernels import Kernel
from fwdtui.store import read_session

# minutes, in which it mostly waits; what a busy machine disturbs is repeated, as in any experiment
pytestmark = pytest.mark.root

BOOT = 90  # seconds for a boot until packets come through; so long it is waited for a panic, too
OFF = "mitigations=off"
EXPERIMENT = """
name = "mitigations"
[run]
boots = 1
warmup = "1s"
duration = "3s"
settle = "300ms"
# the guest that is told so by its command line panics on its way to the other level, and hangs for good
reboot = '''
if [ -e /to-off ] && grep -q fwdtui.panics /proc/cmdline; then
  echo 0 >/proc/sys/kernel/panic; echo c >/proc/sysrq-trigger
fi
reboot
'''
[[factor]]
name = "mitigations"
reboot = true
[[factor.levels]]
value = "auto"
apply = "boot-entry plain"
verify = { run = "grep -c mitigations=off /proc/cmdline", expect = "0" }
undo = "boot-entry default"
[[factor.levels]]
value = "off"
apply = [{ run = "echo off >KNOB", host = "gen" }, "boot-entry off && touch /to-off"]
verify = { run = "grep -c mitigations=off /proc/cmdline", expect = "1" }
undo = [{ run = "rm KNOB", host = "gen" }, "boot-entry default"]
[abort]
attempts = 5
boot = "BOOT s"
"""


@pytest.fixture
def vm(kernel: Kernel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabUnderTest]:
    """A machine of this test's own: if it fails, a guest that spins does not outlive it."""
    folder = tmp_path_factory.mktemp("vm") / "lab"
    with up(folder, f"x{os.getpid()}", kernel, "--queues", 1, "--cpus", 1) as lab:
        yield lab


def sound(session: Path) -> dict[int, tuple[str, Iteration]]:
    """Trial -> case and iteration that counts; there is one at most."""
    found: dict[int, tuple[str, Iteration]] = {}
    for case in read_session(session).cases:
        for one in case.iterations:
            if one.planned and one.value is not None and not one.dropped:
                assert one.planned.trial not in found
                found[one.planned.trial] = case.name, one
    return found


def booted(vm: LabUnderTest) -> str:
    return vm.ssh("dut", "cat /proc/sys/kernel/random/boot_id").strip()


def steps(done: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


@contextmanager
def halted_by_a_panic(vm: LabUnderTest) -> Iterator[None]:
    """Stops the machine once it has panicked: it would spin, and keep a processor from the other tests."""
    serial, over = vm.folder / "serial.log", threading.Event()
    known = serial.stat().st_size

    def halt() -> None:
        while not over.wait(0.2):
            with serial.open("rb") as lines:
                lines.seek(known)
                panicked = b"end Kernel panic" in lines.read()
            if panicked:
                pid = int((vm.folder / "dut.pid").read_text())
                os.kill(pid, signal.SIGSTOP)
                over.wait()
                os.kill(pid, signal.SIGCONT)
                return

    watching = threading.Thread(target=halt)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


def at_work_elsewhere(vm: LabUnderTest) -> list[str]:
    """What runs on the other hosts than the DUT: what runs on that one hangs with it."""
    return [one for one in vm.at_work() if not one.startswith("dut ")]


def test_two_command_lines_are_booted_in_turns_also_after_a_panic(
    vm: LabUnderTest, kernel: Kernel, tmp_path: Path
) -> None:
    knob, into = tmp_path / "knob", tmp_path / "into"
    (tmp_path / "e").mkdir()
    file = tmp_path / "e" / "experiment.toml"
    file.write_text(EXPERIMENT.replace("KNOB", str(knob)).replace("BOOT", str(BOOT)))
    assert fwdtui("trust", "--yes", file.parent).status == 0
    load = vm.quick_file("--rate", 2000, interval="1s")
    headless = ("--headless", "--json", "--lab", load, "--into", into, "--session", "s")
    for entry, options in (("plain", "fwdtui.panics=1"), ("off", OFF)):
        added = vm("boot-entry", entry, "--kernel", kernel.image.parent.parent, "--append", options)
        assert added.status == 0, added.err

    # the second trial's reboot is asked of the guest that panics; a busy machine may ask the first for more
    with halted_by_a_panic(vm):
        ended = fwdtui("experiment", file, *headless, timeout=15 * BOOT)
        wait_for(lambda: at_work_elsewhere(vm) == [], "nothing runs on the other hosts")
    assert ended.status == 1, (ended.out, ended.err)
    *taken, result = steps(ended)
    assert f"dut did not come back within {BOOT} s" in result["problem"], ended.err
    assert "not undone: mitigations = off: dut does not answer" in result["problem"]
    assert [cell["done"] for cell in result["cells"]] == [1, 0]
    assert [*sound(into / "s")] == [1], "what was measured is saved"
    asked, gave_up = [one for one in taken if one["what"] == "reboot"][-2:]
    assert (asked["trial"], gave_up["trial"]) == (2, 2) and gave_up["failed"]
    assert not knob.exists(), "what was set on another host is undone"
    status = vm("status")
    assert (status.status, "broken: dut: no ssh server answers" in status.out) == (1, True), status.out
    assert "Kernel panic" in status.out

    # it comes back as another boot than the one that the second trial needs
    back = vm("reset", "default", timeout=300)
    assert back.status == 0, back.err
    boots = [read_session(into / "s").cases[0].iterations[0].boot, booted(vm)]
    assert boots[1] in back.out and len({*boots}) == 2, back.out
    assert "fwdtui.panics" not in vm.ssh("dut", "cat /proc/cmdline")
    status = vm("status")
    assert (status.status, "(next boot)" in status.out) == (0, True), status.out
    resumed = fwdtui("experiment", file, *headless, "--resume", timeout=15 * BOOT)
    assert resumed.status == 0, (steps(resumed)[-12:], resumed.err[-3000:])
    assert steps(resumed)[-1]["complete"]

    taken_in = sound(into / "s")
    assert [taken_in[trial][0] for trial in (1, 2)] == ["mitigations=auto", "mitigations=off"]
    iterations = [taken_in[trial][1] for trial in (1, 2)]
    assert len({one.boot for one in iterations} - {"", None}) == 2, "each has a boot of its own"
    facts = dict(read_session(into / "s").facts)
    told = [({**facts, **one.facts}).get("dut.boot_options") for one in iterations]
    assert [OFF in str(one) for one in told] == [False, True], told
    assert OFF not in vm.ssh("dut", "cat /proc/cmdline"), "booted back"
    assert not knob.exists()
