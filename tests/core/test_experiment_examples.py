"""The experiments under examples/ are read, and the commands of the kernel lab's do what they say."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from fwdtui.core.experiment import tables
from fwdtui.core.experiment.cells import cells, lab_of
from fwdtui.core.experiment.file import parse
from fwdtui.core.experiment.order import cautions, plan
from fwdtui.core.lab import parse as parse_lab
from fwdtui.core.sent_frames import frame_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "experiments"
KERNEL_LAB = (
    '[generator]\nhost = "gen"\ninterface = "gen0"\ntool = "trafgen"\nstart = "send"\n'
    '[dut]\nhost = "dut"\nin = "dut0"\nout = "dut1"\n[receiver]\nhost = "sink"\ninterface = "sink0"\n'
)


def test_the_freebsd_example_measures_both_families_on_six_boots_of_each_variant():
    text = (EXAMPLES / "freebsd" / "experiment.toml").read_text()
    lab = parse_lab((EXAMPLES / "freebsd" / "lab.toml").read_text())
    found = parse(text, lab)
    made = plan(found)
    assert "Not run by us" in text.splitlines()[0]
    assert len(made.trials) == 24 and all(trial.boot for trial in made.trials) and cautions(made) == ()
    four, six = (lab_of(found, lab, cell) for cell in cells(found)[:2])
    for sent, frame in ((four, 64), (six, 66)):
        start = sent.generators[0].start or ""
        assert sent.frame == frame and f" -l {frame - 4} " in start and start.startswith("timeout -s INT 67 ")
        assert frame_of(" ".join(start.replace("\\\n", " ").replace("'", "").split())) in (frame, None)
        subprocess.run(["/bin/sh", "-n", "-c", start], check=True)


def test_the_example_of_the_documentation_is_read_and_names_every_key():
    document = (EXAMPLES.parents[1] / "docs" / "experiment-toml.md").read_text()
    text = document.partition("```toml\n")[2].partition("```")[0]
    found = parse(text, parse_lab((EXAMPLES / "freebsd" / "lab.toml").read_text()))
    assert [cell.name for cell in cells(found)] == ["tx_abdicate=0 rules=0", "tx_abdicate=0 rules=100"]
    known = (tables.Factor, tables.Traffic, tables.Run)
    known += (
        tables.Hook,
        tables.Abort,
        tables.Stop,
        tables.File,
    )
    for table in known:
        for field in msgspec.structs.fields(table):
            named = re.search(rf"(^|[`\[{{ ]){field.encode_name}(`|\]| =)", document, re.MULTILINE)
            assert named, f"{field.encode_name} of {table.__name__} is not documented"


def test_the_kernel_labs_example_adds_a_hundred_rules_verifies_and_removes_them():
    found = parse((EXAMPLES / "kernel-lab" / "experiment.toml").read_text(), parse_lab(KERNEL_LAB))
    assert [trial.cell for trial in plan(found).trials] == [0, 1, 1, 0] * 3
    nothing, hundred = found.factors[0].levels
    assert not nothing.apply and [one.host for one in hundred.apply] == ["dut"]
    if os.geteuid() or not shutil.which("nft") or not shutil.which("unshare"):
        pytest.skip("needs root, nftables and util-linux")
    check = hundred.verify[0]
    script = "\n".join(
        [hundred.apply[0].run, check.run, hundred.undo[0].run, "nft list ruleset", f"{check.run} || true"]
    )
    done = subprocess.run(["unshare", "-n", "sh", "-e", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [check.expect, "0"] and check.expect == "100"


def test_the_vm_labs_example_boots_each_variant_three_times_in_turns():
    found = parse((EXAMPLES / "vm-lab" / "experiment.toml").read_text(), parse_lab(KERNEL_LAB))
    made = plan(found)
    assert [trial.cell for trial in made.trials] == [0, 1, 1, 0, 0, 1]
    assert all(trial.boot for trial in made.trials)
    assert [one.code for one in cautions(made)] == ["odd-blocks"], "three take long enough on an emulator"
    for level, entry in zip(found.factors[0].levels, ("default", "bare"), strict=True):
        assert level.reboot and level.verify
        assert [one.run for one in (*level.apply, *level.undo)] == [
            f"boot-entry {entry}",
            "boot-entry default",
        ]
