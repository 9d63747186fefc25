"""`fwdtui run` and `fwdtui live` into a disk that fills up during a blast, on the simulated lab."""

import asyncio
import json
import signal
from pathlib import Path

from forked_beside import Beside
from small_disk import SmallDisk

from fwdtui.store import read_session


class Command:
    """A headless command whose standard error is followed line by line."""

    def __init__(self, process: Beside) -> None:
        self.process = process
        self.said: list[str] = []

    @classmethod
    async def start(cls, *arguments: str) -> "Command":
        return cls(await Beside.start(*arguments))

    async def until(self, words: str, seconds: float = 90.0) -> str:
        """The next line that holds these words."""
        async with asyncio.timeout(seconds):
            while line := (await self.process.stderr.readline()).decode():
                self.said.append(line.strip())
                if words in line:
                    return line.strip()
        raise AssertionError(f"it never said {words!r}: {self.said}")

    async def end(self) -> tuple[int, str]:
        """Status and standard output."""
        async with asyncio.timeout(120):
            out, errors = await self.process.communicate()
        self.said += errors.decode().splitlines()
        assert self.process.returncode is not None
        return self.process.returncode, out.decode()

    async def aclose(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


def run(lab_toml: Path, disk: SmallDisk, *more: str) -> tuple[str, ...]:
    return ("run", str(lab_toml), "--into", str(disk.folder), "--session", "s", "--case", "c", *more)


async def test_a_run_pauses_while_the_disk_is_full_and_goes_on_when_it_is_not(lab_toml, small_disk):
    command = await Command.start(*run(lab_toml, small_disk, "--headless"))
    try:
        await command.until("pkt-gen -N -f tx")
        small_disk.fill()
        told = await command.until("not everything is saved")
        assert f"{small_disk.folder}/s: No space left on device" in told
        await command.until("paused: ")
        assert not any(line.startswith("iteration 1:") for line in command.said)
        assert not (small_disk.folder / "s/c/001").exists()
        small_disk.empty()
        await command.until("can be written again; what had waited is saved")
        await command.until("iteration 2 of 2: starting the generator")
        status, out = await command.end()
    finally:
        await command.aclose()
    assert status == 0, command.said
    (session,) = json.loads(out)
    # a busy machine may starve a blast, which is then repeated
    assert sum(one["value"] is not None for one in session["cases"][0]["iterations"]) == 2
    assert read_session(small_disk.folder / "s", verify=True).problems == ()


async def test_a_paused_run_starts_no_generator_and_ends_with_an_error(lab_toml, small_disk):
    command = await Command.start(*run(lab_toml, small_disk, "--headless"))
    try:
        await command.until("pkt-gen -N -f tx")
        small_disk.fill()
        await command.until("paused: ")
        await asyncio.sleep(1.5)  # three times settle: it would have started by now
        command.process.send_signal(signal.SIGTERM)
        status, _ = await command.end()
    finally:
        await command.aclose()
    assert status == 128 + signal.SIGTERM
    assert "iteration 2 of 2: starting the generator" not in command.said
    assert command.said[-1].startswith(f"{small_disk.folder}/s: No space left on device: not everything is")
    assert "not saved: an iteration of " in command.said[-1]


async def test_watching_tells_what_is_not_saved_by_its_status(lab_toml, small_disk):
    arguments = ("live", str(lab_toml), "--into", str(small_disk.folder), "--session", "s", "--headless")
    command = await Command.start(*arguments, "--for", "6s")
    try:
        await command.until("recording ")
        small_disk.fill()
        await command.until("not everything is saved")
        status, _ = await command.end()
    finally:
        await command.aclose()
    assert status == 1
    assert "samples of the recording" in command.said[-1]


async def test_a_session_that_is_renamed_while_it_is_recorded_is_printed_from_where_it_is(lab_toml, tmp_path):
    into = tmp_path / "sessions"
    arguments = ("live", str(lab_toml), "--into", str(into), "--session", "s", "--headless", "--for", "6s")
    command = await Command.start(*arguments)
    try:
        await command.until("recording ")
        (into / "s").rename(into / "elsewhere")
        await command.until(f"{into}/s was renamed; recording goes on in {into}/elsewhere")
        status, out = await command.end()
    finally:
        await command.aclose()
    assert status == 0, command.said
    assert [one["path"] for one in json.loads(out)] == [f"{into}/elsewhere"]
