"""`fwdtui run --profile`: a profile of the DUT in a blast of its own, after the iterations."""

import asyncio
import json

from kernel_lab_use import fwdtui

from fwdtui.store import read_session

RATE = 600_000


async def test_a_run_takes_one_after_its_iterations(lab_toml, tmp_path):
    into = ("--into", tmp_path, "--session", "s", "--case", "c")
    words = ("run", lab_toml, "--headless", "-n", "1", *into, "--profile", RATE)
    done = await asyncio.to_thread(fwdtui, *words)  # the lab is of this process
    assert done.status == 0, done.err
    ((case,),) = (one["cases"] for one in json.loads(done.out))
    # others have none: the profiles, and a blast that a busy machine starved, which is repeated
    (first,) = (one["value"] for one in case["iterations"] if one["value"] is not None)
    assert first > 2 * RATE, "the iteration before it is of lab.toml's own load"
    assert case["iterations"][-1]["value"] is None
    *_, last = read_session(tmp_path / "s").cases[0].iterations
    assert last.profile.rejected == "" and last.metrics["offered"].median < 1.05 * RATE
