"""An experiment as a command: what it prints, how it ends, how signals end it, and how it goes on."""

import asyncio
import json
import signal
from pathlib import Path

from experimental import DISPATCH
from forked_beside import Beside

from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.store import list_sessions

SCRIPT = Path(__file__).with_name("headless.py")
TEXT = """
name = "e"
[run]
blocks = 3
warmup = "200ms"
duration = "1200ms"
settle = "200ms"
[[factor]]
name = "dispatch"
levels = ["deferred", "direct"]
sysctl = { net.isr.dispatch = "{dispatch}" }
"""


async def start(lab: SimulatedLab, into: Path, *options: str) -> Beside:
    words = ["experiment", lab.folder / "experiment.toml", "--headless", "--into", into, *options]
    return await Beside.start(lab.folder, *words, program=SCRIPT)


async def test_an_aa_experiment_is_interrupted_and_resumed_to_its_end(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    (lab.folder / "experiment.toml").write_text(TEXT)
    into = tmp_path / "into"
    first = await start(lab, into, "--aa", "--json")
    async with asyncio.timeout(60):
        while json.loads(await first.stdout.readline())["what"] != "tools":
            pass
        first.send_signal(signal.SIGINT)
        out, err = await first.communicate()
    assert first.returncode == 130, err.decode()
    result = json.loads(out.splitlines()[-1])
    assert result["kind"] == "result" and not result["complete"] and result["problem"] == ""
    assert err.decode().splitlines()[-1] == "0 of 6 trials are done; continue with --resume"
    assert lab.world.senders == {}
    assert (lab.folder / "dut" / "sysctl" / DISPATCH).read_text() == "direct\n", "it is undone"

    second = await start(lab, into, "--aa", "--json", "--resume")
    async with asyncio.timeout(300):  # both together take 44 s, if nobody else computes
        out, err = await second.communicate()
    assert second.returncode == 0, err.decode()
    assert err.decode().splitlines()[-1].startswith("Next: fwdtui ")
    *steps, result = map(json.loads, out.splitlines())
    assert {one["kind"] for one in steps} == {"step"} and steps[0]["what"] == "resumed"
    judged = [one for one in steps if one["what"] == "judged"]  # "sound" is left out where it is not
    why = [one.get("text", "") for one in judged if not one.get("sound")]
    assert [one["trial"] for one in judged if one.get("sound")] == [1, 2, 3, 4, 5, 6], why
    assert result["complete"] and [cell["done"] for cell in result["cells"]] == [3, 3]
    assert result["floor"]["low"] < result["floor"]["high"] and result["floor"]["provable"] > 0
    told = err.decode()
    assert "or more can be proved here" in told and "faster" not in told and "slower" not in told
    (session,) = list_sessions(into)
    assert [case.name for case in session.cases] == ["dispatch=deferred A", "dispatch=deferred B"]
    assert [dict(case.factors)["aa"] for case in session.cases] == ["A", "B"]


TWICE = """
name = "e"
[run]
blocks = 1
warmup = "200ms"
duration = "1200ms"
settle = "200ms"
[[factor]]
name = "mark"
[[factor.levels]]
value = "set"
apply = { run = "touch $HOME/mark", host = "gen" }
undo = { run = "rm $HOME/mark && sleep 5", host = "gen" }
[[factor.levels]]
value = "none"
"""


async def test_what_may_be_set_on_a_host_is_told_by_the_exit_status_though_every_trial_is_done(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """It was killed between a command that cannot run twice and the note that it had run."""
    (lab.folder / "experiment.toml").write_text(TWICE)
    mark, into = lab.folder / "gen" / "home" / "mark", tmp_path / "into"
    first = await start(lab, into, "--json")
    async with asyncio.timeout(120):
        while json.loads(await first.stdout.readline())["what"] != "undo":
            pass
        while mark.exists():  # noqa: ASYNC110 - another process removes it
            await asyncio.sleep(0.02)
    first.kill()
    await first.communicate()

    for status, told in ((1, ["mark=set"]), (0, [])):  # another run finds nothing left to do, or to undo
        again = await start(lab, into, "--json", "--resume")
        async with asyncio.timeout(120):
            out, err = await again.communicate()
        result = json.loads(out.splitlines()[-1])
        assert result["complete"] and result["problem"] == "", err.decode()
        assert (again.returncode, result["in_doubt"]) == (status, told)
        assert ("in doubt whether undone: mark=set; check the hosts" in err.decode()) == bool(told)
