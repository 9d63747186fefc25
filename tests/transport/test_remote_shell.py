"""The script that guards a remote program, in every shell that may be a host's /bin/sh.

Run directly, without ssh: what ssh contributes is a pipe for stdin that ends when the client goes away.
"""

import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import Process, processes
from transport_helpers import processes_with

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport import background, remote_shell

SHELLS = {
    "dash": ["dash"],
    "bash": ["bash", "--posix"],
    "busybox": ["busybox", "sh"],
    "mksh": ["mksh"],
}


class Guarded:
    """A guarded script under one shell, as the ssh server would run it."""

    def __init__(self, shell: list[str], script: str, *, leader: bool = True, **options: object) -> None:
        self.mark = remote_shell.new_mark()
        values = {"stdin": False, "merge_stderr": False, "deadman": 60.0, **options}
        launch = remote_shell.launch(script, self.mark, **values)  # type: ignore[arg-type]
        self.process = subprocess.Popen(
            [*shell, "-s"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=leader,
            bufsize=0,
        )
        self.write(launch.replace(b"/bin/sh", " ".join(shell).encode()))
        self.output = b""
        self.until(f"\n{self.mark}\n".encode())

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def until(self, text: bytes, seconds: float = 30.0) -> bytes:
        """Reads stdout up to `text`; returns what came before it."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + seconds
        while text not in self.output:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"no {text!r} in {self.output!r}"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"ended without {text!r}: {self.output!r}"
            self.output += data
        before, _, self.output = self.output.partition(text)
        return before

    def end(self, seconds: float = 30.0) -> tuple[int, bytes, bytes]:
        """Exit status, the rest of stdout, and stderr after the mark."""
        status = self.process.wait(seconds)
        assert self.process.stdout is not None and self.process.stderr is not None
        out = self.output + self.process.stdout.read()
        # what is there now: mksh's subshells hold a copy of stderr until the last of them is gone
        os.set_blocking(self.process.stderr.fileno(), False)
        err = (self.process.stderr.read() or b"").partition(f"\n{self.mark}\n".encode())[2]
        return status, out, err

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def cleanup(self) -> None:
        self.close_stdin()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture(params=sorted(SHELLS))
def shell(request: pytest.FixtureRequest) -> list[str]:
    command = SHELLS[request.param]
    if not shutil.which(command[0]):
        pytest.skip(f"needs the Debian package {command[0]}")
    return command


@pytest.fixture
def in_each_shell() -> Iterator[Callable[..., list[Guarded]]]:
    """Runs a script in all shells there are: for tests that wait, so that they wait only once."""
    made: list[Guarded] = []

    def make(script: str, **options: object) -> list[Guarded]:
        shells = [command for command in SHELLS.values() if shutil.which(command[0])]
        started = [Guarded(command, script, **options) for command in shells]  # type: ignore[arg-type]
        made.extend(started)
        return started

    yield make
    for one in made:
        one.cleanup()


@pytest.fixture
def guarded(shell: list[str]) -> Iterator[Callable[..., Guarded]]:
    made: list[Guarded] = []

    def make(script: str, **options: object) -> Guarded:
        made.append(Guarded(shell, script, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.cleanup()


def gone(marker: str, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while processes_with(marker):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_output_and_exit_status_are_the_scripts_own(guarded) -> None:
    assert guarded("echo out; echo err >&2; exit 3").end() == (3, b"out\n", b"err\n")


def test_stderr_can_join_stdout(guarded) -> None:
    assert guarded("echo out; echo err >&2", merge_stderr=True).end() == (0, b"out\nerr\n", b"")


def test_a_missing_command_is_127_whatever_the_shell(guarded) -> None:
    status, out, err = guarded("no-such-command --version").end()
    assert (status, out) == (127, b"")
    assert b"no-such-command" in err


def test_quotes_newlines_and_exclamation_marks_survive(guarded) -> None:
    script = """printf '%s\\n' 'it'"'"'s "$HOME" `x` \\\\ !!'\n# comment (\ncat <<'END'\n$(reboot) ! '\nEND"""
    assert guarded(script).end() == (0, b"it's \"$HOME\" `x` \\\\ !!\n$(reboot) ! '\n", b"")


def test_a_syntax_error_harms_only_the_script(guarded) -> None:
    status, out, err = guarded("echo (; '").end(2)
    assert status in (1, 2) and out == b"" and err


def test_stdin_of_the_program_is_empty_unless_it_is_wanted(guarded) -> None:
    assert guarded("cat; echo end").end() == (0, b"end\n", b"")


def test_lines_reach_the_program_and_heartbeats_do_not(guarded) -> None:
    one = guarded('while read -r x; do echo "got $x"; done', stdin=True)
    one.write(remote_shell.HEARTBEAT + remote_shell.program_line(b"1 -n \\x"))
    assert one.until(b"\n") == b"got 1 -n \\x"
    one.write(remote_shell.HEARTBEAT + remote_shell.program_line(b"2"))
    assert one.until(b"\n") == b"got 2"


def test_a_heartbeat_is_answered_on_stderr(guarded) -> None:
    one = guarded("sleep 60")
    for _ in range(3):
        one.write(remote_shell.HEARTBEAT)
    one.close_stdin()  # the reader takes the lines that are there before it sees the end
    assert one.end()[2].count(f"{one.mark}\n".encode()) == 3


def test_a_program_that_closed_its_stdin_goes_on(guarded) -> None:
    one = guarded("exec <&-; sleep 1; echo done", stdin=True)
    for n in range(10):
        one.write(remote_shell.program_line(b"%d" % n))
        time.sleep(0.01)
    assert one.end()[:2] == (0, b"done\n")


SURVIVORS = {
    "silent": "sleep {n}",
    "background": "sleep {n} & sleep {n}",
    "ignores-signals": "trap '' TERM HUP INT; while :; do sleep 0.1; done # {n}",
    "printing": "while :; do echo x; sleep 0.1; done # {n}",
    "mixed": "(trap '' TERM; sleep {n}) & exec sleep {n}",
}


def test_nothing_survives_the_end_of_stdin(in_each_shell) -> None:
    number = f"61.{time.monotonic_ns()}"
    running = [one for script in SURVIVORS.values() for one in in_each_shell(script.format(n=number))]
    assert len(processes_with(number)) > len(running)
    for one in running:
        one.close_stdin()
    assert gone(number, 3)


def test_what_a_finished_script_left_in_the_background_is_ended(in_each_shell) -> None:
    number = str(time.monotonic_ns())
    running = in_each_shell(f"sleep 61.{number} & echo x")
    for one in running:
        assert one.process.wait(0.9) == 0  # before the KILL that follows a second later
        assert one.end()[1] == b"x\n"
    assert gone(number, 3)


IN_THE_BACKGROUND = {  # script -> its exit status, and how many programs it leaves
    "exit 3": (3, 0),
    "nohup sleep {n} >/dev/null 2>&1 &": (0, 1),
    "(sleep {n} &) && exit 4": (4, 1),
    "go() {{ sleep {n} & }}; go; go": (0, 2),
    "exec sh -c 'sleep {n} & exit 5'": (5, 1),
    "sleep 0.4 & exit 6": (6, 0),  # it ends soon
    "sleep 0.1 & wait": (0, 0),
    "trap 'sleep {n} & exit 7' EXIT": (7, 1),
    "setsid -f sh -c 'echo $$ >&2; exec sleep {n} >/dev/null 2>&1' && sleep 0.1": (0, 0),
    "cat <<END\nx\nEND": (0, 0),
    "kill -9 $$": (137, 0),
}


def test_a_watched_script_says_how_many_programs_it_leaves_in_the_background(in_each_shell) -> None:
    number = f"61.{time.monotonic_ns()}"
    running: list[tuple[str, Guarded]] = []
    for place, script in enumerate(IN_THE_BACKGROUND):
        watched = background.watched(script.format(n=number))
        running += [(script, one) for one in in_each_shell(watched)]
        if place < 2:  # without /proc, ps is asked, as on FreeBSD
            running += [(script, one) for one in in_each_shell(watched.replace("/proc/self", "/no/proc"))]
    for script, one in running:
        status, out, err = one.end()
        count, err = background.left(err)
        assert (script, status, count) == (script, *IN_THE_BACKGROUND[script]), err
        assert out == (b"x\n" if "END" in script else b"")
        if "setsid" in script:
            os.kill(int(err), signal.SIGKILL)  # a daemon goes on
    assert gone(number, 3)


def test_without_heartbeats_the_program_ends_by_itself(in_each_shell) -> None:
    number = str(time.monotonic_ns())
    for one in in_each_shell(f"sleep 61.{number}", deadman=0.3):
        assert one.end(3)[0] != 0
    assert gone(number, 3)


def test_with_heartbeats_it_does_not(in_each_shell) -> None:
    running = in_each_shell("sleep 61", deadman=0.6)
    for _ in range(5):
        time.sleep(0.25)
        for one in running:
            one.write(remote_shell.HEARTBEAT)
    assert [one.process.poll() for one in running] == [None] * len(running)


def test_a_watch_that_a_heartbeat_has_ended_is_followed_by_another(in_each_shell) -> None:
    """One that comes before its trap is set: else a link that dies later would leave the program running."""
    running = in_each_shell("sleep 61", deadman=6.0)  # all shells have to be seen before that
    for one in running:
        watch = next(each.parent for each in until_there("sleep 1", one.process.pid))
        os.kill(watch, signal.SIGKILL)
    time.sleep(0.2)
    for one in running:
        one.write(remote_shell.HEARTBEAT)
    for one in running:
        assert one.end(20)[0] != 0


def until_there(arguments: str, group: int) -> list[Process]:
    """The processes of the group with these arguments, once there is one."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if found := [one for one in processes() if one.group == group and one.arguments.endswith(arguments)]:
            return found
        time.sleep(0.02)
    raise AssertionError(f"no {arguments!r}")


def test_an_interrupt_lets_the_program_print_its_summary(guarded) -> None:
    summary = "import signal,time\ntry:\n  print('up', flush=True); time.sleep(60)\n"
    summary += "except KeyboardInterrupt:\n  time.sleep(.05); print('summary')"
    one = guarded(f'python3 -c "{summary}"\necho after')
    one.until(b"up\n")
    one.write(remote_shell.signal_line("INT"))
    status, out, _ = one.end()
    assert (status, out) == (0, b"summary\nafter\n")


def test_a_shell_that_shares_the_servers_group_does_not_kill_the_server() -> None:
    # dropbear: the login shell is in the process group of the connection's server process
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    number = str(time.monotonic_ns())
    servers = []
    for name, shell in SHELLS.items():
        if shutil.which(shell[0]):
            mark = remote_shell.new_mark()
            script = f"echo x; sleep 61.{number}"
            launch = remote_shell.launch(script, mark, stdin=False, merge_stderr=False, deadman=60.0)
            server = subprocess.Popen(
                ["sh", "-c", f"{' '.join(shell)} -s; echo server lives {name}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                bufsize=0,
            )
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write(launch.replace(b"/bin/sh", " ".join(shell).encode()))
            servers.append((name, server))
    for _, server in servers:
        while server.stdout.read(1) != b"x":
            pass
    for _, server in servers:
        server.stdin.close()
    for name, server in servers:
        assert server.stdout.read().endswith(f"server lives {name}\n".encode())
        assert server.wait(3) == 0
        server.stdout.close()
    assert gone(number, 3)


def test_a_script_that_no_host_could_take_is_refused_here() -> None:
    options = {"stdin": False, "merge_stderr": False, "deadman": 60.0}
    with pytest.raises(FwdtuiError, match="NUL"):
        remote_shell.launch("echo \0", "m", **options)  # type: ignore[arg-type]
    with pytest.raises(FwdtuiError, match="too long"):
        remote_shell.launch("x" * 120_000, "m", **options)  # type: ignore[arg-type]
    for line in (b"", b"!INT", b"a\nb", b"a\0"):
        with pytest.raises(ValueError, match="not a line"):
            remote_shell.program_line(line)
    with pytest.raises(ValueError, match="KILL"):
        remote_shell.signal_line("KILL")


def test_the_ssh_command_is_safe_in_every_login_shell() -> None:
    assert not set(remote_shell.COMMAND) & set("!'\"\\$`\n;&|<>()*?[]{}~#")


def test_signals_are_named_as_this_system_knows_them() -> None:
    assert all(hasattr(signal, f"SIG{name}") for name in remote_shell.SIGNALS)
