"""`fwdtui compare --format ministat`: ministat's own options and text, clear refusals, a quick start."""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path
from statistics import mean, variance

import forked
import pytest

from fwdtui.cli import main
from fwdtui.core.model import Iteration

MINISTAT = shutil.which("ministat")
needs_ministat = pytest.mark.skipif(MINISTAT is None, reason="Debian's ministat is not installed")

# the lizards of ministat's manual page, which prints what comes out
BEFORE = "50\n200\n150\n400\n750\n400\n150\n"
AFTER = "150\n400\n720\n500\n930\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with value files."""
    (tmp_path / "before").write_text(BEFORE)
    (tmp_path / "after").write_text(AFTER)
    (tmp_path / "table.csv").write_text(
        "run,pps\n" + "".join(f"{n},{14_880_000 + n * n}\n" for n in range(9))
    )
    (tmp_path / "two").write_text("1\n2\n")
    (tmp_path / "none").write_text("# nothing\n")
    (tmp_path / "bad").write_text("1\n2\nthree\n4\n")
    (tmp_path / "nan").write_text("1\n2\n3\nnan\n")
    (tmp_path / "inf").write_text("inf\n1\n2\n3\n")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def process(*arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return forked.run("compare", "--format", "ministat", *arguments, input=stdin)


def within(*arguments: str) -> int:
    return main(["compare", "--format", "ministat", *arguments])


@needs_ministat
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-A"],
        ["-n"],
        ["-s"],
        ["-w", "40"],
        ["-w40", "-s"],
        ["-c", "99.5"],
        ["-As"],
        ["-c80", "-A"],
        ["-nA"],
    ],
)
def test_the_debian_flavour_prints_what_debians_ministat_prints(options: list[str]) -> None:
    theirs = subprocess.run(
        [str(MINISTAT), *options, "before", "after", "before"], capture_output=True, text=True, check=True
    )
    ours = process("--flavour", "debian", *options, "before", "after", "before")
    assert (ours.returncode, ours.stderr) == (0, "")
    assert ours.stdout == theirs.stdout


@needs_ministat
@pytest.mark.usefixtures("folder")
def test_columns_delimiters_and_standard_input_are_as_ministats(folder: Path) -> None:
    text = "".join((folder / "table.csv").read_text().splitlines(keepends=True)[1:])
    options = ["-C", "2", "-d", ",", "-"]
    theirs = subprocess.run([str(MINISTAT), *options], input=text, capture_output=True, text=True, check=True)
    assert process("--flavour", "debian", *options, stdin=text).stdout == theirs.stdout


@pytest.mark.usefixtures("folder")
def test_one_file_alone_has_its_vital_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    assert within("before", "-A") == 0
    assert capsys.readouterr().out == (
        "x before\n"
        "    N           Min           Max        Median           Avg        Stddev\n"
        "x   7            50           750           200           300     238.04761\n"
    )


@pytest.mark.usefixtures("folder")
def test_the_current_flavour_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert within("before", "after", "-A", "-c", "80", "--flavour", "classic") == 0
    assert "\t240 +/- 212.215\n\t80% +/- 70.7384%\n" in capsys.readouterr().out
    # the newer percent error, from the definition: t = 1.372 at 10 degrees of freedom
    iguana, chameleon = (list(map(float, text.split())) for text in (BEFORE, AFTER))
    ratio = mean(chameleon) / mean(iguana)
    spread = (4 * variance(chameleon) + 6 * variance(iguana) * ratio**2) / 10 * (1 / 5 + 1 / 7)
    error = 100 * 1.372 * spread**0.5 / mean(iguana)
    assert within("before", "after", "-A", "-c", "80") == 0
    assert f"\t240 +/- 212.215\n\t80% +/- {error:g}%\n" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_quiet_leaves_out_names_and_header(capsys: pytest.CaptureFixture[str]) -> None:
    assert within("before", "after", "-q", "-n") == 0
    out = capsys.readouterr().out
    assert [line[:5] for line in out.splitlines()] == ["x   7", "+   5"]


@pytest.mark.usefixtures("folder")
def test_labels_stand_for_the_file_names_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert within("before", "after", "-A", "--label", "r368287: IPv4") == 0
    assert capsys.readouterr().out.startswith("x r368287: IPv4\n+ after\n")


@pytest.mark.usefixtures("folder")
def test_control_characters_of_a_file_name_do_not_reach_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a\x1b[2J\nb").write_text(BEFORE)
    assert within("a\x1b[2J\nb", "-A") == 0
    assert capsys.readouterr().out.startswith("x a[2Jb\n")


@pytest.mark.usefixtures("folder")
def test_a_file_name_that_is_no_utf8_comes_out_as_it_is(folder: Path) -> None:
    name = b"caf\xe9"
    Path(os.fsdecode(bytes(folder) + b"/" + name)).write_text(BEFORE)
    done = subprocess.run(
        [sys.executable, "-m", "fwdtui", "compare", "--format", "ministat", "-A", name],
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"x caf\xe9\n")


@pytest.mark.usefixtures("folder")
def test_standard_input_has_its_place_among_the_files() -> None:
    done = process("before", "-", "-A", "-c", "80", stdin=AFTER)
    assert done.stdout.startswith("x before\n+ -\n")
    assert "\t240 +/- 212.215\n" in done.stdout
    assert process("-", "-A", "--flavour", "debian", stdin=AFTER).stdout.startswith("x <stdin>\n")


REFUSALS = [
    (["gone"], "gone: No such file or directory"),
    (["before", "gone"], "gone: No such file or directory"),
    (["folder"], "folder: a folder, but not a session"),
    (["none"], "none: no values (1 line read)"),
    (["before", "-C", "2"], "before: no values in column 2 (7 lines read)"),
    (["two"], "two: 2 values, and ministat needs at least 3"),
    (["before"] * 8, "ministat takes 1 to 7 sets, not 8"),
    (["bad"], "bad:3: not a number: 'three'"),
    (["nan"], "nan:4: not a finite number: 'nan'"),
    (["inf"], "inf:1: not a finite number: 'inf'"),
    (["nan", "-n"], "nan:4: not a finite number: 'nan'"),
    (["before", "-c", "97"], "ministat has no confidence level 97; it has 80, 90, 95, 98, 99, 99.5"),
    (["before", "-c", "many"], "--confidence: 'many' is not a percentage"),
    (["before", "-c", "nan"], "--confidence: 'nan' is not a percentage"),
    (["before", "-w", "1"], "a plot cannot be 1 characters wide: 2 to 1000000"),
    (["before", "-w", "0"], "a plot cannot be 0 characters wide"),
    (["before", "-w", "-5"], "a plot cannot be -5 characters wide"),
    (["before", "-w", "wide"], "-w: 'wide' is not a whole number"),
    (["before", "-C", "0"], "-C: '0' is not a column number; the first is 1"),
    (["before", "-C", "x"], "-C: 'x' is not a column number; the first is 1"),
    (["before", "-d", ""], "-d: needs at least one character"),
    (["before", "--flavour", "linux"], "--flavour: 'linux' is not one of current, classic, debian"),
    (["before", "--format", "html"], "--format: 'html' is not one of table, ministat, json, markdown"),
    (["before", "--explain"], "--explain cannot be combined with --format ministat"),
    (["before", "--margin", "2%"], "--margin cannot be combined with --format ministat"),
    (["before", "--label", "a", "--label", "b"], "--label is given 2 times for 1 file"),
    (["-", "-"], "-: standard input can be read only once"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "message"), REFUSALS, ids=[" ".join(each) for each, _ in REFUSALS])
def test_a_refusal_is_one_line_and_exit_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert within(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"fwdtui: {message}")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments", [["gone"], ["bad"], ["two"], ["nan"], ["before", "-w", "1"], ["-c", "97", "two"]]
)
def test_a_process_that_refuses_ends_with_2_and_no_traceback(arguments: list[str]) -> None:
    done = process(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"fwdtui: [^\n]+\n", done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["-A", "-n", "-q", "-s", "-w 40", "--flavour debian"])
def test_ministats_own_options_need_its_format(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "before", "after", *option.split()]) == 2
    assert capsys.readouterr().err == f"fwdtui: {option.split()[0]} works only with --format ministat\n"


@pytest.mark.usefixtures("folder")
def test_fail_if_slower_answers_with_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert within("before", "after", "-c", "80", "--fail-if", "slower") == 0
    assert within("after", "before", "--fail-if", "slower") == 0  # not proven at 95 %
    assert within("after", "before", "-c", "80") == 0
    assert capsys.readouterr().err == ""
    assert within("after", "before", "-c", "80", "--fail-if", "slower") == 1
    assert capsys.readouterr().err == "fwdtui: slower: before against after\n"


def test_of_times_the_longer_one_is_slower_for_a_gate_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from fwdtui.store import SessionWriter

    for name, times in (("short", (10.0, 10.1, 10.2)), ("long", (20.0, 20.1, 20.2))):
        with SessionWriter.create(
            folder / name, label=name, created="2020-12-01T00:00:00+00:00", facts={}
        ) as writer:
            for one in times:
                writer.begin("rtt").commit(Iteration(index=0, value=one, unit="us"))
    assert within("short", "long", "--fail-if", "slower") == 1
    assert capsys.readouterr().err == "fwdtui: slower: long: rtt against short: rtt\n"
    assert within("short", "long", "--fail-if", "faster") == 0
    assert within("long", "short", "--fail-if", "slower") == 0
    assert within("long", "short", "--fail-if", "faster") == 1


def test_sessions_are_compared_case_by_case(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from fwdtui.store import SessionWriter

    for name, text in (("base", BEFORE), ("patched", AFTER)):
        with SessionWriter.create(
            folder / name, label=name, created="2020-12-01T00:00:00+00:00", facts={}
        ) as writer:
            for case in ("inet4", "inet6"):
                for line in text.split():
                    writing = writer.begin(case)
                    writing.commit(Iteration(index=0, value=float(line)))
    assert within("base", "patched", "-A", "-c", "80") == 0
    out, _ = capsys.readouterr()
    blocks = out.split("\n\n")
    assert [block.splitlines()[:2] for block in blocks] == [
        [f"x base: {case}", f"+ patched: {case}"] for case in ("inet4", "inet6")
    ]
    assert all("\t240 +/- 212.215\n" in block for block in blocks)
    assert within("base:inet4", "after", "-A", "-c", "80") == 0
    assert "\t240 +/- 212.215\n" in capsys.readouterr().out
    assert within("base", "-n") == 0
    assert capsys.readouterr().out.count("x   7") == 2
    assert within("base:ospf", "patched") == 2
    assert "no case 'ospf'" in capsys.readouterr().err


def test_one_session_is_not_pooled_or_damaged_without_a_word(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from fwdtui.store import SessionWriter, drop

    with SessionWriter.create(folder / "one", label="one", created="2020-12-01T00:00:00+00:00") as writer:
        for _ in range(4):
            writer.begin("inet4").commit(Iteration(index=0, value=1000.0))
    drop(folder / "one", "inet4", 4, "the link bounced")
    assert within("one", "-A") == 0
    assert capsys.readouterr().err == (
        "fwdtui: one, inet4: dropped by hand and not counted: iteration 4 (the link bounced)\n"
    )
    annotations = folder / "one" / "annotations.toml"
    annotations.write_text(f"{annotations.read_text()}x = [\n")
    assert within("one", "-A") == 0
    out, err = capsys.readouterr()
    assert "\nx   4 " in out and err.startswith("fwdtui: one/annotations.toml: ")
    assert err.endswith(": its label, note, factors and dropped iterations are not used\n")
    with SessionWriter(folder / "one") as writer:
        writer.begin("inet4").commit(Iteration(index=0, value=1000.0, unit="Mb/s"))
    assert within("one", "-A") == 2
    assert capsys.readouterr().err == (
        "fwdtui: one inet4 iteration 1 is in pps and one inet4 iteration 5 in Mb/s: they cannot be compared\n"
    )


def written(folder: Path, label: str, cases: dict[str, list[float]], frame: str = "") -> str:
    """A session of these values."""
    from fwdtui.store import SessionWriter

    factors = {"frame_size": frame} if frame else {}
    created = "2020-12-01T00:00:00+00:00"
    with SessionWriter.create(folder / label, label=label, created=created, factors=factors) as writer:
        for case, numbers in cases.items():
            for value in numbers:
                writer.begin(case).commit(Iteration(index=0, value=value))
    return label


HIGH, LOW = [100.0, 101.0, 102.0], [90.0, 91.0, 92.0]


def test_frames_of_another_length_have_no_verdict_and_no_gate_takes_one_from_the_block(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = written(folder, "r1", {"inet4": HIGH}, "64 B")
    other = written(folder, "r2", {"inet4": LOW}, "1518 B")
    why = "fwdtui: no verdict: r2: inet4 against r1: inet4: it is not the same test: frame_size is 64 B in "
    for one, beside, word in ((base, other, "slower"), (other, base, "slower"), (base, other, "faster")):
        assert within(one, beside, "-A", "--fail-if", word) == 2
        out, err = capsys.readouterr()
        assert "Difference at" in out and err.count("\n") == 1
        assert err.startswith(why) or beside == base
    assert within(base, other, "-A", "--fail-if", "inconclusive") == 1, "a verdict that is impossible is open"
    capsys.readouterr()
    assert within(base, other, "-A") == 0
    assert capsys.readouterr().err.startswith(why), "the block itself cannot say it"


def test_where_nobody_knows_what_was_dropped_no_gate_passes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, other = written(folder, "r1", {"inet4": HIGH}), written(folder, "r2", {"inet4": LOW})
    for damaged in (base, other):
        annotations = folder / damaged / "annotations.toml"
        annotations.write_text("x = [\n")
        assert within(base, other, "-A", "--fail-if", "faster") == 2
        assert capsys.readouterr().err.endswith(
            "fwdtui: not proven: r2: inet4 against r1: inet4: what was dropped by hand cannot be read, so "
            "iterations may count that should not (annotations-unread)\n"
        )
        assert within(base, other, "-A", "--fail-if", "slower") == 1, "a no stays a no"
        capsys.readouterr()
        annotations.unlink()


def test_a_case_with_too_few_values_hides_no_other_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = written(folder, "r1", {"few": HIGH[:2], "inet4": HIGH, "inet6": HIGH})
    other = written(folder, "r2", {"few": LOW, "inet4": LOW, "inet6": HIGH})
    third = written(folder, "r3", {"few": LOW, "inet4": LOW[:1], "inet6": LOW})
    assert within(base, other, "-A") == 2
    out, err = capsys.readouterr()
    assert [text.split("\n")[:2] for text in out.split("\n\n")] == [
        [f"x r1: {case}", f"+ r2: {case}"] for case in ("inet4", "inet6")
    ]
    assert err == "fwdtui: r1: few: 2 values, and ministat needs at least 3\n"
    assert within(base, other, "-A", "--fail-if", "slower") == 1
    assert capsys.readouterr().err == (
        "fwdtui: slower: r2: inet4 against r1: inet4\n"
        "fwdtui: no verdict: r1: few: 2 values, and ministat needs at least 3\n"
    )
    assert within(base, other, "-A", "--fail-if", "faster") == 2
    assert capsys.readouterr().err == "fwdtui: no verdict: r1: few: 2 values, and ministat needs at least 3\n"
    assert within(base, other, "-A", "--fail-if", "inconclusive") == 1
    capsys.readouterr()
    assert within(base, third, other, "-A", "--fail-if", "slower") == 1
    out, err = capsys.readouterr()
    assert out.startswith("x r1: inet4\n+ r2: inet4\n"), "nor does a candidate hide another one"
    assert "no verdict: r3: inet4: 1 value, and" in err
    assert within("r1", "-A") == 2
    out, err = capsys.readouterr()
    assert out.count("x   3") == 2
    assert err == "fwdtui: r1: few: 2 values, and ministat needs at least 3\n"


def test_neither_does_a_case_that_cannot_be_plotted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wide = [-1.7e308, 1.7e308, 1.0]
    base = written(folder, "r1", {"wide": wide, "inet4": HIGH})
    other = written(folder, "r2", {"wide": wide, "inet4": LOW})
    assert within(base, other, "--fail-if", "slower") == 1
    out, err = capsys.readouterr()
    assert out.startswith("x r1: inet4\n")
    assert err == (
        "fwdtui: r1: wide: the range of the values is too wide or too narrow to plot; -A leaves it out\n"
        "fwdtui: slower: r2: inet4 against r1: inet4\n"
    )
    assert within(base, other) == 2


def on_terminal(command: list[str], columns: int, environment: dict[str, str]) -> str:
    """What a command prints on a terminal so wide."""
    leader, follower = pty.openpty()
    try:
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        attributes = termios.tcgetattr(follower)
        attributes[1] &= ~termios.OPOST
        termios.tcsetattr(follower, termios.TCSANOW, attributes)
        plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        with subprocess.Popen(command, stdout=follower, env={**plain, **environment}) as child:
            os.close(follower)
            follower = -1
            parts = []
            while True:
                try:
                    part = os.read(leader, 4096)
                except OSError:  # Linux: the other side is closed
                    break
                if not part:
                    break
                parts.append(part)
            assert child.wait(30) == 0
        return b"".join(parts).decode()
    finally:
        os.close(leader)
        if follower >= 0:
            os.close(follower)


@needs_ministat
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("columns", "environment"), [(100, {}), (80, {"COLUMNS": "50"}), (0, {}), (60, {"COLUMNS": ""})]
)
def test_on_a_terminal_the_plot_is_as_wide_as_ministats(columns: int, environment: dict[str, str]) -> None:
    ours = [sys.executable, "-m", "fwdtui", "compare", "--format", "ministat", "--flavour", "debian"]
    files = ["before", "after"]
    assert on_terminal([*ours, *files], columns, environment) == on_terminal(
        [str(MINISTAT), *files], columns, environment
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("columns", ["0", "1", "wide", "-3"])
def test_a_width_that_ministat_would_break_at_becomes_the_usual_one(columns: str) -> None:
    command = [sys.executable, "-m", "fwdtui", "compare", "--format", "ministat", "before"]
    assert on_terminal(command, 100, {"COLUMNS": columns}).splitlines()[1] == f"+{'-' * 74}+"


@pytest.mark.usefixtures("folder")
def test_a_small_comparison_loads_nothing_heavy() -> None:
    program = (
        "import sys; from fwdtui.cli import main\n"
        "status = main(['compare', 'before', 'after', '--format', 'ministat'])\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
        "sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    heavy = {"numpy", "scipy", "textual", "rich", "asyncssh", "asyncio", "plotext", "msgspec", "matplotlib"}
    assert "fwdtui" in loaded
    assert loaded & heavy == set()


@pytest.mark.usefixtures("folder")
def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    (folder / "tall").write_text("1\n" * 200_000 + "2\n")
    script = f"{sys.executable} -m fwdtui compare --format ministat tall | head -3; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 3
    assert done.returncode == 141


def test_help_names_ministats_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert within("--help") == 0
    out = capsys.readouterr().out
    assert all(
        option in out for option in ("-A", "-n", "-q", "-s", "-w WIDTH", "-C COLUMN", "-d CHARS", "--flavour")
    )
