"""The reader of kernel messages beside the sampler, with every awk; a FIFO is its /dev/kmsg."""

import os
import select
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from collectors_helpers import AWKS, Lab, awk_path, environment

from fwdtui.collectors import linux_messages, linux_script
from fwdtui.collectors.base import Followed
from fwdtui.collectors.linux_messages import last_time, said

pytestmark = pytest.mark.skipif(not Path("/proc/net/dev").exists(), reason="needs Linux's /proc")


class Reader:
    """A sampler whose reader follows `kmsg`, told that all up to 5 s after the boot is known."""

    def __init__(self, path: str, kmsg: Path) -> None:
        self._kmsg = os.open(kmsg, os.O_RDWR) if kmsg.is_fifo() else -1
        self._reading, writing = os.pipe2(os.O_DIRECT)  # a read gives what one write wrote
        self.process = subprocess.Popen(
            ["sh", "-c", linux_script.script(("lo",), "TOKEN", 1.0, kmsg=str(kmsg))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=writing,
            env=environment(path),
            bufsize=0,
        )
        os.close(writing)
        self.write("K 5000000\n")

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())

    def log(self, *records: str) -> None:
        """A write each, as the kernel gives a record per read."""
        for record in records:
            os.write(self._kmsg, record.encode() + b"\n")

    def overrun(self) -> None:
        """The file ends, as it does for `cat` when records were overwritten unread."""
        os.close(self._kmsg)
        self._kmsg = -1

    def told(self) -> Followed:
        """The next line, in one write: the shell says on the same stderr that something was killed."""
        ready = select.select([self._reading], [], [], 10)[0]
        data = os.read(self._reading, 65536) if ready else b""
        assert data, "nothing in time"
        line, end, rest = data.partition(b"\n")
        assert (end, rest) == (b"\n", b"")
        found = said(line, "TOKEN")
        assert found is not None, line
        return found

    def end(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            return self.process.wait(5)
        finally:
            self.process.kill()
            if self._reading >= 0:
                os.close(self._reading)
                self._reading = -1
            if self._kmsg >= 0:
                self.overrun()


@pytest.fixture(params=sorted(AWKS))
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Reader]]:
    """A function that begins to read a file of this name."""
    path = awk_path(request.param, tmp_path / "bin")
    if path is None:
        pytest.skip(f"needs the Debian package {request.param}")
    os.mkfifo(tmp_path / "kmsg")
    readers: list[Reader] = []

    def begin(name: str) -> Reader:
        readers.append(Reader(path, tmp_path / name))
        return readers[-1]

    yield begin
    for reader in readers:
        reader.end()


def test_what_came_after_the_last_reading_is_told_with_the_kernels_time(read) -> None:
    reader = read("kmsg")
    reader.log("6,11,4000000,-;old", "6,12,5000000,-;the last one that was read", "6,13,5000000,-;with it")
    # records of several processors are not in the order of their times
    reader.log("6,14,4999999,-;new", "4,15,6250000,-;eth0: a; b, c", " SUBSYSTEM=net", " DEVICE=+pci:1")
    assert reader.told() == Followed("new", when=4.999999)
    assert reader.told() == Followed("eth0: a; b, c", when=6.25)
    assert reader.end() == 0


def test_a_flood_is_twenty_messages_a_second_and_how_many_more(read) -> None:
    reader = read("kmsg")
    reader.log(*(f"6,{seq},{7_000_000 + seq},-;flood {seq}" for seq in range(100)))
    assert [reader.told().text for _ in range(20)] == [f"flood {seq}" for seq in range(20)]
    assert "more than 20" in reader.told().text  # at once: perhaps nothing comes for a long time
    reader.log("6,100,8000000,-;after it")
    assert reader.told() == Followed("after it", when=8.0, left=80)


def test_records_that_were_overwritten_unread_are_counted(read) -> None:
    reader = read("kmsg")
    reader.log("6,11,6000000,-;one", "6,20,6000001,-;and one")
    assert (reader.told().left, reader.told().left) == (0, 8)


def test_it_ends_with_the_file_and_says_so(read) -> None:
    reader = read("kmsg")
    reader.log("6,11,6000000,-;one")
    assert reader.told().text == "one"
    reader.overrun()
    assert reader.told().ended
    assert reader.process.poll() is None


def test_a_file_that_cannot_be_read_is_the_reason(read) -> None:
    told = read("nowhere").told()
    assert told.ended and "nowhere" in told.text


def test_it_ends_with_the_sampler_however_that_ends(read) -> None:
    reader = read("kmsg")
    reader.log("6,11,6000000,-;one")
    assert reader.told().text == "one"
    reader.process.kill()
    assert reader.told().ended


def test_the_last_time_is_that_of_the_newest_line() -> None:
    assert last_time("[    1.000001] a\n[12345.678901] b\n") == 12_345_678_901
    assert last_time("<6>[    0.000000] busybox's\n") == 0
    assert last_time("[12345.678901] b\nno times\n") is None
    assert last_time("") is None


@pytest.mark.parametrize("rest", [b"", b"0", b"1 2", b"x 1 text", b"9" * 40 + b" 1 x", b"\xff\x00\x1b[2J"])
def test_any_line_of_its_own_is_understood_somehow(rest: bytes) -> None:
    assert said(b"@TOKEN K " + rest, "TOKEN") is not None
    assert said(b"@OTHER K " + rest, "TOKEN") is None


def log(text: str) -> None:
    """As a driver would say it."""
    Path(linux_messages.KMSG).write_text(f"<6>{text}\n")


async def test_a_kernel_message_is_an_event_as_it_comes_and_no_program_is_started_for_it(labs) -> None:
    if not os.access(linux_messages.KMSG, os.W_OK) or not shutil.which("dmesg"):
        pytest.skip("needs root, and dmesg")
    lab: Lab = labs("lo")
    await lab.until(lambda: len(lab.plain) >= 5)
    for turn in range(2):
        word = f"fwdtui: a test of kernel messages, {os.getpid()}, {turn}"
        log(word)
        await lab.until(lambda word=word: any(event.text == word for event in lab.messages), 5.0)
    # a sampler that is started again has read them already
    (pid,) = lab.samplers()
    os.kill(pid, 9)
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) > known + 10)
    texts = [event.text for event in lab.messages if f"{os.getpid()}, " in event.text]
    assert len(texts) == 2
    (event,) = [event for event in lab.messages if event.text == texts[-1]]
    assert abs(event.at - lab.plain[known - 1].at) < 5
