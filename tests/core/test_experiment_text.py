"""The dry run: every step in order with its time, what each level does to which host, and what is weak."""

import json
import re

import msgspec
import pytest
from test_experiment_file import FULL, LAB, RULES, SMALL

from fwdtui.core.experiment.file import parse
from fwdtui.core.experiment.order import aa_plan, plan
from fwdtui.core.experiment.text import clock, dry_run, plain

TWO = (
    'name = "two"\n[run]\nblocks = 2\nwarmup = "2s"\nduration = "10s"\nsettle = "4s"\n'
    '[[factor]]\nname = "rules"\n'
    "levels = [0, { value = 100, apply = 'add', verify = { run = 'count', expect = 100 }, undo = 'del' }]\n"
)


def shown(text: str) -> str:
    return dry_run(plan(parse(text, LAB), "d1"), LAB)


def test_every_step_has_its_time_and_abba_leaves_a_level_only_when_it_has_to():
    steps = shown(TWO).partition("Steps: ")[2].partition("\n\nTotal")[0]
    rows = [line for line in steps.splitlines()[1:] if "check" not in line]
    assert rows == [
        "  iteration 1 of 4, block 1: rules=0",
        "    0:00:02  0:00:03  start    receiver and generator",
        "    0:00:05  0:00:02  warm-up",
        "    0:00:07  0:00:10  measure",
        "    0:00:17  0:00:05  drain    stop the generator, read the last counters",
        "  iteration 2 of 4, block 1: rules=100",
        "    0:00:24  0:00:01  enter    router: rules=100",
        "    0:00:25  0:00:01  verify   router: rules=100",
        "    0:00:26  0:00:04  settle",
        "    0:00:30  0:00:03  start    receiver and generator",
        "    0:00:33  0:00:02  warm-up",
        "    0:00:35  0:00:10  measure",
        "    0:00:45  0:00:05  drain    stop the generator, read the last counters",
        "    0:00:50  0:00:01  verify   router: rules=100",
        "  iteration 3 of 4, block 2: rules=100",
        "    0:00:53  0:00:01  verify   router: rules=100",
        "    0:00:54  0:00:04  settle",
        "    0:00:58  0:00:03  start    receiver and generator",
        "    0:01:01  0:00:02  warm-up",
        "    0:01:03  0:00:10  measure",
        "    0:01:13  0:00:05  drain    stop the generator, read the last counters",
        "    0:01:18  0:00:01  verify   router: rules=100",
        "  iteration 4 of 4, block 2: rules=0",
        "    0:01:21  0:00:01  leave    router: rules=100",
        "    0:01:22  0:00:04  settle",
        "    0:01:26  0:00:03  start    receiver and generator",
        "    0:01:29  0:00:02  warm-up",
        "    0:01:31  0:00:10  measure",
        "    0:01:41  0:00:05  drain    stop the generator, read the last counters",
    ]


def test_a_reboot_is_taken_for_as_long_as_the_file_says():
    text = TWO.replace("blocks = 2", 'boots = 2\nreboot_time = "7m"')
    found = plan(parse(text, LAB), "d1")
    assert "    0:00:02  0:07:00  reboot   until a new boot identity" in dry_run(found, LAB)
    assert "and 0:07:00 for each reboot (`reboot_time`)" in dry_run(found, LAB)


def test_what_a_hook_sets_on_the_dut_before_the_experiment_is_told_to_be_gone_after_the_first_boot():
    told = (
        "  The DUT reboots after the hooks that run before the experiment: only what survives the reboot "
        "stays in force."
    )
    hook = '[[hook]]\nwhen = "before"\naround = "experiment"\nrun = "sysctl x=1"\n'
    booted = TWO.replace("blocks = 2", "boots = 2")
    assert told in shown(booted + hook).splitlines()
    for text in (TWO + hook, booted + hook.replace("run", 'host = "sink"\nrun'), booted):
        assert told not in shown(text).splitlines()


def test_it_says_what_each_level_does_to_which_host_and_what_each_cell_starts():
    text = shown(FULL)
    for line in (
        "    apply     gen: echo ${HOME}",
        "    upload    router: rules-100.nft to /tmp/rules-100.nft",
        "    verify    router: nft list ruleset | grep -c drop prints '100'",
        "    keep      router: set -f; if old=$(sysctl -n dev.ix.0.iflib.tx_abdicate); then echo $old;"
        " else echo '(no such sysctl)'; fi",
        "  tx_abdicate=0 rules=0 traffic=udp4   (baseline)",
        "    gen       timeout 63 pkt-gen -4 -f tx -i ix0 -l 60 | awk '{ print }'",
        "    sink      pkt-gen -f rx -i ix1 # inet4",
        "    after     the experiment, on sink: dmesg",
        "The DUT reboots by: reboot",
    ):
        assert line in text.splitlines()
    assert "rules=0\n    nothing is run\n" in text


def test_totals_warnings_and_what_is_not_known_yet_are_at_the_end():
    *_, total, aa, few, boots = shown(TWO).splitlines()
    assert total.startswith("Total: 4 iterations, 0 reboots, 0:01:46 without repeated iterations")
    assert "--aa" in aa and few.startswith("! Fewer than 3 blocks") and "does not reboot" in boots
    assert few.endswith("Measure 6, the default, or more.")  # an odd number would be another weakness
    assert "! Sequential order" in shown(TWO.replace("[run]", '[run]\norder = "sequential"'))


@pytest.mark.parametrize(
    ("length", "frame", "doubt"),
    [
        ("{frame_size-4}", None, None),
        ("{frame_size}", None, "According to experiment.toml, the frames of gen have 64 bytes"),
        (None, 60, "According to lab.toml, the frames of gen have 60 bytes"),
        (None, 64, None),
    ],
)
def test_frames_that_are_not_as_long_as_is_said_are_told_before_the_experiment(length, frame, doubt):
    """Once for each traffic, also of many lengths: -l leaves out the FCS, which is easily forgotten."""
    generators = (msgspec.structs.replace(LAB.generators[0], frame=frame),)
    lab = msgspec.structs.replace(LAB, generators=generators)
    text = SMALL
    if length is not None:
        sent = f'[[traffic]]\nname = "udp"\ngenerator = "pkt-gen -f tx -i ix0 -l {length}"\n'
        text += f'{sent}[[factor]]\nname = "frame_size"\nlevels = [64, 128]\n'
    made = plan(parse(text, lab), "d1")
    told = [line for line in dry_run(made, lab).splitlines() if line.startswith(f"! {doubt} with their FCS")]
    codes = [one["code"] for one in msgspec.to_builtins(plain(made, lab))["warnings"]]
    assert (len(told), codes.count("doubtful-frame")) == ((1, 1) if doubt else (0, 0))


def test_control_characters_are_visible_and_no_command_can_forge_a_line():
    hostile = '"echo \\u001b[2K\\u202e\\nTotal: 0 iterations"'
    text = shown(RULES + f"levels = [0, {{ value = 1, apply = {hostile}, undo = {hostile} }}]\n")
    assert "\x1b" not in text and "\u202e" not in text and "echo \\x1b[2K\\u202e\n" in text
    assert "\n              | Total: 0 iterations\n" in text
    assert len(re.findall("^Total:", text, re.MULTILINE)) == 1
    hook = SMALL + '[[hook]]\nwhen = "after"\nrun = "a\\nTotal: 0"\n'
    assert len(re.findall("^Total:", shown(hook), re.MULTILINE)) == 1


def test_the_json_has_the_same_plan():
    made = plan(parse(FULL, LAB), "d1")
    found = json.loads(msgspec.json.encode(plain(made, LAB)))
    assert (found["schema"], found["digest"], found["iterations"], found["boots"]) == (1, "d1", 64, 32)
    assert [trial["cell"] for trial in found["trials"]] == [trial.cell for trial in made.trials]
    assert found["cells"][0]["commands"][1]["host"] == "gen"
    assert found["seconds"] == found["steps"][-1]["at"] + found["steps"][-1]["seconds"]
    assert [one["code"] for one in found["warnings"]] == ["no-look"], "it looks after two blocks"


def test_a_clock_has_hours_minutes_and_seconds():
    assert [clock(seconds) for seconds in (0, 59.6, 3600, 100 * 3600 + 61)] == [
        "0:00:00", "0:01:00", "1:00:00", "100:01:01"
    ]  # fmt: skip


def test_only_levels_that_are_set_are_listed():
    made = plan(parse(TWO.replace("blocks = 2", "blocks = 3"), LAB), "d1")
    listed = [
        dry_run(one, LAB).partition("\nLevels, ")[2].partition("\n\n")[0] for one in (made, aa_plan(made))
    ]
    assert ["rules=100" in text and "add" in text for text in listed] == [True, False]
    assert all("rules=0" in text for text in listed)
