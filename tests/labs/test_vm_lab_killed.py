"""A VM lab whose `up` is killed while its taps are made: what proves that one is ours comes before all else.

No machine is booted, so any bytes that look like a kernel will do.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_lab_use import LabUnderTest, run

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.vm import needs

pytestmark = pytest.mark.root

KILLED_AFTER = """
# a pattern of the step after which it is killed, and the command's own words
import os, re, signal, sys
from fwdtui.cli import main
from fwdtui.labs.kernel.commands import Commands

step, run = sys.argv[1], Commands.run

def killed(commands, *argv, **options):
    said = run(commands, *argv, **options)
    if re.search(step, " ".join(argv)):
        os.kill(os.getpid(), signal.SIGKILL)
    return said

Commands.run = killed
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(autouse=True)
def _vm_lab_works(kernel_lab_works: None) -> None:
    try:
        needs.require()
    except FwdtuiError as error:
        pytest.skip(str(error))


def image(folder: Path) -> Path:
    """What passes for a kernel as long as nobody boots it."""
    path, data = folder / "bzImage", bytearray(0x1000)
    data[0x202:0x206], data[0x20E:0x210] = b"HdrS", (0x300).to_bytes(2, "little")
    data[0x500:0x510] = b"6.1-test (x@y) \0"
    path.write_bytes(data)
    return path


def killed_up(lab: LabUnderTest, step: str, *options: str) -> None:
    """`lab up --vm`, killed after the first of its commands of this form."""
    words = ["lab", "up", "--vm", "--dir", str(lab.folder), "--name", lab.name]
    kernel = ["--kernel", str(image(lab.folder.parent))]
    argv = [sys.executable, "-c", KILLED_AFTER, step, *words, *kernel, *options]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr


def links() -> dict[str, int]:
    """The machine's own, with their numbers, which are not used again."""
    return {port["ifname"]: port["ifindex"] for port in json.loads(run("ip", "-json", "link", "show"))}


def made(lab: LabUnderTest) -> set[int]:
    """The numbers of those that the lab has made."""
    names = lab.veths()
    return {index for name, index in links().items() if name in names}


DUT = r"fwdtui\d+-dut"
MADE, MOVED = rf"tuntap add dev {DUT}", rf"link set {DUT} netns"
STEPS = (MADE, rf"link set {DUT} address", MOVED, rf"address add \S+ dev {DUT}")


@pytest.mark.parametrize("step", STEPS)
def test_down_removes_a_tap_at_whatever_step_up_was_killed(a_lab: LabUnderTest, step: str) -> None:
    killed_up(a_lab, step)
    there = made(a_lab)
    down = a_lab("down")
    assert down.status == 0, down.err
    assert not a_lab.remains()
    assert not there & set(links().values())


def test_down_removes_the_tap_of_a_generator_that_is_a_machine(a_lab: LabUnderTest) -> None:
    killed_up(a_lab, MADE.replace("dut", "gen"), "--vm-generator", str(image(a_lab.folder.parent)))
    there = made(a_lab)
    assert a_lab("down").status == 0
    assert not a_lab.remains()
    assert not there & set(links().values())


def test_the_next_up_removes_it_too(a_lab: LabUnderTest) -> None:
    killed_up(a_lab, MADE)
    there = made(a_lab)
    killed_up(a_lab, "netns add")  # the remains are removed before anything is made
    assert not there & set(links().values())


def test_a_tap_of_the_same_name_that_is_not_ours_is_left_alone(a_lab: LabUnderTest) -> None:
    killed_up(a_lab, MOVED)
    (tap,) = (name for name in a_lab.veths() if name.endswith("-dut"))
    run("ip", "link", "delete", tap)
    run("ip", "tuntap", "add", "dev", tap, "mode", "tap")
    try:
        assert a_lab("down").status == 0
        assert tap in links()
    finally:
        run("ip", "link", "delete", tap)
