"""lab.toml: what is read, and what an error names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse

FULL = """
name = "apu2"
[ssh]
config_file = "ssh_config"
known_hosts = "known_hosts"
[sampling]
interval = "100ms"
[generator]
host = "gen"
interface = "igb2"
tool = "netmap-pkt-gen"
start = "pkt-gen -N -f tx -i igb2 -4"
stop = "pkill pkt-gen"
line_rate = "14.88M"
[dut]
host = "root@dut:2222"
in = "igb1"
out = ["igb2", "igb3"]
os = "freebsd"
[receiver]
host = "gen"
interface = "igb3"
tool = "netmap-pkt-gen"
start = "pkt-gen -N -f rx -i igb3 -w 2"
[run]
iterations = 3
warmup = "5s"
duration = "60s"
settle = "10s"
"""
SMALL = '[generator]\nhost = "g"\ninterface = "e0"\n[dut]\nhost = "d"\nin = "e1"\nout = "e2"\n'


def test_the_full_example_is_read():
    lab = parse(FULL)
    assert (lab.name, lab.interval, lab.ssh.config_file) == ("apu2", 0.1, "ssh_config")
    assert lab.generators[0].line_rate == 14.88e6 == lab.line_rate
    assert (lab.dut.inputs, lab.dut.outputs, lab.dut.os) == (("igb1",), ("igb2", "igb3"), "freebsd")
    assert lab.receiver is not None and lab.receiver.interface == "igb3"
    assert (lab.run.iterations, lab.run.warmup, lab.run.duration, lab.run.settle) == (3, 5.0, 60.0, 10.0)


def test_a_host_in_two_roles_is_one_host():
    assert parse(FULL).hosts() == ("gen", "root@dut:2222")


def test_the_defaults_are_five_iterations_of_a_minute_sampled_each_second():
    lab = parse(SMALL)
    assert (lab.interval, lab.run.iterations, lab.run.duration, lab.receiver) == (1.0, 5, 60.0, None)
    assert lab.generators[0].tool == "counters" and lab.line_rate is None


def test_several_generators_are_tables_and_their_line_rates_add_up():
    lab = parse(
        '[[generator]]\nhost="a"\ninterface="e0"\nline_rate="1M"\n'
        '[[generator]]\nhost="b"\ninterface="e0"\nline_rate="2M"\n[dut]\nhost="d"\nin="x"\nout="y"\n'
    )
    assert [generator.host for generator in lab.generators] == ["a", "b"]
    assert lab.line_rate == 3e6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            SMALL + "[sampling]\ninterval = 3\n",
            'lab.toml: sampling.interval: expected a duration such as "60s" or "100ms", got 3',
        ),
        (SMALL + '[sampling]\ninterval = "50ms"\n', "sampling.interval: expected 100ms to 10s, got '50ms'"),
        (SMALL + '[sampling]\nrate = "1s"\n', "sampling.rate: unknown key; expected one of interval"),
        (SMALL + "colour = 1\n", "dut.colour: unknown key; expected one of host, in, out, os"),
        (SMALL.replace('in = "e1"', "in = 3"), "dut.in: expected an interface name or a list of them, got 3"),
        (SMALL.replace('in = "e1"', 'in = "a b"'), "dut.in: expected an interface name, got 'a b'"),
        (SMALL.replace('in = "e1"\n', ""), "dut.in: missing; expected an interface name or a list of them"),
        (SMALL.replace('"d"', '"-oProxyCommand=x"'), "dut.host: expected an ssh destination"),
        ('[generator]\nhost="g"\ninterface="e"\n', "lab.toml: dut: missing; expected a [dut] table"),
        (SMALL + "[run]\niterations = 0\n", "run.iterations: expected a whole number from 1, got 0"),
        (SMALL + '[run]\nduration = "long"\n', "run.duration: expected a duration such as"),
        (
            SMALL.replace('"e0"', '"e0"\nline_rate = "fast"'),
            "generator.line_rate: expected packets per second",
        ),
        ("generator = 1\n[dut]\n", "generator: expected a table, got 1"),
        ("name = ", "lab.toml: Invalid value (at end of document)"),
    ],
)
def test_an_error_names_file_key_and_what_was_expected(text, message):
    with pytest.raises(FwdtuiError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_lab_or_one_clear_error(text):
    try:
        parse(text)
    except FwdtuiError as error:
        assert str(error).startswith("lab.toml: ")
