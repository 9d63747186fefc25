"""Whatever stands in a file, a name or an argument: nothing in it acts on the terminal of a command.

Every command is run in a pseudo terminal, and the bytes that arrive there are looked at.
"""

import json
import re
from pathlib import Path

import pytest
from in_terminal import run

from fwdtui.cli import COMMANDS
from fwdtui.core.model import Caution, Iteration
from fwdtui.core.text import is_plain
from fwdtui.store import SessionWriter

# a title and a clipboard for the terminal, colours and cursor in seven and eight bits, every kind of the rest
ACTS = "\x1b]0;t\x07\x1b]52;c;eA==\x07\x1b[2K\x1b[31m\r\x08\x7f\x85\x9b31m\x9d0;t\x9c"
REORDERS = "\u202e\u2066\u200f\u061c\u2028"
UNSEEN = "\u200b\u200d\u2060\ufeff\ufe0f\u00ad\u3164\U000e0041"
HOSTILE = f"x{ACTS}{REORDERS}{UNSEEN}y"
NAME = HOSTILE + "\udcff"  # a byte that is not UTF-8
PLACE = "put-it-here"
CREATED = "2026-01-02T03:04:05+00:00"
ON_PURPOSE = re.compile(r"\x1b\[(?:0|1|3[1-6])m|\r\x1b\[K|\r\n")  # colours, the line of progress, line ends
POINTER = re.compile(r"\x1b\]22;[a-z-]*\x07")  # Textual chooses the shape of the mouse pointer

LAB = """
name = {text}
[generator]
host = "gen"
interface = "eth0"
start = {text}
[dut]
host = {host}
in = "eth0"
out = "eth1"
"""

EXPERIMENT = """
name = {text}
[[factor]]
name = "rules"
levels = [0, {{ value = {text}, apply = {text}, undo = {text}, verify = {{ run = {text}, expect = "1" }} }}]
[[factor]]
name = "files"
levels = [0, {{ value = 1, upload = {{ {text} = "/tmp/x" }} }}]
[[traffic]]
name = {text}
generator = {text}
[[hook]]
when = "after"
run = {text}
"""


def filled(path: Path) -> None:
    """Put the text where the writer was given a word for it: no writer of ours would let it in."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(PLACE, in_toml(HOSTILE)[1:-1]), encoding="utf-8")


def in_toml(text: str) -> str:
    return '"' + "".join(one if one.isalnum() else f"\\U{ord(one):08x}" for one in text) + '"'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sessions, two value files, a lab and a report, with the text wherever there is place for it."""
    for name, factor in (("a", 1.0), (NAME, 1.1)):
        facts = {f"{PLACE}.x": PLACE, "dut.os": PLACE}
        path = tmp_path / "sessions" / name
        with SessionWriter.create(path, label=PLACE, created=CREATED, facts=facts) as session:
            for value in (1.0e6, 1.2e6, 1.1e6):
                cautions = (Caution(HOSTILE, f"It is {HOSTILE}."),)
                session.begin(HOSTILE).commit(
                    Iteration(index=0, value=value * factor, source=HOSTILE, warnings=cautions)
                )
        (path / "annotations.toml").write_text(f'version = 1\nnote = "{PLACE}"\n')
        (tmp_path / name).write_text("1\n2\n3\n")
        filled(path / "session.toml")
        filled(path / "annotations.toml")
    # of a call graph, so that a line end in it begins a line that is none
    graph = f"@ {HOSTILE} [9 samples]\n\n100.0%  [9]   {HOSTILE}\n 100.0%  [9]    a{HOSTILE}\n\n{HOSTILE}\n"
    (tmp_path / "profile.graph").write_text(f"@ x [9 samples]\n\n100.0%  [9]   b\n\n{graph}")
    text = in_toml(HOSTILE)
    (tmp_path / "lab.toml").write_text(LAB.format(text=text, host='"127.0.0.1:1"'))
    (tmp_path / "bad.toml").write_text(LAB.format(text=text, host=text))
    (tmp_path / "experiment.toml").write_text(EXPERIMENT.format(text=text))
    (tmp_path / HOSTILE).write_text(HOSTILE)
    (tmp_path / "bad-experiment.toml").write_text(EXPERIMENT.format(text=text).replace('"/tmp/x"', text))
    (tmp_path / "report.md").write_text(f"# {HOSTILE}\n\n```\nx {HOSTILE}\n+ {HOSTILE}\n```\n10% {HOSTILE}\n")
    return tmp_path


def refused(text: str) -> list[str]:
    """What is in it beside plain text, line ends, and what fwdtui says to a terminal on purpose."""
    rest = ON_PURPOSE.sub("", text)
    return sorted({hex(ord(one)) for one in rest if one != "\n" and not is_plain(one)})


A, B = "sessions/a", f"sessions/{NAME}"
CASES = {
    "sessions": ["sessions"],
    "sessions --json": ["sessions", "--json"],
    "sessions of a folder of that name": ["sessions", NAME],
    "compare": ["compare", A, B, "--explain", "--plot"],
    "compare --format json": ["compare", A, B, "--format", "json"],
    "compare --format markdown": ["compare", A, B, "--format", "markdown"],
    "compare --format ministat": ["compare", A, B, "--format", "ministat"],
    "compare values": ["compare", "a", NAME],
    "compare values as json": ["compare", "a", NAME, "--format", "json"],
    "compare values as ministat": ["compare", "a", NAME, "--format", "ministat", "--fail-if", "slower"],
    "compare with labels": ["compare", "a", NAME, "--label", HOSTILE, "--label", NAME],
    "compare what is not there": ["compare", "a", f"{NAME}-gone"],
    "report": ["report", A, B, "-o", f"{NAME}.md", "--title", HOSTILE, "--without", "charts"],
    "report of what is not there": ["report", A, f"{NAME}-gone", "-o", "x.md"],
    "import": ["import", NAME, "--into", f"{NAME}-into"],
    "check": ["check", "report.md", f"{NAME}-gone"],
    "check --json": ["check", "report.md", "--json"],
    "replay": ["replay", f"{A}/{NAME}"],
    "doctor": ["doctor"],
    "doctor --json": ["doctor", "--json"],
    "doctor of a bad lab": ["doctor", "bad.toml"],
    "doctor of no lab": ["doctor", f"{NAME}.toml"],
    "live": ["live", "--headless", "--for", "1s", "--session", NAME, "--case", HOSTILE],
    "run": ["run", "bad.toml", "--headless", "--session", NAME],
    "trust": ["trust", ".", "--yes"],
    "trust of another file": ["trust", "bad.toml"],
    "trust of what is not there": ["trust", f"{NAME}-gone"],
    "trust --forget": ["trust", "--forget", NAME],
    "experiment": ["experiment", ".", "--dry-run"],
    "experiment --json": ["experiment", ".", "--dry-run", "--json"],
    "experiment --headless": ["experiment", ".", "--headless", "--session", NAME],
    "experiment that is bad": ["experiment", "bad-experiment.toml", "--dry-run"],
    "experiment on another lab": ["experiment", ".", "--dry-run", "--lab", "bad.toml"],
    "experiment that is not there": ["experiment", f"{NAME}-gone", "--dry-run"],
    "profile show": ["profile", "show", "profile.graph"],
    "profile show --format json": ["profile", "show", "profile.graph", "--format", "json"],
    "profile show --format csv": ["profile", "show", "profile.graph", "--format", "csv"],
    "profile show --format markdown": ["profile", "show", "profile.graph", "--format", "markdown"],
    "profile show --under": ["profile", "show", "profile.graph", "--under", HOSTILE],
    "profile compare": ["profile", "compare", "profile.graph", "profile.graph"],
    "profile compare of no profiles": ["profile", "compare", A, B],
    "profile fold": ["profile", "fold", "profile.graph"],
    "profile import": ["profile", "import", "profile.graph", A, "--case", HOSTILE],
    "profile import into no case": ["profile", "import", "profile.graph", A, "--case", f"{NAME}-gone"],
    "lab": ["lab", "status", "--dir", NAME],
    "demo": ["demo", HOSTILE],
    "no command": [NAME],
}


def test_every_command_is_tried():
    assert {arguments[0] for arguments in CASES.values()} >= set(COMMANDS)


@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES.keys())
def test_nothing_reaches_the_terminal_but_text(arguments, folder):
    _, written = run(*arguments, cwd=folder)
    assert written.strip(), "it says something"
    assert refused(written.decode("utf-8", "surrogateescape")) == []
    assert b"Traceback" not in written


@pytest.mark.parametrize("name", [name for name in CASES if "json" in name])
def test_the_json_of_a_hostile_file_is_json(name, folder):
    _, written = run(*CASES[name], cwd=folder)
    assert json.loads(written.decode().partition("\r\nfwdtui:")[0]) is not None


def test_the_files_of_a_report_hold_plain_text_only(folder):
    status, _ = run("report", A, B, "-o", "new.md", cwd=folder)
    assert status == 0
    for file in [folder / "new.md", *(folder / "new.d").rglob("*")]:
        if file.is_file() and file.suffix in (".md", ".svg", ".txt", ".tsv", ".dat", ""):
            assert refused(file.read_text(encoding="utf-8")) == [], file


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_nothing_in_the_apps_screens_acts_on_the_terminal(size, folder):
    """The list and a session. Textual itself writes ESC and CR."""
    (folder / "lab.toml").unlink()
    keys = [("demo", b"2"), ("median", b"\r"), ("1-7", b"q")]
    _, written = run(cwd=folder, keys=keys, size=size)
    text = POINTER.sub("", written.decode("utf-8", "surrogateescape"))
    assert set(refused(text)) <= {"0x1b", "0xd"}
    assert "\x1b]52" not in text and "\x1b]0" not in text
    assert "\\u200b" in text, "what is unseen is spelled out"
