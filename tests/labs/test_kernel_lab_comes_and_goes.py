"""The kernel lab comes and goes: nothing is left of it, whatever was broken, in the way or killed half-way.

No rate is judged here, so other tests may run meanwhile.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kernel_lab_use import (
    HOSTS,
    LabUnderTest,
    network_of,
    run,
    running_processes,
    traffic_only,
    veths_left,
    wait_for,
)

from fwdtui.labs.kernel import journal, needs, topology

pytestmark = pytest.mark.root


def test_a_variant_for_a_lab_that_is_not_up_is_status_1(a_lab: LabUnderTest) -> None:
    answer = a_lab("env", "--rate", "50k")
    assert (answer.status, answer.out) == (1, "")
    assert "is not up" in answer.err


def test_before_up_and_after_down_there_is_nothing(a_lab: LabUnderTest) -> None:
    assert a_lab("status").status == 1
    assert a_lab("env").status == 1
    assert a_lab("rules", 1).status == 2
    down = a_lab("down")
    assert (down.status, down.err) == (0, "")
    assert "is not up" in down.out

    assert a_lab("up").status == 0
    veths = a_lab.veths()
    assert len(veths_left(veths)) == 3
    assert a_lab.remains()

    assert a_lab("down").status == 0
    assert not a_lab.remains()
    assert not veths_left(veths)
    assert a_lab("status").status == 1


def test_labs_stand_beside_each_other(lab: LabUnderTest, a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    assert a_lab("status").status == 0
    assert lab("status").status == 0
    files = [one.folder / "known_hosts" for one in (lab, a_lab)]
    addresses = {line.split()[0] for file in files for line in file.read_text().splitlines()}
    assert len(addresses) == 6
    assert a_lab("down").status == 0
    assert lab("status").status == 0


def test_down_ends_sessions_and_generators_too(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    veths = a_lab.veths()
    with subprocess.Popen(
        [*a_lab.ssh_command("gen"), a_lab.generator("--rate", "1k")["start"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as session:
        wait_for(a_lab.generators, "trafgen runs")
        gen = Path("/run/netns", a_lab.namespace("gen")).stat().st_ino
        assert a_lab("down").status == 0
        assert not [one for one in running_processes() if network_of(one.pid) == gen]
        assert session.wait(10) == 255  # whoever was connected is told so
        assert not a_lab.remains()
        assert not veths_left(veths)


def test_what_is_broken_is_named_and_up_mends_it(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    veths = a_lab.veths()

    run("ip", "-n", a_lab.namespace("dut"), "link", "set", "dut1", "down")
    answer = a_lab("status")
    assert answer.status == 1
    assert "broken: dut: dut1 is DOWN" in answer.out

    lab_file = a_lab.folder / "lab.toml"
    lab_file.rename(lab_file.with_suffix(".away"))
    env = a_lab("env")
    assert (env.status, env.out) == (2, "") and "lab.toml is gone: `fwdtui lab up` builds" in env.err
    lab_file.with_suffix(".away").rename(lab_file)

    os.kill(int((a_lab.folder / "sshd_sink.pid").read_text()), signal.SIGKILL)
    wait_for(lambda: "broken: sink: sshd is not running" in a_lab("status").out, "the lack of sshd is told")

    up = a_lab("up")
    assert up.status == 0
    assert "the remains of an earlier one were removed (sink: sshd is not running)" in up.out
    assert a_lab("status").status == 0
    assert not veths_left(veths)


def test_forwarding_that_was_turned_off_is_named(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    a_lab.inside("dut", "sysctl", "-q", "-w", "net.ipv4.ip_forward=0")
    assert "broken: dut: net.ipv4.ip_forward is 0" in a_lab("status").out
    a_lab.inside("dut", "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
    a_lab.inside("dut", "ip", "-6", "route", "del", topology.FLOWS_IPV6)
    answer = a_lab("status")
    assert answer.status == 1
    assert "broken: IPv6 does not get through from gen0 to sink0" in answer.out


def test_a_namespace_of_the_same_name_that_is_not_ours_is_left_alone(a_lab: LabUnderTest) -> None:
    run("ip", "netns", "add", a_lab.namespace("dut"))
    try:
        answer = a_lab("up")
        assert answer.status == 2
        assert answer.err.count("\n") == 1
        assert f"the namespace {a_lab.namespace('dut')} already exists" in answer.err
        assert a_lab("down").status == 0
        assert Path("/run/netns", a_lab.namespace("dut")).exists()
        assert not Path("/run/netns", a_lab.namespace("gen")).exists()
    finally:
        run("ip", "netns", "del", a_lab.namespace("dut"))


def test_a_namespace_that_another_lab_made_since_is_left_alone_though_the_journal_tells_of_its_name(
    a_lab: LabUnderTest, tmp_path: Path
) -> None:
    kill_after(a_lab, 2, made=False)  # its generator's namespace was never made
    other = LabUnderTest(tmp_path / "other", a_lab.name)
    assert other("up").status == 0
    try:
        assert a_lab("down").status == 0
        assert other("status").status == 0
    finally:
        other("down")


def test_a_failing_step_is_one_line_with_the_command_and_leaves_nothing(
    a_lab: LabUnderTest, tmp_path: Path
) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "ethtool").write_text("#!/bin/sh\necho 'netlink error: no such device' >&2\nexit 75\n")
    (broken / "ethtool").chmod(0o755)
    answer = a_lab("up", env={**os.environ, "PATH": f"{broken}:{os.environ['PATH']}"})
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert f"ip netns exec {a_lab.namespace('gen')} ethtool -K gen0" in answer.err
    assert answer.err.endswith(": netlink error: no such device\n")
    assert not a_lab.remains()


def test_without_root_one_line_says_so(kernel_lab_works: None) -> None:
    program = (
        # imported first: the checkout may be readable for root alone
        "import os, sys; import fwdtui.cli.lab, fwdtui.labs.kernel.up, fwdtui.core.text;"
        "from fwdtui.cli import main; os.setgid(65534); os.setuid(65534);"
        "sys.exit(main(['lab', 'up', '--dir', '/tmp/fwdtui-nobody']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("fwdtui: the kernel lab needs root")
    assert done.stderr.count("\n") == 1
    assert not Path("/tmp/fwdtui-nobody").exists()


def test_the_command_line_loads_neither_the_app_nor_an_ssh_client(
    kernel_lab_works: None, tmp_path: Path
) -> None:
    program = (
        "import sys; from fwdtui.cli import main; main(['lab', 'up', '--dir', sys.argv[1], '--name', 'zz']);"
        "main(['lab', 'env', '--dir', sys.argv[1]]); main(['lab', 'status', '--dir', sys.argv[1]]);"
        "main(['lab', 'down', '--dir', sys.argv[1]]); print(*sys.modules)"
    )
    modules = run(sys.executable, "-c", program, tmp_path / "lab").splitlines()[-1].split()
    assert "fwdtui.labs.kernel.up" in modules
    assert not {"textual", "asyncssh", "numpy", "scipy"} & set(modules)


# -- killed half-way


UP_TO = """
# journal lines, when, signal, and the command's own words
import os, signal, sys
from fwdtui.cli import main
from fwdtui.labs.kernel import journal

written, lines, made, number = 0, int(sys.argv[1]), sys.argv[2] == "made", int(sys.argv[3])
write = journal.Journal._write

def killed_after(book, *flags, **entry):
    global written
    if made and written == lines:
        os.kill(os.getpid(), number)
    write(book, *flags, **entry)
    written += 1
    if not made and written == lines:
        os.kill(os.getpid(), number)

journal.Journal._write = killed_after
sys.exit(main(sys.argv[4:]))
"""


def signalled(
    lab: LabUnderTest, lines: int, when: str, number: signal.Signals
) -> subprocess.CompletedProcess[str]:
    """`up`, which sends itself this signal at this line of its journal."""
    words = ["lab", "up", "--dir", str(lab.folder), "--name", lab.name]
    argv = [sys.executable, "-c", UP_TO, str(lines), when, str(int(number)), *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60)


def kill_after(lab: LabUnderTest, lines: int, made: bool = True) -> dict[str, str]:
    """Start `up`, which SIGKILL ends once its journal has that many lines; what it had made of veths.

    `made`: what the last line tells of has been made, and the next line has not been written.
    """
    done = signalled(lab, lines, "made" if made else "told", signal.SIGKILL)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (lab.folder / journal.NAME).read_bytes().count(b"\n") == lines
    return lab.veths()


@pytest.mark.parametrize(
    ("lines", "made"),
    [
        *((lines, True) for lines in (1, 2, 3, 7, 8, 10, 24, 27, 34)),
        *((lines, False) for lines in (1, 2, 8, 34)),
    ],
)
def test_after_a_kill_at_any_point_down_leaves_nothing(a_lab: LabUnderTest, lines: int, made: bool) -> None:
    veths = kill_after(a_lab, lines, made)
    assert a_lab("env").status == 1
    down = a_lab("down")
    assert down.status == 0, down.err
    assert not a_lab.remains()
    assert not veths_left(veths)


@pytest.mark.parametrize("lines", [1, 34])
def test_after_a_kill_up_works_at_once(a_lab: LabUnderTest, lines: int) -> None:
    veths = kill_after(a_lab, lines)
    assert a_lab("status").status == 1
    up = a_lab("up")
    assert up.status == 0, up.err
    assert "the remains of an earlier one were removed" in up.out
    assert a_lab("status").status == 0
    assert not veths_left(veths)


@pytest.mark.parametrize("lines", [2, 27])
def test_ctrl_c_during_up_leaves_nothing(a_lab: LabUnderTest, lines: int) -> None:
    done = signalled(a_lab, lines, "made", signal.SIGINT)
    assert (done.returncode, done.stderr) == (130, "")
    assert not a_lab.remains()


def test_two_commands_on_one_lab_wait_for_each_other(a_lab: LabUnderTest) -> None:
    def twice(action: str) -> list[str]:
        argv = [
            sys.executable,
            "-m",
            "fwdtui",
            "lab",
            action,
            "--dir",
            str(a_lab.folder),
            "--name",
            a_lab.name,
        ]
        both = [
            subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        said = [process.communicate(timeout=40) for process in both]
        assert [process.returncode for process in both] == [0, 0], said
        return sorted(out.splitlines()[0].partition("is ")[2] for out, _ in said)

    assert twice("up") == ["already up (mode rps)", "up (mode rps)"]
    assert twice("down") == ["down", "not up; nothing to take down"]


def test_down_after_somebody_took_the_namespaces_away_leaves_nothing(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    veths = a_lab.veths()
    for host in HOSTS:
        run("ip", "netns", "del", a_lab.namespace(host))
    answer = a_lab("status")
    assert answer.status == 1
    assert f"the namespace {a_lab.namespace('gen')} is gone" in answer.out
    assert a_lab("down").status == 0
    assert not a_lab.remains()
    assert not veths_left(veths)


def test_an_sshd_that_will_not_start_is_named_with_its_own_words(a_lab: LabUnderTest, tmp_path: Path) -> None:
    picky = tmp_path / "bin"
    picky.mkdir()
    (picky / "sshd").write_text(f'#!/bin/sh\nexec {needs.find("sshd")} -o Ciphers=rot13 "$@"\n')
    (picky / "sshd").chmod(0o755)
    answer = a_lab("up", env={**os.environ, "PATH": f"{picky}:{os.environ['PATH']}"})
    assert answer.status == 2
    assert "rot13" in answer.err
    assert answer.err.count("\n") == 1
    assert not a_lab.remains()


def test_after_up_the_test_path_is_silent(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    before = traffic_only(a_lab.counters())
    time.sleep(1)
    assert traffic_only(a_lab.counters()) == before
