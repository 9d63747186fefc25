"""lab.toml: what is read, and what an error names."""

from pathlib import Path

import msgspec
import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core import lab_tables
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Dut, Endpoint, Lab, Run, check_use, parse, plain

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
SAME = '[[generator]]\nhost = "g"\ninterface = "e0"\nrole = "attack"\n'
SMALL = '[generator]\nhost = "g"\ninterface = "e0"\n[dut]\nhost = "d"\nin = "e1"\nout = "e2"\n'


def test_the_full_example_is_read():
    lab = parse(FULL)
    assert (lab.name, lab.interval, lab.ssh.config_file) == ("apu2", 0.1, "ssh_config")
    assert lab.generators[0].line_rate == 14.88e6 == lab.line_rate
    assert (lab.dut.inputs, lab.dut.outputs, lab.dut.os) == (("igb1",), ("igb2", "igb3"), "freebsd")
    assert lab.receiver is not None and lab.receiver.interface == "igb3"
    assert (lab.run.iterations, lab.run.warmup, lab.run.duration, lab.run.settle) == (3, 5.0, 60.0, 10.0)


@pytest.mark.parametrize(
    ("warmup", "duration", "cut"),
    [(5.0, 60.0, ""), (0.0, 1.0, ""), (5.0, 15.0, ""), (30.0, 30.0, "about 15 s"), (5.0, 5.0, "about 2.5 s")],
)
def test_a_warm_up_of_more_than_a_quarter_of_a_blast_is_not_left_out_to_its_end(warmup, duration, cut):
    told = Run(warmup=warmup, duration=duration).long_warmup
    assert (cut in told) if cut else told == ""


def fields(kind: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]


def test_the_documented_example_is_one():
    document = (Path(__file__).resolve().parents[2] / "docs" / "lab-toml.md").read_text()
    text = document.partition("```toml\n")[2].partition("```")[0]
    lab = parse(text)
    check_use(lab, "lab.toml")
    assert (lab.name, lab.interval, lab.run) == ("apu2", 1.0, Run(5, 5.0, 60.0, 10.0))
    keys = {f"{key} =" for kind in (lab_tables.Generator, lab_tables.Dut) for key in fields(kind)}
    assert not {key for key in keys if key not in text}, "every key is in it"


def test_a_host_in_two_roles_is_one_host():
    assert parse(FULL).hosts() == ("gen", "root@dut:2222")


@pytest.mark.parametrize(
    ("end", "dut", "same"),
    [
        ("dut", "dut", True),
        ("dut", "root@dut", True),
        ("bench@dut:2222", "root@dut:2222", True),
        ("ssh://root@dut/", "dut", True),
        ("gen", "dut", False),
        ("root@gen", "root@dut", False),
        ("root@lab:2201", "root@lab:2202", False),  # two machines behind one address
    ],
)
def test_the_duts_host_is_the_same_whoever_logs_in(end: str, dut: str, same: bool) -> None:
    lab = parse(SMALL.replace('"g"', f'"{end}"').replace('"d"', f'"{dut}"'))
    assert lab.on_dut is same
    receiver = f'[receiver]\nhost = "{end}"\ninterface = "e3"\n'
    assert parse(SMALL.replace('"d"', f'"{dut}"') + receiver).on_dut is same


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
        (SMALL + '[sampling]\ninterval = "9ms"\n', "sampling.interval: expected 10ms to 10s, got '9ms'"),
        (SMALL + '[sampling]\nrate = "1s"\n', "sampling.rate: unknown key; expected one of interval"),
        (SMALL + "colour = 1\n", "dut.colour: unknown key; expected one of host, in, out, os"),
        (SMALL.replace('in = "e1"', "in = 3"), "dut.in: expected an interface name or a list of them, got 3"),
        (SMALL.replace('in = "e1"', 'in = "a b"'), "dut.in: expected an interface name, got 'a b'"),
        (SMALL.replace('in = "e1"\n', ""), "dut.in: missing; expected an interface name or a list of them"),
        (SMALL.replace('"d"', '"-oProxyCommand=x"'), "dut.host: expected an ssh destination"),
        ('[generator]\nhost="g"\ninterface="e"\n', "lab.toml: dut: missing; expected a table"),
        (SMALL + "[run]\niterations = 0\n", "run.iterations: expected a whole number of at least 1, got 0"),
        (SMALL + '[run]\nduration = "long"\n', "run.duration: expected a duration such as"),
        (
            SMALL.replace('"e0"', '"e0"\nline_rate = "fast"'),
            "generator.line_rate: expected packets per second",
        ),
        (
            SMALL.replace('"e0"', '"e0"\nframe = 60'),
            "generator.frame: expected the length of a frame in bytes with its FCS, 64 to 65535,"
            ' such as 64 or "64B", got 60',
        ),
        (SMALL.replace('"e0"', '"e0"\nframe = "64 kB"'), "generator.frame: expected the length of a frame"),
        (SMALL.replace('"e0"', '"e0"\nframe = 64.0'), "generator.frame: expected the length of a frame"),
        (SMALL.replace('"e0"', '"e0"\nframe = true'), "generator.frame: expected the length of a frame"),
        ("generator = 1\n[dut]\n", "generator: expected a table or an array, got an integer"),
        ("[receiver]\n" + SMALL, "receiver.host: missing; expected an ssh destination (alias, "),
        (
            '[[generator]]\nhost = "a"\ninterface = "e0"\n[' + SMALL.replace("]", "]]", 1) + "[dut.x]\n",
            "dut.x: unknown key",
        ),
        ('[[generator]]\nhost = "a"\n' + SMALL[SMALL.index("[dut]") :], "generator[0].interface: missing"),
        (
            SMALL.replace("[generator]", "[[generator]]").replace("[dut]", SAME + "[dut]"),
            "lab.toml: generator: two of them send on e0 of g, where their packets cannot be told apart:"
            " make them one, or give each a port of its own",
        ),
        (
            SMALL.replace("[generator]", "[[generator]]").replace(
                "[dut]", SAME.replace('"g"', '"root@g"') + "[dut]"
            ),
            "lab.toml: generator: two of them send on e0 of g, where their packets cannot be told apart:",
        ),
        (SMALL.replace('in = "e1"', 'in = ["e1", "e3", "e1"]'), "lab.toml: dut.in: e1 is named twice"),
        (SMALL.replace('out = "e2"', 'out = ["e2", "e2"]'), "lab.toml: dut.out: e2 is named twice"),
        ("name = ", "lab.toml: Invalid value (at end of document)"),
    ],
)
def test_an_error_names_file_key_and_what_was_expected(text, message):
    with pytest.raises(FwdtuiError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


ON_ONE = SMALL.replace("[generator]", "[[generator]]").replace("[dut]", SAME + "[dut]")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (ON_ONE.replace('"e0"\nrole', '"e0.10"\nrole'), "generator: e0.10 is a VLAN of e0"),
        (SMALL.replace('in = "e1"', 'in = ["e1.7.8", "e1.7"]'), "dut.in: e1.7.8 is a VLAN of e1.7"),
        (SMALL.replace('out = "e2"', 'out = ["e2", "e2.7"]'), "dut.out: e2.7 is a VLAN of e2"),
    ],
)
def test_a_port_is_not_added_to_its_own_vlan_as_it_has_all_packets_of_that_one(text: str, key: str):
    """The attack on e0.10 would be in the offered load as well, and what it lost a loss of wanted traffic."""
    with pytest.raises(FwdtuiError, match=f"^lab.toml: {key}, whose counters have its packets as well"):
        check_use(parse(text), "lab.toml")


@pytest.mark.parametrize(
    "text",
    [
        ON_ONE.replace('"e0"\n[', '"e0.9"\n[').replace('"e0"\nrole', '"e0.10"\nrole'),  # two VLANs
        ON_ONE.replace('host = "g"\ninterface = "e0"\nrole', 'host = "h"\ninterface = "e0.10"\nrole'),
        SMALL.replace('out = "e2"', 'out = "e1.7"'),  # from one port to a VLAN on it
        SMALL.replace('in = "e1"', 'in = ["e1", "e10"]'),
    ],
)
def test_ports_that_count_different_packets_are_added(text: str):
    check_use(parse(text), "lab.toml")


def test_the_times_of_a_run_have_their_defaults():
    assert parse(SMALL).run == Run(iterations=5, warmup=5.0, duration=60.0, settle=10.0)


@pytest.mark.parametrize(
    ("key", "value", "valid"),
    [
        ("sampling.interval", "7ms", False),
        ("sampling.interval", "9.9ms", False),
        ("sampling.interval", "10ms", True),
        ("sampling.interval", "140ms", True),
        ("sampling.interval", "10s", True),
        ("sampling.interval", "10.1s", False),
        ("sampling.interval", "14s", False),
        ("run.duration", "0s", False),
        ("run.duration", "1ms", True),
        ("run.warmup", "0s", True),
        ("run.settle", "0s", True),
        ("run.iterations", 1, True),
        ("run.iterations", 0, False),
        ("run.iterations", -1, False),
        ("run.iterations", True, False),
        ("run.iterations", 1.0, False),
    ],
)
def test_the_limits_of_each_time_and_count(key, value, valid):
    section, name = key.split(".")
    text = SMALL + tomli_w.dumps({section: {name: value}})
    if valid:
        parse(text)
    else:
        with pytest.raises(FwdtuiError, match=key):
            parse(text)


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("e", True),
        ("a" * 31, True),
        ("a" * 32, True),
        ("a" * 33, False),
        ("-e0", False),
        ("e-0", True),
        ("é", False),
    ],
)
def test_the_name_of_an_interface_has_up_to_32_characters(name, valid):
    text = SMALL.replace('in = "e1"', f'in = ["e9", "{name}"]')
    if valid:
        assert parse(text).dut.inputs == ("e9", name)
    else:
        with pytest.raises(FwdtuiError, match=r"dut\.in: expected an interface name"):
            parse(text)


@pytest.mark.parametrize("host", ["-x", "a b", "a\tb", "a\x1fb", "a\x00b"])
def test_a_host_is_one_word_that_is_no_option(host):
    with pytest.raises(FwdtuiError, match=r"dut\.host: expected an ssh destination"):
        parse(SMALL.replace('host = "d"', tomli_w.dumps({"host": host}).strip()))


def test_what_one_port_carries_both_ways_is_no_port_twice():
    text = SMALL.replace('in = "e1"', 'in = ["e1", "e2"]').replace('out = "e2"', 'out = ["e2", "e1"]')
    receiving = '[receiver]\nhost = "g"\ninterface = "e0"\n'
    further = SAME.replace('"e0"', '"e1"') + SAME.replace('"g"', '"h"')
    lab = parse(text.replace("[generator]", "[[generator]]").replace("[dut]", further + "[dut]") + receiving)
    assert [(one.host, one.interface) for one in lab.generators] == [("g", "e0"), ("g", "e1"), ("h", "e0")]
    assert lab.dut.inputs == ("e1", "e2") and lab.dut.outputs == ("e2", "e1")


@pytest.mark.parametrize(
    ("rates", "together"),
    [(("1M", "2M"), 3e6), (("1M", None), None), (("1M", "0"), None), ((None, None), None)],
)
def test_a_line_rate_of_all_is_known_only_if_each_is(rates, together):
    endpoints = tuple(
        Endpoint("h", f"e{n}", line_rate=None if rate is None else float(rate.replace("M", "e6")))
        for n, rate in enumerate(rates)
    )
    lab = parse(SMALL)
    assert msgspec.structs.replace(lab, generators=endpoints).line_rate == together
    assert msgspec.structs.replace(lab, generators=()).line_rate is None


@pytest.mark.parametrize(
    ("written", "length"), [("64", 64), ('"64B"', 64), ('"1518 B"', 1518), ("65535", 65535)]
)
def test_the_frames_length_is_a_number_or_a_text_with_its_unit(written, length):
    assert parse(SMALL.replace('"e0"', f'"e0"\nframe = {written}')).frame == length


def test_the_frames_length_is_read_from_the_start_command_unless_it_is_given():
    started = SMALL.replace('"e0"', '"e0"\nstart = "pkt-gen -f tx -i e0 -l 60"')
    assert parse(SMALL).frame is None
    assert parse(started).frame == 64
    assert parse(started.replace("start", "frame = 128\nstart")).frame == 128


@pytest.mark.parametrize(
    ("frame", "start", "doubt"),
    [
        (64, "pkt-gen -f tx -i e0 -l 60", None),
        (
            64,
            "pkt-gen -f tx -i e0 -l 64",
            "have 64 bytes with their FCS; according to its start command, 68.",
        ),
        (64, "pkt-gen -f tx -i e0 -l 60 -P file", None),  # the command does not say it for certain
        (64, None, None),
        (None, "pkt-gen -f tx -i e0 -l 64", None),
    ],
)
def test_a_length_that_the_start_command_contradicts_is_told(frame, start, doubt):
    """-l 64 with frame = 64 is what people write who forget the FCS: line rate was never reached."""
    endpoint = Endpoint("gen", "e0", "netmap-pkt-gen", start, frame=frame)
    told = msgspec.structs.replace(parse(SMALL), generators=(endpoint,)).doubtful_frames
    assert [doubt in one for one in told] == ([True] if doubt else [])


@pytest.mark.parametrize(
    ("lengths", "together"), [((64, 64), 64), ((64, 128), None), ((64, None), None), ((), None)]
)
def test_generators_have_one_frame_length_only_if_each_sends_it(lengths, together):
    endpoints = tuple(Endpoint("h", f"e{n}", frame=length) for n, length in enumerate(lengths))
    assert msgspec.structs.replace(parse(SMALL), generators=endpoints).frame == together


@given(st.text())
def test_any_text_is_a_lab_or_one_clear_error(text):
    try:
        parse(text)
    except FwdtuiError as error:
        assert str(error).startswith("lab.toml: ")


ENDPOINTS = st.builds(
    Endpoint,
    host=st.sampled_from(["gen", "root@gen", "root@[fe80::1]:2222"]),
    interface=st.sampled_from(["igb2", "vtnet0.5"]),
    tool=st.sampled_from(["counters", "netmap-pkt-gen"]),
    start=st.none() | st.sampled_from(["pkt-gen -i igb2", "a \"b\" 'c' \\ $d\n\te"]),
    stop=st.none() | st.just("pkill pkt-gen"),
)
RATED = st.builds(
    lambda endpoint, rate, frame: msgspec.structs.replace(endpoint, line_rate=rate, frame=frame),
    ENDPOINTS,
    st.none() | st.floats(0, 1e15),
    st.none() | st.integers(64, 65_535),
)
SECONDS = st.floats(0, 1e6)
LABS = st.builds(
    Lab,
    name=st.sampled_from(["apu2", 'a "lab"\nof two lines', "ü"]),
    generators=st.lists(RATED, max_size=3, unique_by=lambda one: (one.host, one.interface)).map(tuple),
    dut=st.builds(
        Dut,
        host=st.just("dut"),
        inputs=st.sampled_from([("igb1",), ("igb1", "igb3")]),
        outputs=st.sampled_from([("igb2",), ("igb4", "igb2")]),
        os=st.none() | st.just("freebsd"),
    ),
    receiver=st.none() | ENDPOINTS,
    interval=st.floats(0.1, 10),
    run=st.builds(Run, st.integers(1, 10**6), SECONDS, st.floats(1e-9, 1e6), SECONDS),
)


@given(LABS)
def test_a_lab_written_as_toml_is_read_back_equal(lab: Lab) -> None:
    assert parse(tomli_w.dumps(plain(lab))) == lab


def test_a_written_lab_does_not_tell_of_the_users_own_ssh_files() -> None:
    lab = parse('[dut]\nhost = "d"\nin = "a"\nout = "b"\n[ssh]\nconfig_file = "/home/me/.ssh/config"\n')
    assert "ssh" not in plain(lab)


ROLES = """
[[generator]]
host = "g"
interface = "e0"
line_rate = "1M"
[[generator]]
host = "b"
interface = "e0"
line_rate = "2M"
role = "attack"
[dut]
host = "d"
in = "e1"
out = "e2"
"""


def test_a_generator_sends_wanted_traffic_unless_its_role_says_otherwise():
    lab = parse(ROLES)
    assert [one.role for one in lab.generators] == ["wanted", "attack"] and lab.attacked
    assert (lab.line_rate, lab.all_line_rate) == (1e6, 3e6)  # of what is offered, and of all that is sent
    small = parse(SMALL)
    assert not small.attacked and parse(SMALL.replace("[dut]", 'role = "wanted"\n[dut]')) == small
    assert parse(tomli_w.dumps(plain(lab))) == lab and "role" not in tomli_w.dumps(plain(small))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROLES.replace('"attack"', '"dos"'), 'generator[1].role: expected "wanted" or "attack", got \'dos\''),
        (
            SMALL.replace("[dut]", 'role = "attack"\n[dut]'),
            'generator.role: expected at least one generator with role "wanted"',
        ),
    ],
)
def test_a_wrong_role_names_the_key(text, message):
    with pytest.raises(FwdtuiError) as raised:
        parse(text)
    assert message in str(raised.value)


def counting(text: str) -> Lab:
    return parse(f"{SMALL}count = {text}\n")


def test_events_are_counted_only_on_request_and_each_once():
    assert parse(SMALL).dut.count == () and "count" not in plain(parse(SMALL))["dut"]
    lab = counting('["cycles", "LLC-load-misses", "cycles", "cpu/event=0x3c/"]')
    assert lab.dut.count == ("cycles", "LLC-load-misses", "cpu/event=0x3c/")
    assert parse(tomli_w.dumps(plain(lab))) == lab


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"cycles"', 'expected a list of events such as ["cycles", "instructions"], got \'cycles\''),
        ('["-e"]', "expected an event such as cycles or LLC-load-misses, got '-e'"),
        ('["cycles; reboot"]', "expected an event such as cycles or LLC-load-misses, got 'cycles; reboot'"),
        (str([f"e{n}" for n in range(17)]), "expected at most 16 events"),
    ],
)
def test_what_is_no_event_names_the_key(text, expected):
    with pytest.raises(FwdtuiError) as error:
        counting(text)
    assert str(error.value).startswith(f"lab.toml: dut.count: {expected}")


def test_idle_functions_of_the_lab_are_recorded_with_it():
    assert parse(SMALL).idle == () and "profile" not in plain(parse(SMALL))
    lab = parse(f'{SMALL}[profile]\nidle = ["my_poll_loop", "spin", "spin"]\n')
    assert lab.idle == ("my_poll_loop", "spin")
    assert parse(tomli_w.dumps(plain(lab))) == lab


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ('"spin"', "profile.idle: expected a list of functions such as [\"my_poll_loop\"], got 'spin'"),
        ("[3]", "profile.idle: expected the name of a function, of at most 200 characters, got 3"),
        ('["a;b"]', "profile.idle: expected the name of a function, of at most 200 characters, got 'a;b'"),
    ],
)
def test_what_is_no_list_of_functions_is_refused(given: str, message: str):
    with pytest.raises(FwdtuiError) as raised:
        parse(f"{SMALL}[profile]\nidle = {given}\n")
    assert message in str(raised.value)
