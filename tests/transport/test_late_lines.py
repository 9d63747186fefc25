"""The last lines of a program that has ended, over a link on which its exit status overtakes them."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fwdtui.transport import remote_shell
from fwdtui.transport.wire.process import SshProcess

MARK = "fwdtui-0123"


class Clock(selectors.DefaultSelector):
    """Waiting for nothing takes no time, but moves the clock on."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        self.now += 0.0 if found else timeout or 0.0
        return found


class Channel:
    """A channel that takes what it is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.aborted = False

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def write_eof(self) -> None:
        self.sent.append(b"")

    def abort(self) -> None:
        self.aborted = True


async def begun() -> tuple[SshProcess, Channel]:
    """A program that runs on a host, and its channel."""
    process, channel = SshProcess("gen", b"the script", MARK), Channel()
    taken: Any = channel
    process.connection_made(taken)
    process.session_started()
    process.data_received(f"\n{remote_shell.answer(MARK)}\n".encode(), None)
    process.data_received(f"\n{MARK}\n".encode(), None)
    await process.begun
    return process, channel


def quickly(test: Callable[[SshProcess, Channel], Awaitable[None]]) -> float:
    """Run it by a clock that jumps, with such a program; returns the seconds that it took."""
    clock = Clock()

    def loop() -> asyncio.AbstractEventLoop:
        made = asyncio.SelectorEventLoop(clock)
        made.time = lambda: clock.now  # type: ignore[method-assign]
        return made

    async def main() -> None:
        await test(*await begun())

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(main())
    return clock.now


def prints(process: SshProcess, lines: dict[float, bytes]) -> None:
    """These lines arrive after so many seconds."""
    for seconds, line in lines.items():
        asyncio.get_running_loop().call_later(seconds, process.data_received, line, None)


def test_lines_that_still_come_after_the_end_are_waited_for() -> None:
    """pkt-gen says last how much it has sent, and lines before that are on the way as well."""

    async def main(process: SshProcess, channel: Channel) -> None:
        prints(process, {1.0 + n: b"line\n" for n in range(7)} | {7.5: b"Sent 10 packets\n"})
        asyncio.get_running_loop().call_later(1.0, process.exit_status_received, 0)
        ended = await process.stop("INT", grace=5.0)
        assert ended.status == 0 and not process.truncated
        assert process.read_ready()[-1] == b"Sent 10 packets"
        assert channel.sent.count(remote_shell.signal_line("INT")) == 1 and channel.aborted

    assert quickly(main) < 9.5


def test_what_has_ended_is_sent_no_signal() -> None:
    async def main(process: SshProcess, channel: Channel) -> None:
        process.exit_status_received(0)
        assert process.ending and process.exit is None
        await process.stop("INT", grace=5.0)
        assert remote_shell.signal_line("INT") not in channel.sent

    assert quickly(main) < 2.0, "nothing more comes"


def test_it_is_told_if_lines_come_for_more_than_ten_seconds_and_half_a_line_is_none() -> None:
    """As a daemon's do that has inherited the output."""

    async def main(process: SshProcess, _: Channel) -> None:
        process.exit_status_received(0)
        prints(process, {float(n): b"line\n" for n in range(20)} | {9.5: b"Sent 12"})
        await process.wait()
        assert process.truncated and b"Sent 12" not in process.read_ready()

    assert 9.0 < quickly(main) < 11.0


@pytest.mark.parametrize("ends", [0.0, 1.0])
def test_half_a_line_is_none_if_it_is_closed_while_lines_still_come(ends: float) -> None:
    """It ended before, or is given up while its last lines are waited for."""

    async def main(process: SshProcess, _: Channel) -> None:
        asyncio.get_running_loop().call_later(ends, process.exit_status_received, 0)
        await asyncio.sleep(0)
        prints(process, {0.5: b"line\n", ends + 0.9: b"line\nSent 12"})
        await process.close()
        process.connection_lost(None)
        assert process.truncated and process.read_ready() == [b"line", b"line"]

    assert quickly(main) < 2.5


def test_a_last_line_without_an_end_is_one_if_nothing_follows_it() -> None:
    async def main(process: SshProcess, _: Channel) -> None:
        process.data_received(b"Sent 12", None)
        process.exit_status_received(0)
        await process.wait()
        assert process.read_ready() == [b"Sent 12"] and not process.truncated

    assert quickly(main) < 2.0
