"""`fwdtui experiment`: the dry run needs no trust and runs nothing, everything else does."""

import json
from pathlib import Path

import pytest
from forked import run
from in_terminal import run as in_terminal

LAB = (
    '[generator]\nhost = "127.0.0.1:1"\ninterface = "g0"\nstart = "send"\n'
    '[dut]\nhost = "127.0.0.1:1"\nin = "a"\nout = "b"\n'
)
EXPERIMENT = (
    'name = "x"\n[[factor]]\nname = "rules"\n[[factor.levels]]\nvalue = 0\n[[factor.levels]]\nvalue = 1\n'
    'apply = "nft -f /tmp/r # \\u001b[2K"\n'
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "lab.toml").write_text(LAB)
    (folder / "experiment.toml").write_text(EXPERIMENT)
    return folder


@pytest.mark.parametrize("file", [".", "experiment.toml"])
def test_a_dry_run_shows_everything_and_needs_no_trust(clone, file):
    done = run("experiment", file, "--dry-run", cwd=clone)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Experiment x on lab lab: 2 cells, interleaved (ABBA)\n")
    assert "apply     127.0.0.1:1: nft -f /tmp/r # \\x1b[2K\n" in done.stdout and "\x1b" not in done.stdout
    assert "iteration 12 of 12, block 6: rules=0" in done.stdout
    assert not (clone / "sessions").exists()


def test_a_dry_run_for_programs_is_one_json_document(clone):
    done = run("experiment", ".", "--dry-run", "--json", "--seed", "7", cwd=clone)
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["seed"] == 7 and len(found["trials"]) == 12
    assert [one["code"] for one in found["warnings"]] == [
        "unused-seed",
        "no-boots",
        "not-verified",
        "not-undone",
    ]


def test_a_dry_run_of_the_aa_experiment_shows_the_baseline_twice(clone):
    done = run("experiment", ".", "--dry-run", "--aa", cwd=clone)
    assert "\n  rules=0 A   (baseline)\n" in done.stdout and "\n  rules=0 B\n" in done.stdout


def test_it_is_among_the_commands_of_the_help():
    assert "\n  experiment  a whole design: " in run("--help").stdout


def test_another_lab_can_be_named(clone):
    (clone / "lab.toml").rename(clone / "other.toml")
    refused = run("experiment", ".", "--dry-run", cwd=clone)
    assert (refused.returncode, refused.stdout) == (2, "")
    told = "no such file; to use a lab.toml other than the one that experiment.toml names, give --lab FILE"
    assert refused.stderr == f"fwdtui: lab.toml: {told}\n"
    assert run("experiment", ".", "--dry-run", "--lab", "other.toml", cwd=clone).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--headless",), "./experiment.toml: not trusted yet: it runs commands on the hosts."),
        (("--headless", "--json"), "Read and allow it with: fwdtui trust ."),
        ((), "the app needs a terminal; without one use: fwdtui experiment --headless"),
        (("--json",), "--json needs --dry-run or --headless"),
        (("--dry-run", "--resume"), "sessions: no session was begun with this experiment.toml"),
        (("--dry-run", "--seed", "-1"), "--seed -1: expected a whole number from 0 to"),
        (("--dry-run", "--seed", "x"), "argument --seed: invalid int value: 'x'"),
    ],
)
def test_what_cannot_be_done_is_one_line(clone, arguments, message):
    done = run("experiment", ".", *arguments, cwd=clone)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert message.replace("./", "") in done.stderr


def test_an_error_in_the_file_names_file_and_key(clone):
    (clone / "experiment.toml").write_text(EXPERIMENT.replace("rules", "session"))
    done = run("experiment", ".", "--dry-run", cwd=clone)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(
        "fwdtui: experiment.toml: factor[0].levels[0].session: cannot be given as a factor"
    )


def test_trust_shows_the_experiment_with_its_uploads_and_lab_and_then_lets_it_run(clone):
    (clone / "rules.nft").write_text("flush ruleset # \x1b[2K\n")
    with (clone / "experiment.toml").open("a") as file:
        file.write('upload = { "rules.nft" = "/tmp/r" }\n')
    done = run("trust", ".", cwd=clone)
    assert done.returncode == 0 and "\x1b" not in done.stdout
    for line in ('  start = "send"', '  apply = "nft -f /tmp/r', "  flush ruleset # \\x1b[2K"):
        assert line.strip() in done.stdout
    # nothing was begun yet, which is said before any host is reached
    assert "trusted" not in run("experiment", ".", "--headless", "--resume", cwd=clone).stderr
    assert "you will be asked again" not in run("trust", "--list").stdout
    (clone / "rules.nft").write_text("flush ruleset # again\n")
    refused = run("experiment", ".", "--headless", cwd=clone)
    assert refused.returncode == 2 and "has changed since you trusted it" in refused.stderr
    assert "rules.nft has changed: you will be asked again" in run("trust", "--list").stdout
    assert "+ flush ruleset # again" in run("trust", ".", cwd=clone).stdout


def test_in_a_terminal_the_file_is_shown_and_nothing_begins_without_a_yes(clone):
    keys = [("Run this experiment?", b"\x1b"), ("not begun", b"q")]
    status, written = in_terminal("experiment", ".", cwd=clone, keys=keys)
    assert status == 1 and b"nothing was measured" in written.rpartition(b"\x1b[?1049l")[2]
    assert b"nft -f /tmp/r #" in written
    assert not (clone / "sessions").exists()
    assert run("trust", "--list", cwd=clone).stdout.count("experiment.toml") == 0
