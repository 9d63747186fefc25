"""Factors that people state for a recording: what is accepted, and what an error says."""

import pytest
import tomli_w

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import merged
from fwdtui.core.lab import parse, plain
from fwdtui.core.stated_factors import options, stated, told

SMALL = '[generator]\nhost = "g"\ninterface = "e0"\n[dut]\nhost = "d"\nin = "e1"\nout = "e2"\n'


def test_a_lab_states_the_factors_of_every_session_recorded_with_it():
    text = SMALL + '[factors]\nimage = "n311215"\nFrame-Size = "64 B"\nqueues = 24\nattack_rate = "0 Mpps"\n'
    lab = parse(text)
    assert lab.factors == {"image": "n311215", "frame_size": "64 B", "queues": 24, "attack_rate": "0 Mpps"}
    assert merged(lab.factors)["frame_size"].number == 64
    # the session has them in a table of its own, so that a program that does not know them reads its lab
    assert "factors" not in plain(lab) and parse(tomli_w.dumps(plain(lab))).factors == {}


def test_the_command_line_states_those_of_one_case():
    given = options(["config=off", "frame-size=64", "rate=300 kpps", "nic=82599ES", "timeout=5 s", "mtu=9k"])
    assert given == {
        "config": "off",
        "frame_size": "64",
        "rate": "300 kpps",
        "nic": "82599ES",
        "timeout": "5 s",
        "mtu": "9k",
    }


@pytest.mark.parametrize("name", ["image", "config", "af", "order"])
def test_names_are_never_quantities(name):
    assert stated({name: "5 apples"}) == {name: "5 apples"}


RATE = 'expected a rate such as "300 kpps" or "1 Gb/s", got '
FRAME = 'expected the length of a frame, such as 64 or "64 B", got '
COUNT = "expected a whole number such as 24, got "


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rate", "fast", f"factors.rate: {RATE}'fast'"),
        ("rate", "300 kbpp", f"factors.rate: {RATE}'300 kbpp'"),
        ("rate", "64 B", f"factors.rate: {RATE}'64 B'"),
        ("attack_rate", "-1 Mpps", f"factors.attack_rate: {RATE}'-1 Mpps'"),
        ("frame_size", "64 kpps", f"factors.frame_size: {FRAME}'64 kpps'"),
        ("frame_size", 0, f"factors.frame_size: {FRAME}0"),
        ("queues", "4 queues", f"factors.queues: {COUNT}'4 queues'"),
        ("flows", 2.5, f"factors.flows: {COUNT}2.5"),
        ("cores", 0, f"factors.cores: {COUNT}0"),
        ("timeout", "5 minutes", "a known unit (pps, kpps, Mpps, Gpps, b/s, kb/s, Mb/s, Gb/s, B, bytes, us"),
        ("config", " ", "factors.config: expected a value of 1 to 200 characters, got ''"),
        ("config", "x" * 201, "factors.config: expected a value of 1 to 200 characters"),
        ("delay", float("nan"), "factors.delay: expected a finite number, got nan"),
        ("2nd", "x", "'2nd' is not the name of a factor: write it as frame_size"),
        ("session", "x", "factors.session: cannot be given as a factor; use --session"),
        ("case", "x", "factors.case: cannot be given as a factor; use --case"),
    ],
)
def test_a_wrong_value_names_the_key_and_what_was_expected(name, value, message):
    with pytest.raises(FwdtuiError) as error:
        stated({name: value}, "factors.")
    assert message in str(error.value)


def test_values_at_the_boundaries():
    given = {"config": "x" * 200, "queues": 1, "frame_size": 1, "rate": 0}
    assert stated(given) == given


def test_a_factor_that_is_given_twice_is_a_mistake():
    with pytest.raises(FwdtuiError, match=r"^--factor af: given twice$"):
        options(["af=inet4", "AF=inet6"])
    with pytest.raises(FwdtuiError, match=r"^factors\.frame_size: given twice$"):
        stated({"frame_size": 64, "Frame-Size": 64}, "factors.")


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("factors = 3\n" + SMALL, "lab.toml: factors: expected a table, got an integer"),
        (SMALL + "[factors]\naf = [4]\n", "lab.toml: factors.af: expected "),
        (SMALL + "[factors]\naf = true\n", "lab.toml: factors.af: expected "),
        (SMALL + '[factors]\nrate = "many"\n', f"lab.toml: factors.rate: {RATE}'many'"),
    ],
)
def test_a_wrong_table_in_lab_toml_names_file_and_key(toml, message):
    with pytest.raises(FwdtuiError) as error:
        parse(toml)
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["af", "af=", "=inet4", "ä=1"])
def test_what_is_no_assignment_says_how_it_is_written(text):
    with pytest.raises(FwdtuiError, match=r"^--factor: "):
        options([text])


def test_a_recording_begins_with_what_it_states_and_with_an_attack_whose_rate_it_does_not():
    hint = "An attack is sent and its rate is not stated; state it with --factor attack_rate='10 Mpps'."
    assert told({}, attacked=False) == [] and told({}, attacked=True) == [hint]
    assert told({"af": "inet4", "frame_size": 64}, attacked=False) == [
        "Recorded with af=inet4, frame_size=64 B."
    ]
    assert told({"attack_rate": "0 Mpps"}, attacked=True) == ["Recorded with attack_rate=0 Mpps."]


def test_a_frame_size_that_is_not_that_of_the_frames_is_told_before_anything_is_recorded():
    attack = '[[generator]]\nhost = "h"\ninterface = "e0"\nframe = 1518\nrole = "attack"\n'
    lab = parse(attack + SMALL.replace("[generator]", "[[generator]]\nframe = 64"))
    assert lab.wanted_frame == 64, "what is stated is of the wanted traffic"
    (_, other) = told({"frame_size": "1518 B"}, attacked=False, frame=lab.wanted_frame)
    assert other == (
        "frame_size=1518 B is stated, but according to lab.toml the generators send frames of 64 bytes "
        "with their FCS: one of the two is wrong."
    )
    for size, frame in (("64 B", 64), (64, 64), ("1518 B", None)):
        assert len(told({"frame_size": size}, attacked=False, frame=frame)) == 1
