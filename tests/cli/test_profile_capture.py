"""`fwdtui profile capture`: what it offers and why, and what it refuses before anything is sent."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.cli import main, profile_capture
from fwdtui.collectors.labfile import load
from fwdtui.core import at_rate
from fwdtui.core.model import Iteration
from fwdtui.core.profile.capture import Asked
from fwdtui.core.profile.record import Profile
from fwdtui.store import SessionWriter, drop, read_session

LAB = """\
name = "kernel-lab"
[generator]
host = "gen"
interface = "gen0"
start = "trafgen"
at_rate = "tcpreplay --pps={rate}"
[dut]
host = "dut"
in = "dut0"
out = "dut1"
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    path = tmp_path / "lab.toml"
    path.write_text(LAB)
    return path


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """Sessions of three labs: two of ours, one of another lab with a lower rate."""
    into = tmp_path / "sessions"
    for name, of, values in (
        ("before", "kernel-lab", (500_000.0, 450_000.0)),
        ("after", "kernel-lab", (412_345.0, 430_000.0)),
        ("other", "apu2", (100.0,)),
    ):
        with SessionWriter.create(into / name, label=name, created="", lab={"name": of}) as writer:
            for value in values:
                writing = writer.begin("inet4")
                writing.commit(Iteration(0, value))
    return into


@pytest.fixture
def offered(
    lab: Path, sessions: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[float, str]]:
    """What is offered for a profile, and what is said about it."""

    def of(*below: str, rate: str = "") -> tuple[float, str]:
        prepared = profile_capture._prepared(lab, sessions, rate, list(below), Asked())
        assert prepared.rate == prepared.facts[at_rate.RATE]
        assert prepared.lab.generators[0].start == f"tcpreplay --pps={prepared.rate:.0f}"
        return prepared.rate, capsys.readouterr().err

    return of


def profile(session: Path, rate: float, rejected: str = "") -> None:
    """One more iteration with a profile at this load."""
    facts = {at_rate.RATE: rate}
    with SessionWriter(session) as writer:
        writer.begin("inet4").commit(Iteration(0, None, facts=facts, profile=Profile(5, rejected=rejected)))


def test_four_fifths_of_what_the_slowest_iteration_of_this_lab_forwarded(offered):
    rate, why = offered()
    assert rate == 320_000.0
    assert "412.3 kpps in after: inet4, iteration 1" in why


def test_only_the_sessions_that_are_named(offered, sessions):
    assert offered("before")[0] == 360_000.0
    assert offered("other", str(sessions / "before"))[0] == 80.0


def test_an_iteration_that_was_taken_out_decides_nothing(offered, sessions):
    drop(sessions / "after", "inet4", 1, "the link bounced")
    assert offered()[0] == 340_000.0


def test_the_next_variant_gets_the_load_of_the_first_profile(offered, sessions):
    profile(sessions / "before", 300_000.0, "It is a profile of an idle DUT.")
    assert offered()[0] == 320_000.0, "one that was missed does not count"
    profile(sessions / "before", 300_000.0)
    rate, why = offered()
    assert rate == 300_000.0 and "as for the profile of before: inet4" in why
    assert read_session(sessions / "before").cases[0].iterations[-1].value is None


def test_profiles_of_another_load_are_named_since_shares_are_compared_at_one(offered, sessions):
    profile(sessions / "before", 500_000.0)
    for rate, why in (offered(), offered(rate="320k")):
        assert rate == 320_000.0
        assert "profiles of another load: before: inet4 (500.0 kpps)." in why
        assert "take them again at 320.0 kpps" in why
    assert "another load" not in offered(rate="500k")[1]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "has no iteration of the lab 'kernel-lab' with a rate in packets per second"),
        (("--below", "nothing"), "nothing: no such session"),
        (("--rate", "fast"), "'fast' is not a rate"),
        (("--rate", "full", "--below", "nothing"), "--below cannot be combined with --rate full"),
        (("--rate", "0"), "0 packets per second cannot be sent"),
        (("--seconds", "500ms"), "--seconds 500ms: expected 1s to 10m"),
        (("--frequency", "5"), "--frequency 5: expected 10 to 20000 samples per second"),
        (("--event", "cycles ; reboot"), "--event: expected the name of an event"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_host_is_reached(lab, tmp_path, capsys, arguments, why):
    assert main(["profile", "capture", str(lab), "--into", str(tmp_path / "none"), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line


def test_an_option_of_other_recordings_that_would_have_no_effect_is_refused(lab, sessions, capsys):
    for option in (["--drop-reasons"], ["--count", "cycles"]):
        assert main(["profile", "capture", str(lab), "--into", str(sessions), *option]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"unrecognized arguments: {' '.join(option)}" in line


def test_a_generator_without_a_command_for_a_rate_is_an_error_that_says_what_to_add(lab, capsys):
    lab.write_text(LAB.replace('at_rate = "tcpreplay --pps={rate}"\n', ""))
    assert main(["profile", "capture", str(lab), "--rate", "300k"]) == 2
    told = capsys.readouterr().err
    assert "generator.at_rate: missing for gen" in told and "{rate}" in told


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--profile",), "--profile needs --headless"),
        (("--profile", "fast", "--headless"), "'fast' is not a rate"),
        (("--profile", "300k", "--headless"), "generator.at_rate: missing for gen"),
        (("--headless", "--profile"), "generator.at_rate: missing for gen"),
    ],
)
def test_a_run_with_a_profile_says_what_is_missing_before_its_first_iteration(lab, capsys, arguments, why):
    lab.write_text(LAB.replace('at_rate = "tcpreplay --pps={rate}"\n', ""))
    assert main(["run", str(lab), *arguments]) == 2
    assert why in capsys.readouterr().err


def test_the_profile_after_a_run_is_sent_by_the_commands_that_were_trusted(lab, sessions):
    """The iterations take their time: a file that was replaced meanwhile was read anew, and ran unasked."""
    then = profile_capture.chosen_later(lab, sessions, "300k")
    measured = load(lab)
    lab.write_text(LAB.replace("tcpreplay", "another"))
    assert then(measured).lab.generators[0].start == "tcpreplay --pps=300000"


def test_help_names_what_there_is(capsys):
    assert main(["profile", "capture", "--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"--{name}" in told for name in ("rate", "below", "seconds", "frequency", "event", "session"))
