"""Scripts on a host: their output to the byte, their end, and nothing left over."""

import asyncio
import contextlib
import itertools
import os
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from transport_helpers import processes_with, until
from transport_sshd import Sshd

from fwdtui.transport.base import Completed, Phase
from fwdtui.transport.errors import ChannelsBusy, RemoteShellFailed, TimedOut, Unreachable
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshHost, SshPool

Pools = Callable[[SshSettings], SshPool]

SCRIPT = """printf '%s\\n' 'it'"'"'s !! "quoted" `ticks`' "$LC_ALL"
cat <<'END'
  $(not run) \\ ~ * ; | & ( ) <>
END
for i in 1 2 3; do printf '%s ' $i; done
echo err >&2
exit 7
"""
OUTPUT = b'it\'s !! "quoted" `ticks`\nC\n  $(not run) \\ ~ * ; | & ( ) <>\n1 2 3 '


def unique() -> str:
    """A number of seconds to sleep that no other process has in its arguments."""
    return f"61.{time.monotonic_ns()}"


async def test_a_script_gives_its_output_and_status(dut: SshHost) -> None:
    assert await dut.run(SCRIPT) == Completed(OUTPUT, b"err\n", 7)


LOGIN_SHELLS = ["csh", "tcsh", "fish", "bash", "dash", "busybox sh", "mksh"]


@pytest.mark.parametrize("login_shell", LOGIN_SHELLS)
async def test_every_login_shell_gives_the_same_bytes(make_sshd, pools: Pools, login_shell: str) -> None:
    if not shutil.which(login_shell.split()[0]):
        pytest.skip(f"needs the Debian package {login_shell.split()[0]}")
    # sshd runs the command as `<login shell> -c <command>`
    server = make_sshd(ForceCommand=f'exec {login_shell} -c "$SSH_ORIGINAL_COMMAND"')
    for name in (".cshrc", ".tcshrc"):
        (server.home / name).write_text("echo noise from csh\necho $?prompt\n")
    (server.home / ".config/fish").mkdir(parents=True)
    (server.home / ".config/fish/config.fish").write_text("echo noise from fish\n")
    host = await pools(server.settings()).open("dut", "dut")
    assert await host.run(SCRIPT) == Completed(OUTPUT, b"err\n", 7)
    process = await host.start("while read x; do echo $x; done", stdin=True)
    assert process.send(b"a!b 'c") and await process.readline() == b"a!b 'c"
    await process.close()


async def test_what_start_up_files_print_is_not_output(sshd: Sshd, pools: Pools) -> None:
    (sshd.home / ".bashrc").write_text("echo welcome; printf 'no end of line'; echo oops >&2\n")
    host = await pools(sshd.settings()).open("dut", "dut")
    assert await host.run("echo out; echo err >&2") == Completed(b"out\n", b"err\n", 0)


async def test_a_login_without_a_shell_says_what_it_said(make_sshd, pools: Pools) -> None:
    server = make_sshd(ForceCommand="echo 'This account is not available.'; exit 1")
    host = await pools(server.settings()).open("dut", "dut")
    with pytest.raises(RemoteShellFailed) as caught:
        await host.run("echo out")
    assert "exit status 1" in caught.value.text and "This account is not available." in caught.value.text


async def test_a_question_in_a_start_up_file_swallows_nothing_of_the_script(sshd: Sshd, pools: Pools) -> None:
    (sshd.home / ".bashrc").write_text("printf 'Terminal type? '; read -r type; echo \"so it is $type\"\n")
    host = await pools(sshd.settings()).open("dut", "dut")
    assert await host.run(SCRIPT) == Completed(OUTPUT, b"err\n", 7)


STUCK = {
    "a menu": (
        "until [ \"$x\" = 1 ]; do printf 'Choose a role: '; read -r x || exit; done",
        "printed 'Choose a role:",
    ),
    "silence": ("sleep 12", "prints nothing"),
    "an endless greeting": (
        "while echo welcome to the lab; do (( ++n % 1000 )) || sleep 0.1; done",
        "still executes no command",
    ),
    "a greeting on stderr, then silence": ("echo 'mounting /home' >&2; sleep 12", "'mounting /home'"),
}
STUCK_LIMIT = 3.0  # seconds that a caller gives it


@pytest.mark.parametrize("kind", STUCK)
async def test_a_login_shell_that_never_runs_a_command_is_named_as_the_cause(
    sshd: Sshd, pools: Pools, kind: str
) -> None:
    start_up, words = STUCK[kind]
    (sshd.home / ".bashrc").write_text(start_up + "\n")
    host = await pools(sshd.settings()).open("dut", "dut")
    await host.connect()
    began = time.monotonic()
    asked = (host.run("echo out", timeout=STUCK_LIMIT), host.start("echo out", timeout=STUCK_LIMIT))
    for refused in await asyncio.gather(*asked, return_exceptions=True):
        assert isinstance(refused, RemoteShellFailed), refused
        assert words in refused.text and refused.host == "dut"
    assert time.monotonic() - began > STUCK_LIMIT - 0.1  # what it may still print is waited for


async def test_a_login_shell_that_has_hardly_been_asked_is_not_named_as_the_cause(
    sshd: Sshd, pools: Pools
) -> None:
    """A short limit, or a busy machine: the shell may well be about to answer."""
    (sshd.home / ".bashrc").write_text("sleep 12\n")
    host = await pools(sshd.settings()).open("dut", "dut")
    await host.connect()
    asked = (host.run("echo out", timeout=0.4), host.start("echo out", timeout=0.4))
    late = await asyncio.gather(*asked, return_exceptions=True)
    assert [str(one) for one in late] == [
        "dut: a command did not finish within 0.4 s",
        "dut: /bin/sh did not start within 0.4 s",
    ]


async def test_a_login_shell_that_refuses_at_once_is_no_broken_pipe(make_sshd, pools: Pools) -> None:
    host = await pools(make_sshd(ForceCommand="exit 1").settings()).open("dut", "dut")
    for _ in range(30):
        with pytest.raises(RemoteShellFailed, match="exit status 1"):
            await host.run("echo out")


async def test_a_missing_command_is_a_status_and_harms_nobody_else(dut: SshHost) -> None:
    missing, there = await asyncio.gather(dut.run("no-such-tool -x"), dut.run("echo there"))
    assert (missing.status, there.stdout) == (127, b"there\n") and b"no-such-tool" in missing.stderr


async def test_a_program_that_is_killed_is_status_128_and_more(dut: SshHost) -> None:
    assert (await dut.run("sh -c 'kill -9 $$'")).status == 137


async def test_output_beyond_the_limit_is_cut_and_marked(dut: SshHost) -> None:
    result = await dut.run("head -c 5000000 /dev/zero; exit 3", limit=1000)
    assert (len(result.stdout), result.truncated, result.status) == (1000, True, 3)


async def test_a_timeout_says_so_and_leaves_no_process_and_no_channel(dut: SshHost) -> None:
    number = unique()
    for _ in range(2):  # together more than the server or we allow at a time
        began = time.monotonic()
        calls = [dut.run(f"sleep {number}", timeout=0.3) for _ in range(7)]
        for result in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(result, TimedOut)
            assert str(result) == "dut: a command did not finish within 0.3 s"
        assert time.monotonic() - began < 2
    await until(lambda: not processes_with(number), 4)
    assert (await dut.run("echo in")).stdout == b"in\n"


async def test_a_cancelled_command_leaves_nothing_either(dut: SshHost) -> None:
    number = unique()
    for after in (0.0, 0.001, 0.004, 0.016, 0.1):
        tasks = [asyncio.create_task(dut.run(f"sleep {number}")) for _ in range(8)]
        await asyncio.sleep(after)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert all(task.cancelled() for task in tasks)
    results = await asyncio.gather(*(dut.run("echo in", timeout=8) for _ in range(8)))
    assert {result.stdout for result in results} == {b"in\n"}
    await until(lambda: not processes_with(number), 4)


async def test_a_session_that_opens_after_its_caller_has_gone_is_closed(make_sshd, pools: Pools) -> None:
    server = make_sshd(MaxSessions="2")
    host = await pools(server.settings()).open("dut", "dut")
    await host.connect()
    await asyncio.sleep(0.1)
    server.signal_sessions(signal.SIGSTOP)
    calls = [asyncio.create_task(host.run("sleep 60")) for _ in range(2)]
    await asyncio.sleep(0.2)  # both have asked for a session, and no answer has come
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    server.signal_sessions(signal.SIGCONT)
    results = await asyncio.gather(*(host.run("echo in", timeout=5) for _ in range(2)))
    assert [result.stdout for result in results] == [b"in\n", b"in\n"]


async def test_a_flood_on_stderr_stops_neither_the_output_nor_the_loop(dut: SshHost) -> None:
    process = await dut.start("yes flood >&2 & while :; do echo tick; sleep 0.02; done")
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    counter = asyncio.create_task(count_turns())
    ticks = 0
    async with asyncio.timeout(10):  # both go on, at the pace that the machine allows
        while ticks < 30 or turns < 10:
            assert await process.readline() == b"tick"
            ticks += 1
    counter.cancel()
    assert ticks < 100 * turns
    assert len(process.stderr) <= 64 * 1024 and process.stderr.endswith((b"\n", b"d", b"o", b"l", b"f"))
    await process.close()


async def test_a_flood_of_lines_leaves_other_tasks_their_turn(dut: SshHost) -> None:
    process = await dut.start("yes 0123456789")
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            before = time.process_time()  # what other programs take of a busy machine is not ours
            await asyncio.sleep(0.001)
            longest = max(longest, time.process_time() - before)

    watcher = asyncio.create_task(watch())
    deadline = time.process_time() + 0.6
    lines = 0
    async for line in process:
        assert line == b"0123456789"
        lines += 1
        busy = time.process_time() + 0.0001  # reading a line of counters takes about so long
        while time.process_time() < busy:
            pass
        if busy > deadline:
            break
    await asyncio.sleep(0.01)
    watcher.cancel()
    await process.close()
    assert lines > 2000 and longest < 0.3


async def test_lines_that_nobody_reads_wait_on_the_host(dut: SshHost) -> None:
    process = await dut.start("yes 0123456789")
    await asyncio.sleep(0.5)
    waiting = len(process.read_ready())
    assert 8192 < waiting < 100_000
    await asyncio.sleep(0.2)
    assert process.read_ready()
    began = time.monotonic()
    await process.close()
    assert time.monotonic() - began < 1.5


async def test_odd_bytes_pass_and_a_line_without_end_is_dropped_and_counted(dut: SshHost) -> None:
    process = await dut.start(
        "printf 'a\\000b\\n\\377\\376\\n'; head -c 10000000 /dev/zero; printf '\\nlast'"
    )
    assert [line async for line in process] == [b"a\0b", b"\xff\xfe", b"last"]
    assert process.oversize == 1
    assert (await process.wait()).status == 0


async def test_stderr_can_be_merged_in_its_order(dut: SshHost) -> None:
    process = await dut.start("for i in 1 2 3; do echo out$i; echo err$i >&2; done", merge_stderr=True)
    assert [line async for line in process] == [b"out1", b"err1", b"out2", b"err2", b"out3", b"err3"]


async def test_lines_of_stderr_that_somebody_heeds_come_at_once_and_are_no_error(dut: SshHost) -> None:
    heeded: list[bytes] = []

    def heed(line: bytes) -> bool:
        heeded.append(line)
        return line.startswith(b"news")

    script = "printf 'news 1\nodd\nne' >&2; sleep 0.1; printf 'ws 2\nlast' >&2; read -r line; echo done"
    process = await dut.start(script, stdin=True, heed=heed)
    await until(lambda: b"news 2" in heeded)  # while it still runs, and however it is cut
    assert process.stderr == b"odd\nlast"
    process.send(b"go")
    assert await process.readline() == b"done"
    assert [line for line in heeded if line.startswith((b"news", b"odd"))] == [b"news 1", b"odd", b"news 2"]


async def test_an_interrupted_program_prints_its_summary(dut: SshHost) -> None:
    program = "import time\ntry:\n print('up', flush=True); time.sleep(60)\n"
    program += "except KeyboardInterrupt:\n print('sent 1000 packets')"
    process = await dut.start(f'python3 -c "{program}"')
    assert await process.readline() == b"up"
    ended = await process.stop("INT")
    assert (ended.status, ended.lost) == (0, False)
    assert [line async for line in process] == [b"sent 1000 packets"]


async def test_closing_ends_what_ignores_every_signal(dut: SshHost) -> None:
    number = unique()
    process = await dut.start(f"trap '' INT TERM HUP; echo up; while :; do sleep 0.05; done # {number}")
    assert await process.readline() == b"up"
    ended = await process.stop("INT", grace=0.1)
    assert not ended.lost and ended == await process.close()
    await until(lambda: not processes_with(number), 3)
    assert process.send(b"late") is False
    assert await process.readline() is None


async def test_a_sampler_answers_each_tick(dut: SshHost) -> None:
    process = await dut.start(
        'while read -r n; do read -r up _ </proc/uptime; echo "$n $up"; done', stdin=True
    )
    for n in range(20):
        assert process.send(b"%d" % n)
        line = await process.readline()
        assert line is not None and line.split()[0] == b"%d" % n


async def test_a_cancelled_read_loses_no_line(dut: SshHost) -> None:
    process = await dut.start("i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo $i; sleep 0.005; done")
    lines = []
    while True:
        try:
            async with asyncio.timeout(0.004):
                line = await process.readline()
        except TimeoutError:
            continue
        if line is None:
            break
        lines.append(int(line))
    assert lines == list(range(1, 41))


async def test_a_server_with_few_sessions_makes_us_wait_our_turn(make_sshd, pools: Pools) -> None:
    server = make_sshd(MaxSessions="2")
    host = await pools(server.settings()).open("dut", "dut")
    results = await asyncio.gather(*(host.run(f"sleep 0.1; echo {n}", timeout=20) for n in range(7)))
    assert [result.stdout for result in results] == [b"%d\n" % n for n in range(7)]
    sampler, other = await host.start("sleep 60"), await host.start("sleep 60")
    with pytest.raises(ChannelsBusy, match="MaxSessions"):
        await host.run("echo late", timeout=0.4)
    await other.close()
    assert (await host.run("echo in", timeout=5)).stdout == b"in\n"
    assert sampler.exit is None and host.state.phase is Phase.UP


async def test_we_take_no_more_channels_than_we_may(sshd: Sshd, pools: Pools, tmp_path: Path) -> None:
    host = await pools(sshd.settings(channels=3)).open("dut", "dut")
    # the scripts write down themselves when they run: any look from outside takes time, in which one may end
    # and the next begin
    diary = tmp_path / "diary"
    script = f"echo +1 >>{diary}; echo x; sleep 0.3; echo -1 >>{diary}"
    runs = await asyncio.gather(*(host.run(script) for _ in range(6)))
    running = list(itertools.accumulate(int(line) for line in diary.read_text().split()))
    assert len(running) == 12 and running[-1] == 0
    assert max(running) == 3
    assert [run.stdout for run in runs] == [b"x\n"] * 6


async def test_more_programs_than_we_take_channels_for_are_named_as_the_cause(
    sshd: Sshd, pools: Pools
) -> None:
    """As eight generators on one host, each with its own start command: /bin/sh was said not to start."""
    host = await pools(sshd.settings(channels=2)).open("dut", "dut")
    one, _ = await host.start("sleep 60"), await host.start("sleep 60")
    for more in (host.start("sleep 60", timeout=0.4), host.run("true", timeout=0.4)):
        with pytest.raises(ChannelsBusy, match="2 programs already run there"):
            await more
    await one.close()
    assert (await host.run("echo in", timeout=5)).stdout == b"in\n"


async def test_a_daemon_that_kept_our_output_does_not_keep_us(dut: SshHost) -> None:
    if not shutil.which("setsid"):
        pytest.skip("needs util-linux")
    number = unique()
    began = time.monotonic()
    result = await dut.run(f"setsid sleep {number} & sleep 0.3; echo started")
    seconds = time.monotonic() - began
    await asyncio.sleep(1.2)
    left = processes_with(number)
    for line in left:
        os.kill(int(line.split()[1]), signal.SIGKILL)
    assert result.stdout == b"started\n" and result.status == 0
    assert seconds < 4
    assert len(left) == 1  # a session of its own was asked for: ours to start, not ours to end


async def test_output_that_was_still_coming_when_we_gave_it_up_is_marked(
    dut: SshHost, tmp_path: Path
) -> None:
    """The exit status overtakes what is on its way over a slow link. Here something goes on printing."""
    up = tmp_path / "up"  # by then it is in a session of its own, and not ended with the command
    goes_on = f": >{up}; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.2; echo more; done"
    late = f"setsid sh -c '{goes_on}' & until [ -e {up} ]; do sleep 0.02; done; echo first"
    result = await dut.run(late, timeout=10)
    assert set(result.stdout.split()) == {b"first", b"more"}
    assert result.truncated and result.status == 0


async def test_a_host_whose_connection_is_cut_reports_the_end_as_lost(sshd: Sshd, dut: SshHost) -> None:
    process = await dut.start("echo up; printf '1 23'; sleep 60")  # of 1 2345, say
    assert await process.readline() == b"up"
    waiting = asyncio.create_task(dut.run("sleep 60"))
    await asyncio.sleep(0.2)
    sshd.signal_sessions(signal.SIGKILL)
    async with asyncio.timeout(3):
        assert await process.readline() is None, "half a line could look like a smaller number"
        ended = await process.wait()
        with pytest.raises(Unreachable, match="connection lost while a command ran"):
            await waiting
    assert ended.lost and ended.status is None and "connection lost" in ended.reason


CLIENT = """
    import asyncio, sys
    from pathlib import Path
    from fwdtui.transport.settings import SshSettings
    from fwdtui.transport.ssh import SshPool

    async def main(config, known_hosts, number):
        pool = SshPool(SshSettings(config_file=Path(config), known_hosts=Path(known_hosts)))
        host = await pool.open("dut", "dut")
        for script in (f"sleep {number}", f"trap '' TERM HUP; while :; do sleep 0.1; done # {number}"):
            await host.start(script)
        await host.start(f"while read x; do :; done; sleep {number}", stdin=True)
        print("up", flush=True)
        await host.run(f"sleep {number}")

    asyncio.run(main(*sys.argv[1:]))
"""


async def test_nothing_survives_a_client_that_is_killed(sshd: Sshd) -> None:
    numbers = {how: unique() for how in (signal.SIGKILL, signal.SIGTERM)}

    async def die(how: signal.Signals, number: str) -> None:
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-c", textwrap.dedent(CLIENT), sshd.config, sshd.known_hosts, number,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert client.stdout is not None
            async with asyncio.timeout(10):
                assert await client.stdout.readline() == b"up\n"
            await until(lambda: len(processes_with(f"sleep {number}")) >= 2)
        finally:
            with contextlib.suppress(ProcessLookupError):
                client.send_signal(how)
            await client.wait()
        await until(lambda: not processes_with(number), 3.5)

    await asyncio.gather(*(die(how, number) for how, number in numbers.items()))


async def test_programs_of_a_suspended_client_end_without_its_heartbeats(sshd: Sshd, pools: Pools) -> None:
    number = unique()
    host = await pools(sshd.settings(deadman=0.9, beat=0.2)).open("dut", "dut")
    process = await host.start(f"sleep {number}")
    await asyncio.sleep(1.4)
    assert process.exit is None  # heartbeats keep it
    time.sleep(2.4)  # noqa: ASYNC251  - this whole program stands still, like after Ctrl-Z
    assert not processes_with(f"sleep {number}")
    async with asyncio.timeout(2):
        assert (await process.wait()).status not in (None, 0)
