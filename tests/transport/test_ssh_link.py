"""A connection over time: stalls, losses, returns, and a quick end."""

import asyncio
import contextlib
import itertools
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import asyncssh
import pytest
from transport_helpers import generate_key, until
from transport_sshd import Sshd

from fwdtui.transport.base import HostState, Phase
from fwdtui.transport.errors import (
    ChangedHostKey,
    LedElsewhere,
    RemoteShellFailed,
    TimedOut,
    UnknownHostKey,
    Unreachable,
)
from fwdtui.transport.known_hosts import accept
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshHost, SshPool

Pools = Callable[[SshSettings], SshPool]


def record(host: SshHost) -> list[HostState]:
    """The states a host goes through from now on."""
    states: list[HostState] = []
    host.on_state(states.append)
    return states


@contextlib.contextmanager
def stopped(sshd: Sshd):
    """The server processes of the live connections stand still: the link is half open."""
    pids = sshd.sessions()
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


async def test_a_host_says_what_it_is_doing(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings()).open("dut", "dut")
    assert host.state.phase is Phase.IDLE
    states = record(host)
    host.keep_connected()
    await until(lambda: host.state.phase is Phase.UP)
    await asyncio.sleep(0)
    assert [state.phase for state in states] == [Phase.CONNECTING, Phase.UP]
    forget = host.on_state(lambda state: states.clear())
    forget()
    forget()


async def test_a_peer_that_stands_still_is_stale_and_then_lost_within_the_keepalive_bound(
    sshd: Sshd, pools: Pools
) -> None:
    settings = sshd.settings(keepalive_interval=0.5, keepalive_count=2, beat=0.1, stale_after=0.4)
    host = await pools(settings).open("dut", "dut")
    states = record(host)
    process = await host.start("while :; do echo x; sleep 0.05; done")
    assert await process.readline() == b"x"
    with stopped(sshd):
        began = time.monotonic()
        async with asyncio.timeout(10):
            ended = await process.wait()
        seconds = time.monotonic() - began
    assert 1.0 < seconds < 0.5 * 3 + 1.5  # the second half: other tests may have the processor
    assert ended.lost and "no answer to keepalives" in ended.reason
    await until(lambda: states[-1].phase is Phase.UP)
    phases = [state.phase for state in states]
    assert phases[:2] == [Phase.CONNECTING, Phase.UP]
    gone = phases.index(Phase.LOST)
    # a busy machine can stall for longer than `stale_after` itself: stale, and up again
    assert phases[2] is Phase.STALE and set(phases[2:gone]) <= {Phase.STALE, Phase.UP}
    assert phases[-1] is Phase.UP
    lost = states[gone]
    assert lost.retry_at is not None and "keepalives" in lost.reason


async def test_a_stall_of_three_seconds_loses_no_line_and_the_late_ones_come_in_a_burst(
    sshd: Sshd, pools: Pools
) -> None:
    host = await pools(sshd.settings(beat=0.2, stale_after=1.0)).open("dut", "dut")
    states = record(host)
    process = await host.start("i=0; while [ $i -lt 75 ]; do i=$((i+1)); echo $i; sleep 0.05; done")
    arrivals: list[float] = []
    numbers: list[int] = []

    async def read() -> None:
        async for line in process:
            numbers.append(int(line))
            arrivals.append(time.monotonic())

    reader = asyncio.create_task(read())
    await until(lambda: len(numbers) > 5)
    with stopped(sshd):
        await asyncio.sleep(3)
        assert host.state.phase is Phase.STALE
    async with asyncio.timeout(10):
        await reader
    assert numbers == list(range(1, 76))
    gaps = [later - earlier for earlier, later in itertools.pairwise(arrivals)]
    assert max(gaps) > 2.5
    after = gaps.index(max(gaps)) + 1
    assert arrivals[after + 20] - arrivals[after] < 0.5  # a second's worth of lines, at once
    await until(lambda: states[-1].phase is Phase.UP)
    phases = [state.phase for state in states]
    assert phases == [Phase.CONNECTING, Phase.UP, Phase.STALE, Phase.UP]


async def test_a_silent_program_is_not_a_stalled_link(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings(beat=0.1, stale_after=2.0)).open("dut", "dut")
    process = await host.start("sleep 60")
    states = record(host)
    await asyncio.sleep(3)
    assert states == []
    assert process.stderr == b""  # the answers to heartbeats are not the program's


async def test_a_host_comes_back_after_its_sshd_was_restarted(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings()).open("dut", "dut")
    process = await host.start("echo up; sleep 60")
    assert await process.readline() == b"up"
    states = record(host)
    sshd.stop()
    await until(lambda: host.state.phase is Phase.LOST)
    assert (await process.wait()).lost
    await until(lambda: "connection refused" in str(host.state.error))
    since = host.state.since
    # in the next attempt the cause is still that of the last one, however little time there is
    await until(lambda: host.state.phase is Phase.CONNECTING)
    with pytest.raises(Unreachable, match="connection refused"):
        await host.run("echo in", timeout=0)
    with pytest.raises(Unreachable, match="connection refused"):
        await host.run("echo in", timeout=0.3)
    assert host.state.since == since  # a failed try does not make the outage younger
    sshd.start()
    assert (await host.run("echo back", timeout=5)).stdout == b"back\n"
    assert [s.phase for s in states if s.phase in (Phase.UP, Phase.FAILED)] == [Phase.UP]


async def test_tries_become_rarer_up_to_the_maximum(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings(backoff_first=0.05, backoff_max=0.2)).open("dut", "dut")
    sshd.stop()
    pauses: list[float] = []
    host.on_state(lambda s: pauses.append(s.retry_at - time.monotonic()) if s.retry_at else None)
    host.keep_connected()
    await until(lambda: len(pauses) >= 5)
    for pause, planned in zip(pauses, (0.05, 0.1, 0.2, 0.2, 0.2), strict=False):
        # up to a fifth of jitter; the loop may take a moment before it tells us
        assert 0.8 * planned - 0.04 < pause <= 1.2 * planned


async def test_they_are_not_rarer_after_a_connection_that_has_lasted(sshd: Sshd, pools: Pools) -> None:
    """As between two reboots of an experiment: each outage begins with a short pause."""
    host = await pools(sshd.settings(backoff_first=0.2, backoff_max=30)).open("dut", "dut")
    pauses: list[float] = []
    every: list[float] = []
    up = False

    def heed(state: HostState) -> None:
        nonlocal up
        if state.retry_at is not None:
            every.append(state.retry_at - time.monotonic())
        if up and state.retry_at is not None:
            pauses.append(state.retry_at - time.monotonic())
        up = state.phase in (Phase.UP, Phase.STALE)

    host.on_state(heed)
    host.keep_connected()
    for outage in range(1, 4):
        await until(lambda: host.state.phase is Phase.UP)
        await asyncio.sleep(0.6)
        every.clear()
        sshd.stop()
        await until(lambda outage=outage: len(pauses) == outage)
        await until(lambda: max(every) > 0.6)  # a boot takes longer than the next connection will last
        sshd.start()
    assert max(pauses) <= 1.2 * 0.2, pauses


async def test_asking_for_a_connection_cuts_the_pause_short(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings(backoff_first=30, backoff_max=30)).open("dut", "dut")
    sshd.stop()
    host.keep_connected()
    await until(lambda: host.state.retry_at is not None)
    first = host.state.retry_at
    host.keep_connected()
    await until(lambda: host.state.retry_at not in (None, first), seconds=10.0)
    with pytest.raises(Unreachable):
        await host.connect()
    await until(lambda: host.state.retry_at is not None)
    sshd.start()
    async with asyncio.timeout(3):
        await host.connect()
    assert host.state.phase is Phase.UP


async def test_a_key_that_changes_during_an_outage_ends_the_tries(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings()).open("dut", "dut")
    await host.connect()
    sshd.stop()
    (sshd.folder / "host_key").unlink()
    generate_key(sshd.folder / "host_key")
    sshd.start()
    await until(lambda: host.state.phase is Phase.FAILED)
    attempts = (sshd.folder / "sshd.log").read_text().count("Connection closed by 127.0.0.1")
    assert isinstance(host.state.error, ChangedHostKey)
    with pytest.raises(ChangedHostKey):
        await host.run("echo in")
    await asyncio.sleep(0.6)
    assert (sshd.folder / "sshd.log").read_text().count("Connection closed by 127.0.0.1") == attempts


async def test_a_destination_stays_the_machine_that_it_was_when_it_was_opened(
    make_sshd: Callable[..., Sshd], pools: Pools
) -> None:
    """A user who edits ssh_config meanwhile: another machine would get the commands for this one."""
    dut, other = make_sshd(), make_sshd()
    dut.known_hosts.write_text(dut.known_hosts.read_text() + other.known_hosts.read_text())
    pool, before = pools(dut.settings()), dut.config.read_text()
    host = await pool.open("dut", "dut")
    await host.connect()
    dut.config.write_text(before.replace(str(dut.port), str(other.port)))
    assert (await (await pool.open("dut", "dut")).run("echo $HOME")).stdout.decode() == f"{dut.home}\n"
    dut.signal_sessions(signal.SIGKILL)
    await until(lambda: isinstance(host.state.error, LedElsewhere))
    with pytest.raises(LedElsewhere, match="another machine"):
        await host.run("echo $HOME", timeout=0.2)
    dut.config.write_text(before)
    assert (await host.run("echo $HOME")).stdout.decode() == f"{dut.home}\n"


async def test_a_failed_host_goes_on_when_the_user_has_answered(sshd: Sshd, pools: Pools) -> None:
    sshd.known_hosts.write_text("")
    settings = sshd.settings()
    host = await pools(settings).open("dut", "dut")
    host.keep_connected()
    await until(lambda: host.state.phase is Phase.FAILED)
    assert isinstance(host.state.error, UnknownHostKey)
    accept(host.state.error, settings.accepted_file)
    host.keep_connected()
    await until(lambda: host.state.phase is Phase.UP)


async def test_a_stalled_login_is_told_from_a_stalled_network(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings(login_timeout=0.5)).open("dut", "dut")
    os.kill(sshd.pid, signal.SIGSTOP)
    try:
        with pytest.raises(TimedOut, match="sent no SSH greeting"):
            await host.connect()
    finally:
        os.kill(sshd.pid, signal.SIGCONT)


async def test_closing_is_quick_even_when_the_peer_stands_still(sshd: Sshd, pools: Pools) -> None:
    pool = pools(sshd.settings())
    host = await pool.open("dut", "dut")
    process = await host.start("yes")
    waiting = asyncio.create_task(host.run("sleep 60"))
    await asyncio.sleep(0.2)
    with stopped(sshd):
        began = time.monotonic()
        await pool.aclose()
        assert time.monotonic() - began < 1
        assert host.state.phase is Phase.CLOSED
        with pytest.raises(Unreachable):
            await waiting
        assert (await process.wait()).lost
        await pool.aclose()
        with pytest.raises(Unreachable, match="closed"):
            await host.run("echo in")
    await until(lambda: not sshd.sessions())


async def test_closing_in_the_middle_of_everything_leaves_no_task_and_no_session(
    sshd: Sshd, pools: Pools
) -> None:
    for pause in (0.0, 0.01, 0.03, 0.06, 0.1):
        pool = pools(sshd.settings())
        host = await pool.open("dut", "dut")
        calls = [asyncio.create_task(host.run("sleep 60")) for _ in range(3)]
        calls.append(asyncio.create_task(host.start("sleep 60")))
        await asyncio.sleep(pause)
        await pool.aclose()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(r, Unreachable) for r in results[:3]), results
    await until(lambda: not sshd.sessions())
    await until(lambda: len(asyncio.all_tasks()) == 1)


@pytest.mark.parametrize(
    ("status", "closes", "error"),
    [
        pytest.param(None, "connection", Unreachable, id="its connection was lost"),
        pytest.param(0, "channel", RemoteShellFailed, id="its login shell had ended"),
        pytest.param(0, "pool", Unreachable, id="we closed it, which ended the login shell"),
        pytest.param(
            None, "pool, answers nothing", Unreachable, id="we closed it, and its request was stuck"
        ),
    ],
)
async def test_a_channel_that_ends_as_its_request_is_answered_says_why(
    sshd: Sshd,
    pools: Pools,
    monkeypatch: pytest.MonkeyPatch,
    status: int | None,
    closes: str,
    error: type[Exception],
) -> None:
    """asyncssh then goes on with a session that is not there any more."""
    pool = pools(sshd.settings())
    host = await pool.open("dut", "dut")
    await host.connect()
    channels = asyncssh.SSHClientChannel
    closing: list[asyncio.Task[None]] = []
    request = channels._make_request

    async def answered(channel: Any, name: bytes, *more: bytes) -> bool | None:
        result = await request(channel, name, *more)
        if name == b"exec":
            if status is not None:
                channel._session.exit_status_received(status)
            if closes.startswith("pool"):
                closing.append(asyncio.create_task(pool.aclose()))
            elif closes == "connection":
                channel.get_connection().abort()
            else:
                channel.abort()
            if closes == "pool, answers nothing":
                await asyncio.sleep(60)
            while channel._session is not None:  # noqa: ASYNC110 - before anybody else acts
                await asyncio.sleep(0)
        return result

    monkeypatch.setattr(channels, "_make_request", answered)
    with pytest.raises(error):
        await host.run("echo in")
    for task in closing:
        await task


async def test_lines_for_a_stalled_peer_are_refused_rather_than_piled_up(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings(beat=0.001, stale_after=60, keepalive_interval=60)).open("dut", "dut")
    process = await host.start("sleep 60", stdin=True)
    with stopped(sshd):
        sent = 0
        for _ in range(200):
            sent += process.send(b"x" * 60_000)
            await asyncio.sleep(0.001)
    assert sent < 100  # refused once the window is full
