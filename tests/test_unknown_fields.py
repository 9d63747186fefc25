"""One field too many in each file of ours: told by its key where people write the file by hand, and passed
over where a later fwdtui may have added it (docs/session-format.md, Versions)."""

import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fwdtui.core import lab
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, RateSample, Summary
from fwdtui.labs.simulated import scenario
from fwdtui.store import SessionWriter, annotations, factors_file, read_samples, read_session
from fwdtui.store.schema import decode_iteration
from fwdtui.transport import trusted
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.common import config
from fwdtui.ui.common.state import Memory, State
from fwdtui.ui.theme import themes

LAB = """
name = "x"
[ssh]
[sampling]
[generator]
host = "g"
interface = "e0"
[dut]
host = "d"
in = "e1"
out = "e2"
[receiver]
host = "r"
interface = "e3"
[run]
[profile]
"""
ENDPOINT = "host, interface, tool, start, stop"
THEME = 'name = "mine"\ndark = true\n[colors]\nprimary = "red"\n[graph]\n[verdict]\n[interface]\n'
SCENARIO = """
name = "x"
title = "x"
see = "x"
expect = "idle"
[generator]
rate = 1
[dut]
[noise]
[link_down]
first = 1
length = 1
"""
FACTORS = '[factors]\naf = "inet4"\n[results."*"]\nwithout = ["rate"]\n'
EXTRA = 'colour = "red"\n'


def to_lab(path: Path) -> object:
    return lab.parse(path.read_text(), str(path))


def to_scenario(path: Path) -> object:
    return scenario.parse(path.read_text(), str(path))


REFUSED: list[tuple[Callable[[Path], object], str, str, str]] = [
    (
        to_lab,
        LAB,
        "",
        "colour: unknown key; expected one of name, ssh, sampling, generator, dut, ",
    ),
    (to_lab, LAB, "ssh", "ssh.colour: unknown key; expected one of config_file, known_hosts"),
    (to_lab, LAB, "sampling", "sampling.colour: unknown key; expected one of interval"),
    (
        to_lab,
        LAB,
        "generator",
        f"generator.colour: unknown key; expected one of {ENDPOINT}, at_rate, line_rate, frame, role",
    ),
    (to_lab, LAB, "dut", "dut.colour: unknown key; expected one of host, in, out, os"),
    (to_lab, LAB, "profile", "profile.colour: unknown key; expected one of idle"),
    (to_lab, LAB, "receiver", f"receiver.colour: unknown key; expected one of {ENDPOINT}"),
    (to_lab, LAB, "run", "run.colour: unknown key; expected one of iterations, warmup, duration, settle"),
    (
        themes.load,
        THEME,
        "",
        "colour: unknown key; expected one of name, dark, colors, graph, verdict, ansi, interface",
    ),
    (themes.load, THEME, "colors", "colors.colour: no such key (there are primary, "),
    (themes.load, THEME, "graph", "graph.colour: no such key (there are offered, "),
    (themes.load, THEME, "verdict", "verdict.colour: no such key (there are faster, "),
    (themes.load, THEME, "interface", "interface.colour: no such variable"),
    (factors_file.read, FACTORS, "", "colour: unknown key; expected one of pattern, factors, results"),
    (
        factors_file.read,
        FACTORS,
        'results."*"',
        "results.*.colour: unknown key; expected one of factors, without, roles",
    ),
    (to_scenario, SCENARIO, "", "colour: unknown key; expected one of name, title, see, expect, generator, "),
    (to_scenario, SCENARIO, "generator", "generator.colour: unknown key; expected one of rate, sources, "),
    (to_scenario, SCENARIO, "dut", "dut.colour: unknown key; expected one of cores, queues, "),
    (to_scenario, SCENARIO, "noise", "noise.colour: unknown key; expected one of between, within"),
    (
        to_scenario,
        SCENARIO,
        "link_down",
        "link_down.colour: unknown key; expected one of first, ",
    ),
]


@pytest.mark.parametrize(
    ("read", "text", "table", "told"), REFUSED, ids=[f"{row[0].__name__} {row[2]}" for row in REFUSED]
)
def test_a_file_that_people_write_is_refused_with_the_key(tmp_path, read, text, table, told):
    path = tmp_path / "file.toml"
    path.write_text(text)
    read(path)  # without it, the file is good
    path.write_text(text.replace(f"[{table}]\n", f"[{table}]\n{EXTRA}") if table else EXTRA + text)
    with pytest.raises(FwdtuiError) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path}: {told}")


@pytest.mark.parametrize(
    ("key", "line"), [("line_rate", 'line_rate = "1M"'), ("frame", "frame = 64"), ("role", 'role = "wanted"')]
)
def test_a_receiver_has_no_line_rate_frames_or_role_of_its_own(key, line):
    with pytest.raises(FwdtuiError, match=rf"receiver\.{key}: unknown key"):
        lab.parse(LAB.replace("[receiver]\n", f"[receiver]\n{line}\n"))


def test_a_setting_that_is_none_is_told_and_the_others_count(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(EXTRA + 'theme = "mine"\n')
    assert config.read(path) == config.Config("mine", problems=(f"{path}: colour: no such setting",))


def test_what_a_later_app_remembers_besides_is_passed_over(tmp_path):
    path = tmp_path / "state.json"
    path.write_text('{"version": 1, "colour": "red", "theme": "mine"}')
    memory = Memory(path)
    assert (memory.state, memory.problem) == (State(theme="mine"), "")


def test_what_a_later_fwdtui_remembers_of_a_trusted_file_is_passed_over(tmp_path):
    path = tmp_path / "lab.toml"
    path.write_text(LAB)
    file = TextFile(path, path.read_bytes())
    trusted.allow(path, [file])
    held = json.loads(trusted.store().read_text())
    (entry,) = held["allowed"].values()
    held["colour"] = entry["colour"] = entry["files"][str(path)]["colour"] = "red"
    trusted.store().write_text(json.dumps(held))
    assert trusted.is_allowed(path, [file])
    held["version"] += 1
    trusted.store().write_text(json.dumps(held))
    assert not trusted.is_allowed(path, [file])


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    with SessionWriter.create(folder, label="base", created="2026-01-02T03:04:05+00:00") as writer:
        writing = writer.begin("inet4")
        writing.append(RateSample("receiver", 1.0, 1.0, 1000.0))
        writing.attach("receiver.log", b"raw")
        metrics = {"received": Summary(1.0, 1.0, 1.0, 1.0, 1)}
        writing.commit(Iteration(0, 1.0, source="receiver.log", metrics=metrics))
    return folder


def test_fields_that_a_later_fwdtui_added_to_a_session_are_passed_over(session):
    before = read_session(session)
    assert before.problems == ()
    path = session / "session.toml"
    path.write_text(EXTRA + path.read_text())

    path = session / "inet4" / "001" / "iteration.json"
    content = json.loads(path.read_bytes())
    content["colour"] = content["metrics"]["received"]["colour"] = "red"
    content["checksum"] = checksum_of(content)
    path.write_text(json.dumps(content))
    assert decode_iteration(path.read_bytes(), path).value == 1.0

    path = session / "inet4" / "001" / "samples.jsonl"
    payload = b'{"kind":"rate","role":"receiver","t":2.0,"interval":1.0,"pps":1001.0,"colour":"red"}'
    with path.open("ab") as file:
        file.write(b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload))
    log = read_samples(path.parent)
    assert [sample.t for sample in log.samples] == [1.0, 2.0] and log.problems == ()

    assert read_session(session) == before


def test_fields_that_a_later_fwdtui_added_to_annotations_are_passed_over_and_kept(session):
    path = session / annotations.ANNOTATIONS_FILE
    path.write_text(EXTRA + 'note = "mine"\n[[dropped]]\ncase = "inet4"\nindex = 1\nreason = "odd"\n' + EXTRA)
    said = annotations.read_annotations(session)
    assert (said.note, said.problems) == ("mine", ())
    assert [(one.case, one.index, one.reason) for one in said.dropped] == [("inet4", 1, "odd")]
    annotations.annotate(session, "another")
    assert path.read_text().count(EXTRA) == 2


def checksum_of(content: dict[str, object]) -> str:
    """As docs/session-format.md says: over the JSON without `checksum`, sorted and without white space."""
    rest = {key: value for key, value in content.items() if key != "checksum"}
    return "sha256:" + hashlib.sha256(msgspec.json.encode(rest, order="sorted")).hexdigest()
