"""The generators' commands for a given rate, of lab.toml's `at_rate`."""

import pytest

from fwdtui.core.at_rate import at_rate, check, of_cell
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.cells import cells
from fwdtui.core.experiment.file import parse as experiment
from fwdtui.core.lab import Lab, parse, plain

DUT = '[dut]\nhost = "d"\nin = "x"\nout = "y"\n'


def lab(*generators: str) -> Lab:
    tables = "".join(
        f'[[generator]]\nhost = "g{n}"\ninterface = "e0"\n{one}\n' for n, one in enumerate(generators)
    )
    return parse(f'{tables}{DUT}[run]\nwarmup = "5s"\nduration = "12.5s"\n')


SENDS = 'start = "pkt-gen -l 60"\nat_rate = "timeout {time_limit} pkt-gen -l 60 -R {rate}"'


def test_the_command_for_a_rate_takes_the_place_of_the_start_command():
    (generator,) = at_rate(lab(SENDS), 300_000.9).generators
    assert generator.start == "timeout 48 pkt-gen -l 60 -R 300000"
    assert generator.sends == 64


def test_the_time_limit_begins_before_the_wait_for_the_link():
    waits = SENDS.replace("-R", "-w 35 -R")
    (generator,) = at_rate(lab(waits), 300_000).generators
    assert generator.start == "timeout 81 pkt-gen -l 60 -w 35 -R 300000", (
        "33 more than without -w, which is 2"
    )


def test_several_generators_share_the_rate_and_an_attack_stays_as_it_is():
    attack = 'start = "flood"\nrole = "attack"'
    starts = [one.start for one in at_rate(lab(SENDS, attack, SENDS), 100_000).generators]
    assert starts == ["timeout 48 pkt-gen -l 60 -R 50000", "flood", "timeout 48 pkt-gen -l 60 -R 50000"]


@pytest.mark.parametrize(
    ("generator", "rate", "why"),
    [
        ('tool = "netmap-pkt-gen"\nstart = "pkt-gen"', 1e5, r"at_rate: missing for g0: add .* -R \{rate\}"),
        ('tool = "trafgen"\nstart = "trafgen"', 1e5, r"at_rate: missing for g0: .*tcpreplay --pps=\{rate\}"),
        ('at_rate = "x {rate} {speed}"', 1e5, r"at_rate: \{speed\} is not a variable \(known: \{rate\}"),
        (SENDS, 0.5, "0.5 packets per second cannot be sent by 1 generator$"),
    ],
)
def test_what_is_missing_is_named_with_what_to_add(generator, rate, why):
    with pytest.raises(FwdtuiError, match=why):
        at_rate(lab(generator), rate)


@pytest.mark.parametrize(
    "command",
    ["pkt-gen -R 300000", "pkt-gen -R {{rate}}", "pkt-gen -R ${rate}"],
    ids=["none", "text", "shell"],
)
def test_a_command_for_a_rate_needs_the_rate_in_it(command):
    """{{rate}} stands for the text {rate}, and ${rate} is a variable of the shell, which nobody sets."""
    with pytest.raises(FwdtuiError, match=r"at_rate: expected a command with \{rate\}"):
        check(lab(f'at_rate = "{command}"'))


def test_the_recorded_lab_has_the_command():
    (table,) = plain(lab(SENDS))["generator"]  # type: ignore[misc,attr-defined]
    assert table["at_rate"] == "timeout {time_limit} pkt-gen -l 60 -R {rate}"


def test_other_frames_than_those_of_the_start_command_are_told_by_the_command_for_a_rate():
    other = SENDS.replace("pkt-gen -l 60 -R", "pkt-gen -l 1514 -R") + '\nline_rate = "14.88M"'
    (generator,) = at_rate(lab(other), 300_000).generators
    assert generator.sends == 1518 and generator.line_rate == pytest.approx(14.88e6 * 84 / 1538)


def test_packets_of_unknown_length_have_the_labs_line_rate_at_a_given_rate_too():
    own = lab('start = "send -c /tmp/p"\nat_rate = "send -c /tmp/p -b {rate}pps"\nline_rate = "14.88M"')
    (generator,) = at_rate(own, 300_000).generators
    assert (generator.start, generator.sends) == ("send -c /tmp/p -b 300000pps", None)
    assert generator.line_rate == 14.88e6


PROFILED = 'name = "x"\n[profile]\nrate = "100k"\n[[traffic]]\nname = "t"\n'


def test_at_a_given_rate_a_cell_gets_the_labs_own_frames_and_its_own_attack():
    attack = 'start = "flood"\nrole = "attack"'
    text = PROFILED + 'generator = ["send", "flood harder"]\nvariables = { frame_size = 1518 }\n'
    found = experiment(text, lab(SENDS, attack))
    (cell,) = cells(found)
    wanted, other = of_cell(found, lab(SENDS, attack), cell, 100_000).generators
    assert (wanted.start, wanted.sends) == ("timeout 48 pkt-gen -l 60 -R 100000", 64)
    assert other.start == "flood harder"


def test_at_a_given_rate_the_frames_are_as_long_as_the_level_in_force_makes_them():
    """It sends what lies in the file, as the start command does."""
    own = lab(
        'start = "trafgen -c /tmp/p"\nat_rate = "trafgen -c /tmp/p -b {rate}pps"\nframe = 64\n'
        'line_rate = "14.88M"'
    )
    levels = '[[factor]]\nname = "frame_size"\nlevels = [64, 1518]\nupload = { "{frame_size}" = "/tmp/p" }\n'
    found = experiment(f'name = "x"\n{levels}[profile]\nrate = "100k"\n', own)
    sent = [of_cell(found, own, cell, 100_000).generators[0] for cell in cells(found)]
    assert [one.start for one in sent] == ["trafgen -c /tmp/p -b 100000pps"] * 2
    assert [one.sends for one in sent] == [64, 1518]
    assert sent[1].line_rate == pytest.approx(14.88e6 * 84 / 1538)
