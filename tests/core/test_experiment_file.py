"""experiment.toml: what is read, and what an error names."""

import subprocess
import tomllib

import msgspec
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Abort, Action, Check, Experiment, Hook, Plan, StopRule, Upload
from fwdtui.core.experiment.cells import cells, lab_of, shown_lab
from fwdtui.core.experiment.file import parse, upload_sources
from fwdtui.core.experiment.order import plan
from fwdtui.core.lab import Lab, Run, plain
from fwdtui.core.lab import parse as parse_lab
from fwdtui.core.roles import ATTACK

LAB = parse_lab(
    """
[[generator]]
host = "gen"
interface = "ix0"
tool = "netmap-pkt-gen"
start = "pkt-gen -f tx -i ix0 -l 60"
line_rate = "14.88M"
[dut]
host = "router"
in = "ix0"
out = "ix1"
[receiver]
host = "sink"
interface = "ix1"
start = "pkt-gen -f rx -i ix1"
[run]
duration = "30s"
"""
)
FULL = r"""
name = "abdicate"
lab = "../lab.toml"
margin = "0.5%"

[run]
boots = 4
iterations = 2
warmup = "3s"
order = "random"
seed = 7

[[factor]]
name = "tx_abdicate"
levels = [0, 1]
sysctl = { dev.ix.0.iflib.tx_abdicate = "{tx_abdicate}" }

[[factor]]
name = "rules"
[[factor.levels]]
value = 0
[[factor.levels]]
value = 100
upload = { "rules-{rules}.nft" = "/tmp/rules-{rules}.nft" }
apply = ["nft -f /tmp/rules-{rules}.nft", { run = "echo ${HOME}", host = "generator", timeout = "5s" }]
verify = { run = "nft list ruleset | grep -c drop", expect = "{rules}" }
undo = "nft flush ruleset; rm /tmp/rules-{rules}.nft"

[[traffic]]
name = "udp4"
generator = "timeout {time_limit} pkt-gen -4 -f tx -i ix0 -l {frame_size-4} | awk '{ print }'"
receiver = "pkt-gen -f rx -i ix1 # {af}"
variables = { af = "inet4", frame_size = "64 B" }
[[traffic]]
name = "udp6"
generator = "pkt-gen -6 -f tx -i ix0 -l {length}"
variables = { af = "inet6", length = 508 }
frame = 512

[[hook]]
when = "during"
run = "pmcstat -S {{cycles}}"
[[hook]]
when = "after"
around = "experiment"
host = "sink"
run = "dmesg"

[abort]
attempts = 2
boot = "10m"

[stop]
rule = "looks"
looks = [2, 3]
"""
SMALL = 'name = "x"\n'
RULES = SMALL + '[[factor]]\nname = "rules"\n'
TWO = RULES + 'levels = [0, { value = 100, apply = "a" }]\n'


def read(text: str, lab: Lab = LAB) -> Experiment:
    return parse(text, lab)


def test_the_full_example_is_read():
    found = read(FULL)
    assert (found.name, found.lab, found.margin) == ("abdicate", "../lab.toml", 0.5)
    assert (found.blocks, found.iterations, found.reboot) == (4, 2, True)
    assert (found.order, found.seed) == ("random", 7)
    assert found.run == Run(iterations=2, warmup=3.0, duration=30.0, settle=10.0), "the rest is lab.toml's"
    assert [factor.name for factor in found.factors] == ["tx_abdicate", "rules"]
    assert found.abort == Abort(attempts=2, failed=3, boot=600.0)
    assert found.stop == StopRule("looks", None, (2, 3))
    assert found.hooks == (
        Hook("during", Action("router", "pmcstat -S {{cycles}}")),
        Hook("after", Action("sink", "dmesg"), whole=True),
    )


def test_a_plan_can_be_stored_and_read_again():
    made = plan(read(FULL), "d")
    assert msgspec.json.decode(msgspec.json.encode(made), type=Plan) == made


def test_what_runs_on_which_host_to_make_a_level_so():
    nothing, hundred = read(FULL).factors[1].levels
    assert nothing.value == 0 and not (nothing.apply or nothing.verify or nothing.undo or nothing.uploads)
    assert hundred.uploads == (Upload("router", "rules-100.nft", "/tmp/rules-100.nft"),)
    assert hundred.apply == (
        Action("router", "nft -f /tmp/rules-100.nft"),
        Action("gen", "echo ${HOME}", 5.0),
    )
    assert hundred.verify == (Check("router", "nft list ruleset | grep -c drop", "100"),)
    assert hundred.undo == (Action("router", "nft flush ruleset; rm /tmp/rules-100.nft"),)


def test_a_sysctl_is_set_verified_and_put_back():
    _, on = read(FULL).factors[0].levels
    name = "dev.ix.0.iflib.tx_abdicate"
    assert on.apply == (Action("router", f"sysctl {name}=1"),)
    assert on.verify == (Check("router", f"set -f; echo $(sysctl -n {name})", "1"),)
    [restore] = on.restore
    assert restore.command("0\n").endswith(f" || sysctl {name}=0") and on.undo == ()


def test_a_sysctl_of_several_values_is_compared_without_the_tabs_that_linux_prints(tmp_path):
    text = RULES + 'levels = [1, 2]\nsysctl = { "net.ipv4.ip_local_port_range" = "32768   {rules}" }\n'
    [check] = read(text).factors[0].levels[1].verify
    fake = tmp_path / "sysctl"
    fake.write_text("#!/bin/sh\nprintf '32768\\t2\\n'\n")
    fake.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", "-c", check.run], capture_output=True, text=True, env={"PATH": str(tmp_path)}
    )
    assert done.stdout.strip() == check.expect == "32768 2"


@pytest.mark.parametrize("before", ["7", "1 2", "", "(", None], ids=str)
def test_a_sysctl_is_put_back_as_it_was_and_left_alone_if_it_was_not_there(tmp_path, before):
    """One that comes with a module of the same level is there only once that is loaded."""
    [level, _] = read(RULES + "levels = [{value = 1, sysctl = {a.b = 3}}, 2]\n").factors[0].levels
    fake, calls = tmp_path / "sysctl", tmp_path / "calls"
    there = "exit 1" if before is None else f"echo '{before}'"
    fake.write_text(f'#!/bin/sh\n[ "$1" != -n ] || {{ {there}; exit; }}\necho "$@" >>{calls}\n')
    fake.chmod(0o755)

    def run(command: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            capture_output=True,
            text=True,
            env={"PATH": str(tmp_path)},
            check=True,
        )
        return done.stdout

    [restore] = level.restore
    run(restore.command(run(restore.read)))
    assert (calls.read_text() if calls.exists() else None) == (None if before is None else f"a.b={before}\n")


@pytest.mark.parametrize("system", ["linux", "freebsd"])
def test_a_module_is_unloaded_only_if_it_was_not_loaded_before(tmp_path, system):
    [level, _] = read(RULES + 'levels = [{value = 1, module = "dummy-x"}, 2]\n').factors[0].levels
    calls = tmp_path / "calls"
    programs = {"linux": ["modprobe"], "freebsd": ["kldload", "kldunload", "kldstat"]}[system]
    for program in programs:
        (tmp_path / program).write_text(f'#!/bin/sh\necho {program} "$@" >> {calls}\nexit 1\n')
        (tmp_path / program).chmod(0o755)

    def run(command: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", command], capture_output=True, text=True, env={"PATH": str(tmp_path)}
        )
        return done.stdout.strip()

    [restore] = level.restore
    assert run(restore.read) == "absent" != level.verify[0].expect
    run(level.apply[0].run)
    run(restore.command("loaded"))
    run(restore.command("absent"))
    expected = {
        "linux": ["modprobe dummy-x", "modprobe -r dummy-x"],
        "freebsd": ["kldstat -q -n dummy-x", "kldload -n dummy-x", "kldunload dummy-x"],
    }
    assert calls.read_text().splitlines() == expected[system]


def test_an_undo_of_ones_own_replaces_what_would_be_put_back():
    text = RULES + 'levels = [1, 2]\nsysctl = { a.b = "{rules}" }\nundo = "sysctl a.b=5"\n'
    for level in read(text).factors[0].levels:
        assert level.restore == () and level.undo == (Action("router", "sysctl a.b=5"),)


def test_an_uploaded_file_is_removed_again():
    text = RULES + "levels = [0, { value = 1, upload = { 'a b.nft' = '/tmp/a b.nft' } }]\n"
    assert read(text).factors[0].levels[1].undo == (Action("router", "rm -f '/tmp/a b.nft'"),)


def test_if_one_level_reboots_all_do():
    levels = '["6.1", { value = "6.12", apply = "nextboot", reboot = true }]'
    text = SMALL + f'[[factor]]\nname = "image"\nlevels = {levels}\n'
    assert [level.reboot for level in read(text).factors[0].levels] == [True, True]


@pytest.mark.parametrize(
    "more",
    [
        'apply = "sysctl a.b={rules}"\n',
        'upload = { "{rules}.nft" = "/tmp/x" }\napply = "nft -f /tmp/x"\n',
        'apply = "load"\n[[traffic]]\nname = "t"\ngenerator = "send {rules}"\n',
    ],
)
def test_levels_may_share_their_commands_where_something_makes_them_differ(more):
    assert len(cells(read(RULES + "levels = [1, 2]\n" + more))) == 2


def test_variables_are_bare_numbers_and_everything_else_between_braces_stays():
    found = read(FULL)
    first = cells(found)[0]
    assert first.name == "tx_abdicate=0 rules=0 traffic=udp4"
    assert dict(first.factors) == {
        "tx_abdicate": 0, "rules": 0, "traffic": "udp4", "af": "inet4", "frame_size": "64 B"
    }  # fmt: skip
    lab = lab_of(found, LAB, first)
    assert lab.generators[0].start == "timeout 63 pkt-gen -4 -f tx -i ix0 -l 60 | awk '{ print }'"
    assert lab.receiver is not None and lab.receiver.start == "pkt-gen -f rx -i ix1 # inet4"
    assert lab.run == found.run and lab.generators[0].frame == 64
    assert "length" not in cells(found)[1].factors, "only the field's own variables are factors"


@pytest.mark.parametrize(
    "text",
    ["${rules-4}", "{{rules - 4}}", "{other - 4}", "{other-one}", "{ rules }", "{rules,4}", "{ rules++ }"],
)
def test_what_has_no_variable_in_it_stays_as_it_is(text):
    apply = f"a {{rules}} {text}"
    _, level = read(RULES + f'levels = [0, 1]\napply = "{apply}"\n').factors[0].levels
    assert level.apply == (Action("router", f"a 1 {text}"),)


@pytest.mark.parametrize(
    ("own", "sends", "profiled", "limit"),
    [
        ("", "", "", 65),  # pkt-gen's own 2 s are within what is spare
        ("-w 35", "", "", 98),
        ("", "-w 35", "", 98),
        ("-w 35", "-w 40", "", 136),  # it is ready first; only then does the generator begin to wait
        ("", "-w 35", "-w 45", 108),  # the blast of a profile is sent by `at_rate`
    ],
)
def test_the_time_limit_of_a_receiver_outlasts_its_own_wait_for_a_link_and_then_the_generators(
    own: str, sends: str, profiled: str, limit: int
) -> None:
    traffic = (
        f'[[traffic]]\nname = "t"\ngenerator = "pkt-gen -f tx -i ix0 {sends}"\n'
        f'receiver = "timeout {{time_limit}} pkt-gen -f rx {own} -i ix1"\n'
    )
    text, lab = SMALL + traffic, LAB
    if profiled:
        at_rate = f"pkt-gen -f tx -i ix0 -R {{rate}} {profiled}"
        [generator] = LAB.generators
        lab = msgspec.structs.replace(LAB, generators=(msgspec.structs.replace(generator, at_rate=at_rate),))
        text += '[profile]\nrate = "300k"\n'
    found = parse(text, lab)
    receiver = lab_of(found, lab, cells(found)[0]).receiver
    assert receiver is not None and receiver.start == f"timeout {limit} pkt-gen -f rx {own} -i ix1"


def test_the_line_rate_follows_the_frames_that_a_profile_sends():
    found = read(FULL)
    four, six = (lab_of(found, LAB, cell) for cell in cells(found)[:2])
    assert four.line_rate == 14.88e6
    assert six.frame == 512 and six.line_rate == pytest.approx(14.88e6 * 84 / 532)
    unknown = read(SMALL + '[[traffic]]\nname = "t"\ngenerator = "mystery"\n')
    assert lab_of(unknown, LAB, cells(unknown)[0]).line_rate is None


def test_where_no_length_is_known_the_line_rate_is_that_of_the_labs_own_command_alone():
    [wanted] = LAB.generators
    wanted = msgspec.structs.replace(wanted, start="send short.cfg", frame=None)
    lab = msgspec.structs.replace(LAB, generators=(wanted,))
    commands = ("send short.cfg", "send long.cfg")
    found = read(
        SMALL + "".join(f'[[traffic]]\nname = "{one}"\ngenerator = "{one}"\n' for one in commands), lab
    )
    assert [lab_of(found, lab, cell).line_rate for cell in cells(found)] == [14.88e6, None]


BY_FILE = """[[factor]]
name = "frame_size"
levels = [64, "1518 B"]
host = "generator"
upload = { "pkt-{frame_size}.cfg" = "/tmp/pkt.cfg" }
"""


@pytest.mark.parametrize(("frame", "scale"), [(64, 84 / 1538), (1518, 1.0), (None, None)])
def test_frames_that_a_level_makes_longer_have_their_own_length_and_line_rate_without_traffic(
    frame: int | None, scale: float | None
) -> None:
    """Bits, the line rate and bundled packets would be reckoned of frames that nobody sends."""
    [wanted] = LAB.generators
    wanted = msgspec.structs.replace(wanted, start="trafgen --conf /tmp/pkt.cfg", frame=frame)
    attack = msgspec.structs.replace(wanted, host="bad", role=ATTACK)
    lab = msgspec.structs.replace(LAB, generators=(wanted, attack))
    found = read(SMALL + BY_FILE, lab)
    short, long = (lab_of(found, lab, cell) for cell in cells(found))
    assert (short.wanted_frame, long.wanted_frame) == (64, 1518)
    assert long.line_rate == (None if scale is None else pytest.approx(14.88e6 * scale))
    assert long.generators[1] == short.generators[1] == attack, "an attack has its own frames"
    assert long.generators[0].start == wanted.start and long.run == found.run
    assert shown_lab(found, lab, cells(found)).wanted_frame is None


OWN = "pkt-gen -f tx -i ix2 -l 60"


@pytest.mark.parametrize(
    ("attack", "more", "frame", "line_rate"),
    [
        (OWN, "", 64, 14.88e6),  # it says so itself, whatever the wanted traffic is
        (OWN, "frame = 1518\n", 64, 14.88e6),
        ("flood", "", 64, 14.88e6),  # lab.toml's own command, and lab.toml says so
        ("flood harder", "", None, None),
        ("flood harder", "frame = 1518\n", 1518, 14.88e6 * 84 / 1538),  # said of all frames
        ("flood {frame_size}", "", 1518, 14.88e6 * 84 / 1538),
    ],
)
def test_the_frames_of_an_attack_are_its_own_and_not_those_of_the_wanted_traffic(
    attack: str, more: str, frame: int | None, line_rate: float | None
) -> None:
    second = (
        'host = "bad"\ninterface = "ix2"\nrole = "attack"\nframe = 64\nline_rate = "14.88M"\nstart = "flood"'
    )
    text = tomli_w.dumps(plain(LAB)).replace("[dut]", f"[[generator]]\n{second}\n[dut]")
    lab = parse_lab(text)
    assert len(lab.generators) == 2 and lab.attacked
    wanted = "pkt-gen -f tx -i ix0 -l {frame_size-4}"
    traffic = f'[[traffic]]\nname = "t"\ngenerator = ["{wanted}", "{attack}"]\n{more}'
    found = parse(SMALL + traffic + "variables = { frame_size = 1518 }\n", lab)
    one, other = lab_of(found, lab, cells(found)[0]).generators
    assert one.sends == 1518 and one.line_rate == pytest.approx(14.88e6 * 84 / 1538)
    assert other.sends == frame
    assert other.line_rate == (line_rate if line_rate is None else pytest.approx(line_rate))


def test_bits_are_shown_of_the_frames_that_all_cells_send_else_as_hosts_count_them():
    found = read(FULL)
    assert LAB.frame is not None
    assert shown_lab(found, LAB, cells(found)[:1]).frame == 64
    assert shown_lab(found, LAB, cells(found)[1:2]).frame == 512
    both = shown_lab(found, LAB, cells(found))
    assert both.frame is None and both.hosts() == LAB.hosts() and both.run == LAB.run
    plain = read(TWO)
    assert shown_lab(plain, LAB, cells(plain)) == LAB


def test_without_traffic_the_labs_own_commands_are_used_as_they_are():
    found = read(TWO)
    [cell, _] = cells(found)
    assert cell.traffic == "" and lab_of(found, LAB, cell).generators == LAB.generators


def test_listed_cells_have_the_first_level_of_a_factor_that_they_do_not_name():
    text = FULL.replace(
        "margin", "cells = [{}, {rules = '100'}, {traffic = 'udp6', tx_abdicate = 1}]\nmargin"
    )
    assert [cell.name for cell in cells(read(text))] == [
        "tx_abdicate=0 rules=0 traffic=udp4",
        "tx_abdicate=0 rules=100 traffic=udp4",
        "tx_abdicate=1 rules=0 traffic=udp6",
    ]


def test_the_full_design_has_every_combination_once_the_baseline_first():
    found = cells(read(FULL))
    assert [cell.number for cell in found] == list(range(8))
    assert len({(*cell.levels.values(), cell.traffic) for cell in found}) == 8
    assert found[0].levels == {"tx_abdicate": 0, "rules": 0}


def test_the_uploads_are_named_without_a_lab():
    assert upload_sources(FULL) == ("rules-100.nft",)
    shared = RULES + "upload = { '{rules}.nft' = '/tmp/x' }\nlevels = [1, { value = 2, upload = {} }, 3]\n"
    assert upload_sources(shared) == ("1.nft", "3.nft")


TRAFFIC = '[[traffic]]\nname = "t"\ngenerator = "send"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "experiment.toml: name: missing; expected a string"),
        ('lab = ""\n' + SMALL, "experiment.toml: lab: expected a string that is not empty, got ''"),
        (
            SMALL + "colour = 1\n",
            "colour: unknown key; expected one of name, lab, margin, cells, run, factor, ",
        ),
        (SMALL + "margin = 1\n", 'margin: expected a percentage such as "1%" or "0.5%", got 1'),
        (SMALL + 'margin = "100%"\n', 'margin: expected a percentage below 100 %, such as "1%"'),
        (SMALL + "[run]\nblocks = 0\n", "run.blocks: expected a whole number from 1 to 1000, got 0"),
        (SMALL + "[run]\nblocks = 1001\n", "run.blocks: expected a whole number from 1 to 1000, got 1001"),
        (SMALL + "[run]\nblocks = 2\nboots = 2\n", "run.boots: expected either blocks or boots"),
        (SMALL + '[run]\nduration = "0s"\n', "run.duration: expected a duration longer than zero, got '0s'"),
        (SMALL + '[run]\nsettle = "169h"\n', "run.settle: expected a duration of at most 168h"),
        (SMALL + '[run]\norder = "abba"\n', 'run.order: expected "interleaved", "random" or "sequential"'),
        (SMALL + "[run]\nseed = -1\n", "run.seed: expected a whole number from 0 to 18446744073709551615"),
        (RULES + "levels = []\n", "factor[0].levels: expected at least one level, the baseline first"),
        (
            RULES + "levels = [true]\n",
            "factor[0].levels[0]: expected an integer, a number, a string or a table",
        ),
        (RULES + "levels = [1, 1.0]\n", "factor[0].levels[1]: 1.0 is the same level as factor[0].levels[0]"),
        (RULES + "levels = [{ valu = 1 }]\n", "factor[0].levels[0].valu: unknown key; expected one of "),
        (
            RULES + "levels = [0, 1]\n",
            "factor[0]: 0 and 1 do not differ: neither has a command, and no ",
        ),
        (
            RULES + 'levels = [0, 100, { value = 200, apply = "b" }]\napply = "nft -f /tmp/rules-100.nft"\n',
            "factor[0]: 0 and 100 do not differ: their commands are the same, and no traffic command",
        ),
        (
            RULES + "levels = [0, 1]\nreboot = true\n",
            "factor[0]: 0 and 1 do not differ: neither has a command, and no ",
        ),
        (RULES.replace("rules", "rate") + 'levels = ["fast"]\n', "factor[0].levels[0].rate: expected a rate"),
        (RULES.replace("rules", "session") + "levels = [1]\n", "[0].session: cannot be given as a factor"),
        (RULES.replace("rules", "a b!") + "levels = [1]\n", "'a b!' is not the name of a factor"),
        (
            RULES.replace("rules", "traffic") + "levels = [1]\n",
            "factor[0].name: traffic is a reserved name",
        ),
        (RULES.replace("rules", "aa") + "levels = [1]\n", "factor[0].name: aa is a reserved name"),
        (
            RULES.replace("rules", "duration") + "levels = [1]\n",
            "factor[0].name: duration is a reserved name",
        ),
        (
            RULES + 'levels = [0]\n[[factor]]\nname = "Rules"\nlevels = [1]\n',
            "factor[1].name: rules is given twice",
        ),
        (
            RULES + 'levels = [0]\nhost = "gn"\n',
            "factor[0].host: expected a host of the lab (gen, router, sink), got 'gn'",
        ),
        (
            RULES + 'levels = [{ value = 0, apply = { run = "x", host = "y" } }]\n',
            "factor[0].levels[0].apply.host: ",
        ),
        (RULES + 'levels = [0]\napply = ["a", " "]\n', "factor[0].apply[1]: expected a command of 1 to"),
        (
            RULES + 'levels = [0]\napply = "a {rule}"\n',
            "factor[0].apply: {rule} is not a variable (known: {rules}); write {{rule}} for the text {rule}",
        ),
        (
            RULES + "levels = [0]\napply = 3\n",
            "factor[0].apply: expected a string, a table or an array, got an integer",
        ),
        (
            RULES + 'levels = ["a"]\napply = "{rules-4}"\n',
            "factor[0].apply: {rules-4}: expected a whole number as rules, got 'a'",
        ),
        (RULES + 'levels = [0]\nverify = { run = "a" }\n', "factor[0].verify.expect: missing"),
        (
            RULES + 'levels = [0]\nverify = { run = "a", expect = "1\\n2" }\n',
            "factor[0].verify.expect: expected one line of plain text",
        ),
        (
            RULES + "levels = [0]\nsysctl = { a.b = true }\n",
            "factor[0].sysctl: a.b: expected a whole number or a string, got True",
        ),
        (
            RULES + "levels = [0]\nsysctl = { 'a;b' = 1 }\n",
            "factor[0].sysctl: expected the name of a sysctl, got 'a;b'",
        ),
        (RULES + "levels = [0]\nmodule = 'a;b'\n", "factor[0].module: expected the name of a kernel module"),
        (
            RULES + "levels = [0]\nupload = { a = 'tmp/a' }\n",
            "factor[0].upload.a: expected an absolute path on the host, got 'tmp/a'",
        ),
        (
            RULES + "levels = [0]\nupload = { a = '/tmp/x', b = '/tmp/x' }\n",
            "factor[0].upload.b: a is already copied to /tmp/x",
        ),
        (RULES + "levels = [0]\nmodule = ['pf', 'pf']\n", "factor[0].module: pf is given twice"),
        (
            RULES + "levels = [0]\nreboot = true\nsysctl = { a = 1 }\n",
            "factor[0].levels[0]: a sysctl or module would be lost",
        ),
        (
            TWO + '[[traffic]]\nname = "t"\ngenerator = ["a", "b"]\n',
            "traffic[0].generator: expected one command, got 2",
        ),
        (
            TWO + '[[traffic]]\nname = "t"\ngenerator = "a {af}"\n',
            "traffic[0].generator: {af} is not a variable (known: {rules}, {warmup}, ",
        ),
        (TWO + TRAFFIC + "variables = { rules = 1 }\n", "traffic[0].variables.rules: it is a factor already"),
        (
            TWO + TRAFFIC + "variables = { AA = 4 }\n",
            "variables.aa: this name is reserved",
        ),
        (TWO + TRAFFIC + "variables = { time_limit = 1 }\n", "variables.time_limit: this name is reserved"),
        (
            TWO + TRAFFIC + "variables = { frame_size = 'x' }\n",
            "traffic[0].variables.frame_size: expected the length",
        ),
        (TWO + TRAFFIC + TRAFFIC, "traffic[1].name: 't' is given twice"),
        (
            TWO + TRAFFIC + TRAFFIC.replace('"t"', '"u"') + "variables = { af = 'inet6' }\n",
            "traffic[1]: 't' and 'u' do not differ: their commands are the same",
        ),
        (TWO + TRAFFIC + "frame = 60\n", "traffic[0].frame: expected the length of a frame"),
        (
            TWO + TRAFFIC + "frame = 1518\nvariables = { frame_size = '64 B' }\n",
            "traffic[0].frame: 1518 bytes are not the frame_size of the cell rules=0, 64 B",
        ),
        (
            SMALL + '[[factor]]\nname = "frame_size"\nlevels = [64, 128]\n'
            '[[traffic]]\nname = "t"\ngenerator = "send {frame_size}"\nframe = 64\n',
            "traffic[0].frame: 64 bytes are not the frame_size of the cell frame_size=128 B, 128 B",
        ),
        (
            SMALL + BY_FILE,
            "traffic: missing; lab.toml's command sends frames of 64 bytes, which are not the frame_size of"
            " the cell frame_size=1518 B: expected a generator command with {frame_size}",
        ),
        (
            TWO.replace("[[", "cells = [{ rules = 5 }]\n[[", 1),
            "cells[0].rules: expected one of its levels (0, 100), got 5",
        ),
        (
            TWO.replace("[[", "cells = []\n[[", 1),
            "cells: expected at least one; without `cells` all combinations",
        ),
        (
            TWO + TRAFFIC.replace("send", "send {rules - 4}"),
            "traffic[0].generator: {rules - 4} looks like the variable {rules}: expected {rules},"
            " or {rules+1} or {rules-1} without spaces for another whole number",
        ),
        (
            TWO + TRAFFIC.replace("send", "send {rules/1000}"),
            "traffic[0].generator: {rules/1000} looks like the variable {rules}: expected {rules},",
        ),
        (
            (TWO + TRAFFIC).replace("rules", "tx_abdicate").replace("send", "send {tx-abdicate}"),
            "traffic[0].generator: {tx-abdicate} looks like the variable {tx_abdicate}: expected",
        ),
        (
            RULES + 'levels = [0, 1]\nverify = { run = "a", expect = "{ rules+1 }" }\napply = "a {rules}"\n',
            "factor[0].verify.expect: { rules+1 } looks like the variable {rules}: expected",
        ),
        (TWO.replace("[[", "cells = [{ af = 5 }]\n[[", 1), "cells[0].af: no factor; expected one of rules"),
        (TWO.replace("[[", "cells = [{}, { rules = 0 }]\n[[", 1), "cells[1]: the same cell as cells[0]"),
        (TWO + '[[hook]]\nwhen = "now"\nrun = "a"\n', 'hook[0].when: expected "before", "during" or "after"'),
        (TWO + '[[hook]]\nwhen = "during"\naround = "experiment"\nrun = "a"\n', "hook[0].when: expected "),
        (
            TWO + '[[hook]]\nwhen = "after"\nrun = "a {rules}"\n',
            "hook[0].run: a hook has no variables, and {rules} looks like one",
        ),
        (TWO + '[stop]\nrule = "precision"\n', "stop.precision: missing"),
        (
            TWO + '[run]\norder = "sequential"\n[stop]\nrule = "looks"\nlooks = [2]\n',
            'stop.rule: expected "fixed", since in sequential order no block ends early',
        ),
        (TWO + "[stop]\nlooks = [2]\n", 'stop.looks: expected only with rule = "looks"'),
        (
            TWO + '[stop]\nrule = "looks"\nlooks = [3, 2]\n',
            "stop.looks: expected growing numbers of blocks from 2 to 5, got [3, 2]",
        ),
        (TWO + '[stop]\nrule = "looks"\nlooks = [2, 6]\n', "stop.looks: expected growing numbers"),
        (
            TWO + "[run]\nblocks = 1000\niterations = 1000\n",
            "run: 2000000 iterations in all, expected at most 20000",
        ),
    ],
)
def test_an_error_names_file_key_and_what_was_expected(text, message):
    with pytest.raises(FwdtuiError) as caught:
        read(text)
    assert str(caught.value).startswith("experiment.toml: ") and message in str(caught.value)
    assert str(caught.value).count("experiment.toml: ") == 1
    assert "\n" not in str(caught.value)


def test_a_generator_that_nothing_starts_is_an_error():
    silent = parse_lab('[generator]\nhost = "g"\ninterface = "e"\n[dut]\nhost = "d"\nin = "a"\nout = "b"\n')
    with pytest.raises(FwdtuiError, match=r"traffic: missing; .*, since lab\.toml starts none on g"):
        read(TWO, silent)
    assert read(TWO + TRAFFIC, silent).traffic
    with pytest.raises(FwdtuiError, match=r"traffic\[0\]\.receiver: the lab has no receiver"):
        read(TWO + TRAFFIC + 'receiver = "a"\n', silent)


def test_a_design_that_nobody_can_measure_is_refused_before_it_is_made():
    factors = "".join(
        f'[[factor]]\nname = "f{number}"\nlevels = {list(range(100))}\napply = "a {{f{number}}}"\n'
        for number in range(16)
    )
    with pytest.raises(FwdtuiError, match=rf"the full design has {100**16} cells, expected at most 1000"):
        read(SMALL + factors)


def test_cells_that_would_have_one_name_are_an_error():
    text = SMALL + (
        '[[factor]]\nname = "a"\nlevels = ["1", "1 b=2"]\napply = "{a}"\n'
        '[[factor]]\nname = "b"\nlevels = ["2 b=2", "2"]\napply = "{b}"\n'
    )
    with pytest.raises(FwdtuiError, match=r"two of them would have the name 'a=1 b=2 b=2'"):
        read(text)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(), st.text(max_size=8), st.just("{rules}")
)
PLAIN = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def places(plain: object, way: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The way to every value in the file."""
    inner = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [one for key, value in inner for one in [(*way, key), *places(value, (*way, key))]]


FULL_PLACES = places(tomllib.loads(FULL))


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(FULL_PLACES), PLAIN), min_size=1, max_size=3))
def test_whatever_stands_in_a_key_the_file_is_read_or_the_error_is_a_sentence(changes):
    content = tomllib.loads(FULL)
    for way, value in changes:
        inner = content
        try:
            for key in way[:-1]:
                inner = inner[key]
            if value is None:
                del inner[way[-1]]
            else:
                inner[way[-1]] = value
        except (LookupError, TypeError):  # another change took this place away
            continue
    try:
        text = tomli_w.dumps(content)
    except (TypeError, ValueError, AttributeError):
        return  # no TOML: null within, or keys beside a list
    try:
        found = read(text)
    except FwdtuiError as error:
        assert str(error).startswith("experiment.toml: ") and "\n" not in str(error)
    else:
        msgspec.json.encode(found)
        for cell in cells(found):
            lab_of(found, LAB, cell)
