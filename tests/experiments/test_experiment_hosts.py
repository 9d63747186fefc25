"""Files, links and commands of the hosts of an experiment."""

import asyncio
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from experimental import LAB, at_step, done, plan_of, sysctl

from fwdtui.core.experiment import (
    Action,
    Check,
    Upload,
)
from fwdtui.core.model import EventSample
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.actions import Hands, Interrupted, StepFailed, cksum
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.transport.base import Completed
from fwdtui.transport.errors import TimedOut

# files


@pytest.mark.parametrize("data", [b"", b"a", b"123456789", bytes(range(256)) * 300])
def test_the_checksum_is_that_of_cksum(data: bytes) -> None:
    told = subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout.decode()
    assert told.split() == [str(cksum(data)), str(len(data))]


class Shell:
    """A host that is this machine's /bin/sh. `path`: where it looks for programs."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.scripts: list[str] = []

    async def run(self, script: str, **_: Any) -> Completed:
        self.scripts.append(script)
        pipe = subprocess.PIPE
        done = await asyncio.create_subprocess_exec(
            "/bin/sh", stdin=pipe, stdout=pipe, stderr=pipe, env={"PATH": self.path}
        )
        out, err = await done.communicate(script.encode())
        assert done.returncode is not None
        if done.returncode < 0:
            return Completed(out, err, 128 - done.returncode)  # the shells around it say so
        return Completed(out, err, done.returncode)


@pytest.mark.parametrize("with_base64", [True, False])
async def test_a_file_of_several_pieces_arrives_by_base64_and_without_it_by_octal_escapes(
    with_base64: bool, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("cut", "mv", "sha256sum", *["base64"] * with_base64):
        where = shutil.which(name)
        assert where is not None
        (programs / name).symlink_to(where)
    shell = Shell(str(programs))

    async def host(name: str) -> Any:
        return shell

    data = bytes(range(256)) * 500 + b"%s'\\\n."
    target = tmp_path / "a file's copy"
    target.write_bytes(b"the one before")
    hands = Hands(host, asyncio.Event())
    await hands.upload(Upload("dut", "rules", str(target)), data)
    assert target.read_bytes() == data
    sent = [one for one in shell.scripts if one.startswith("base64" if with_base64 else "printf")]
    assert len(sent) == (3 if with_base64 else 8), "pieces of 60 000 and of 18 000 bytes"
    assert not Path(f"{target}.fwdtui-part").exists()  # noqa: ASYNC240
    shell.scripts.clear()
    await hands.upload(Upload("dut", "rules", str(target)), data)
    assert len(shell.scripts) == 1, "it is there already"


async def test_a_folder_is_no_target_of_an_upload(tmp_path: Path) -> None:
    """As cp or scp have it: mv would put the file into the folder, under the name of the partial one."""
    shell = Shell("/usr/bin:/bin")

    async def host(name: str) -> Any:
        return shell

    hands, upload = Hands(host, asyncio.Event()), Upload("dut", "rules/a.conf", str(tmp_path))
    with pytest.raises(StepFailed) as refused:
        await hands.check_target(upload)
    assert str(refused.value) == (
        f"dut: {tmp_path} is a folder; `upload` needs the path of the file: {tmp_path}/a.conf"
    )
    with pytest.raises(StepFailed):  # it has become one since
        await hands.upload(upload, b"a rule")
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240
    await hands.check_target(Upload("dut", "rules/a.conf", f"{tmp_path}/a.conf"))


async def test_of_an_upload_that_was_broken_off_nothing_is_left(tmp_path: Path) -> None:
    """Where the host did not answer then, the next one removes it, or the end does."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("cut", "rm", "sha256sum", "base64"):  # without mv: it fails at its end
        where = shutil.which(name)
        assert where is not None
        (programs / name).symlink_to(where)

    class Away(Shell):
        away = False

        async def run(self, script: str, **more: Any) -> Completed:
            if self.away and script.startswith("rm") and ";" not in script:
                raise TimedOut("dut", "no answer")
            return await super().run(script, **more)

    shell = Away(str(programs))

    async def host(name: str) -> Any:
        return shell

    target, part = tmp_path / "its copy", tmp_path / "its copy.fwdtui-part"
    hands, upload = Hands(host, asyncio.Event()), Upload("dut", "rules", str(target))
    target.write_bytes(b"the one before")
    with pytest.raises(StepFailed, match="mv"):
        await hands.upload(upload, b"the next one")
    assert target.read_bytes() == b"the one before" and not part.exists()
    shell.away = True
    with pytest.raises(StepFailed, match="mv"):
        await hands.upload(upload, b"the next one")
    assert part.exists()
    await hands.tidy({"dut"})
    assert part.exists(), "it is not asked"
    shell.away = False
    await hands.tidy()
    assert not part.exists()
    part.write_bytes(b"the on")
    await hands.upload(upload, b"the one before")
    assert not part.exists()


# checks


@pytest.mark.parametrize(
    ("run", "holds"),
    [
        ("no-such-program", False),
        ("/dev/null", False),
        ("kill -9 $$", False),
        ("sh -c 'kill -SEGV $$'", False),
        ("false", True),  # grep, which finds nothing
        ("true", True),
    ],
)
async def test_a_check_that_expects_no_output_does_not_hold_if_its_command_cannot_run(
    run: str, holds: bool
) -> None:
    shell = Shell("/usr/bin:/bin")

    async def host(name: str) -> Any:
        return shell

    told = await Hands(host, asyncio.Event()).differs(Check("dut", run, ""))
    assert (not told) == holds, told
    assert holds or told.startswith(f"dut: {run!r} ")


@pytest.mark.parametrize(
    ("run", "refuted"),
    [
        ("echo stock", True),
        ("false", True),
        ("echo patched", False),
        ("no-such-program", False),
        ("echo stock; /dev/null", False),
        ("echo pat; kill -9 $$", False),
    ],
)
async def test_a_check_refutes_what_it_expects_only_by_an_answer(run: str, refuted: bool) -> None:
    shell = Shell("/usr/bin:/bin")

    async def host(name: str) -> Any:
        return shell

    assert await Hands(host, asyncio.Event()).refutes(Check("dut", run, "patched")) == refuted


# links


def test_links_are_down_until_they_are_up_again_or_their_host_has_booted() -> None:
    links = Links(LAB)

    def heard(*events: tuple[str, str, str]) -> str:
        for code, host, text in events:
            links(EventSample(1.0, code, text, host))
        return links.text

    assert heard(("link-down", "dut", "mgmt0: link is down")) == "", "not of the test path"
    assert heard(("link-down", "dut", "d0: link is down")) == "dut: the link of d0 is down"
    assert heard(("link-up", "dut", "d0: link is up")) == ""
    assert heard(("link-down", "dut", "d1: link is down"), ("link-down", "sink", "s0: link is down")) == (
        "dut: the link of d1 is down; sink: the link of s0 is down"
    )
    assert heard(("reboot", "dut", "the host was rebooted")) == "sink: the link of s0 is down"


# commands that leave something


async def test_a_command_that_leaves_a_program_in_the_background_has_failed() -> None:
    shell = Shell("/usr/bin:/bin")

    async def host(name: str) -> Any:
        return shell

    hands = Hands(host, asyncio.Event())
    assert await hands.act(Action("dut", "echo out; echo err >&2; exit 0")) == "out\nerr"
    with pytest.raises(StepFailed) as left:
        await hands.act(Action("dut", "sleep 3 >/dev/null 2>&1 &"))
    assert str(left.value) == (
        "dut: 'sleep 3 >/dev/null 2>&1 &' left 1 program in the background, which ends with the command:"
        " use daemon(8) or `setsid -f`"
    )


# commands that hang


class Hanging:
    """A host on which every command runs for ever."""

    def __init__(self) -> None:
        self.ended = 0

    async def run(self, script: str, **more: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended += 1


async def test_a_stop_ends_what_runs_and_while_undoing_only_a_second_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fwdtui.monitor.experiment.actions._GRACE", 0.05)
    host, stop = Hanging(), asyncio.Event()

    async def open_host(name: str) -> Any:
        return host

    hands = Hands(open_host, stop)
    stop.set()
    with pytest.raises(Interrupted):
        await hands.act(Action("dut", "sleep 1000"))
    assert host.ended == 1
    hands.undoing = True
    undoing = asyncio.ensure_future(hands.act(Action("dut", "sleep 1000")))
    await asyncio.sleep(0.1)
    assert not undoing.done(), "it has its own time"
    hands.hurry.set()
    with pytest.raises(Interrupted):
        await undoing
    assert host.ended == 2


async def test_a_level_that_resets_a_card_is_followed_by_a_pause_and_the_link_is_waited_for(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """`ethtool -L` does, and XDP that is attached: it is the first blast that came too early."""
    phases: list[str] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        preparing = run._attempts._preparing
        port = f"{preparing._lab.dut.inputs[0]}: its link"
        host, enter = preparing._lab.dut.host, preparing._blasting._enter

        def entered(phase: str, seconds: float | None = None) -> None:
            phases.append(f"{phase}{' without a link' if preparing._links.down else ''}")
            if phase == "waiting for links":
                up = EventSample(0.0, "link-up", port, host)
                asyncio.get_running_loop().call_later(0.3, preparing._links, up)
            enter(phase, seconds)

        preparing._enter = preparing._blasting._enter = entered
        at_step(run, "level", lambda: preparing._links(EventSample(0.0, "link-down", port, host)))

    found = await done(lab.lab_toml, plan_of([sysctl("deferred")], (0,)), tmp_path / "into", during=during)
    assert found.complete and found.trials == {1: ["dispatch=deferred"]}, (found.view.problem, found.said)
    after = phases[phases.index("settle without a link") :]
    assert after[:4] == [
        "settle without a link",
        "waiting for links without a link",
        "settle",
        "starting the generator",
    ]
