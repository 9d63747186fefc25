"""`fwdtui import`: the table of factors that it inferred, what it could not know, and corrections."""

import json
import shlex
from pathlib import Path

import pytest
from fixtures import benchlab

from fwdtui.cli import main
from fwdtui.report.cells import columns_of


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two images of which the second does not say the address family."""
    root = tmp_path / "results"
    for traffic in ("inet4", "inet6"):
        benchlab.named(root / "fbsd16", config="tx_on", traffic=traffic, runs=1)
    benchlab.named(root / "fbsd16.D1", config="tx_on", runs=1)
    return root


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> list[str]:
    """Lines on stdout of an import that is done."""
    assert main(["import", *map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_table_is_printed_aligned_with_what_is_not_known_and_the_word_that_gives_it(
    tree, tmp_path, capsys
):
    lines = printed(capsys, tree, "--into", tmp_path / "s")
    assert lines[:6] == [
        "session          case     image      config  af",
        "fbsd16.tx_on     inet4    fbsd16     tx_on   inet4",
        "fbsd16.tx_on     inet6    fbsd16     tx_on   inet6",
        "fbsd16.D1.tx_on  default  fbsd16.D1  tx_on   unknown",
        "  af: inet, inet4 and inet6 are address families",
        "af is not known in fbsd16.D1.tx_on default, where others beside it have inet4, inet6. "
        "To set it: --factors af=inet4",
    ]
    assert any("1 case, 1 iteration" in line for line in lines[6:])


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_name_with_a_line_end_makes_no_line_of_its_own(tree, tmp_path, capsys, options):
    (tree / "fbsd16" / "bench.x\n  note: all is well.1.receiver").write_text("")
    (line,) = (
        line for line in printed(capsys, tree, "--into", tmp_path / "s", *options) if "all is well" in line
    )
    assert "bench.x␊  note: all is well" in line and "a line end in its name" in line


def test_the_word_that_the_line_names_is_all_it_takes(tree, tmp_path, capsys):
    (line,) = (
        line for line in printed(capsys, tree, "--into", tmp_path / "s", "--dry-run") if "To set it" in line
    )
    option, word = line.rpartition(": ")[2].split()
    lines = printed(capsys, tree, "--into", tmp_path / "s", option, word)
    assert lines[3].split() == ["fbsd16.D1.tx_on", "default", "fbsd16.D1", "tx_on", "inet4"]
    assert "  af: given by --factors af=inet4" in lines and not any("not known" in line for line in lines)
    main(["sessions", str(tmp_path / "s"), "--json"])
    found = json.loads(capsys.readouterr().out)
    factors = [i["factors"] for one in found for case in one["cases"] for i in case["iterations"]]
    assert sorted((one["image"], one["config"], one["af"]) for one in factors) == [
        ("fbsd16", "tx_on", "inet4"),
        ("fbsd16", "tx_on", "inet6"),
        ("fbsd16.D1", "tx_on", "inet4"),
    ]


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ("fw on", "config=fw on"),
        ("$(touch x)", "config=$(touch x)"),
        ("{on}", "config=VALUE"),  # would be read as a pattern
        ("on.toml", "config=VALUE"),  # as a file
    ],
)
def test_the_word_can_be_pasted_whatever_the_value_is(tmp_path, capsys, config, word):
    for image, info in (("n1", f'CFG="{config}"\nPKTGEN="inet4"\n'), ("n2", "")):
        name = f"{image}.{config}.inet4" if info else f"{image}.inet4"
        (tmp_path / f"{name}.pps").write_text("5\n")
        (tmp_path / f"bench.{name}.info").write_text(f'IMAGE="{image}"\n{info}')
    lines = printed(capsys, tmp_path, "--into", tmp_path / "s", "--dry-run")
    (told,) = (line.rpartition("To set it: ")[2] for line in lines if "config is not known" in line)
    assert shlex.split(told) == ["--factors", word]


def test_a_dry_run_prints_the_table_and_writes_nothing(tree, tmp_path, capsys):
    lines = printed(capsys, tree, "--into", tmp_path / "s", "--dry-run")
    assert len(lines) == 6 and not (tmp_path / "s").exists()


def test_a_dry_run_says_which_files_an_import_would_not_use(tree, tmp_path, capsys):
    unused = next(tree.rglob("bench.*.receiver")).parent / "nothing.info"
    unused.write_text('IMAGE="x"\n')
    lines = printed(capsys, tree, "--into", tmp_path / "s", "--dry-run")
    assert lines[-1] == f"note: {unused}: no results belong to it"


def test_quiet_prints_paths_only(tree, tmp_path, capsys):
    lines = printed(capsys, tree, "--into", tmp_path / "s", "--quiet")
    assert sorted(lines) == sorted(map(str, (tmp_path / "s").iterdir()))


def test_a_file_in_the_tree_is_said_to_be_used(tree, tmp_path, capsys):
    (tree / "factors.toml").write_text('[results."fbsd16.D1/*".factors]\naf = "inet4"\n')
    lines = printed(capsys, tree, "--into", tmp_path / "s", "--dry-run")
    assert f"{tree / 'factors.toml'} is used" in lines


def test_roles_are_a_column_and_the_attack_a_metric(tmp_path, capsys):
    root = tmp_path / "r1-2M_leg-0to4M_dos"
    benchlab.attacked(root / "r1-2-1", 2e6, 1e6, 1.9e6)
    lines = printed(capsys, root, "--into", tmp_path / "s")
    assert lines[0].split()[-3:] == ["rate", "attack_rate", "roles"]
    assert lines[1].endswith(
        "2 Mpps  1 Mpps       sender = attack, sender_gen2 = wanted, sender_gen2_2 = wanted"
    )
    main(["sessions", str(tmp_path / "s"), "--json"])
    ((case,),) = (one["cases"] for one in json.loads(capsys.readouterr().out))
    metrics = case["iterations"][0]["metrics"]
    assert list(metrics) == ["offered", "forwarded", "received", "attack"]
    assert metrics["attack"]["median"] == pytest.approx(1e6, rel=1e-3) and metrics["attack"]["unit"] == "pps"


def test_wide_and_hostile_names_leave_the_table_aligned_and_clean(tmp_path, capsys):
    benchlab.named(tmp_path / "r" / "版本\x1b[31m", config="pf", runs=1)
    benchlab.named(tmp_path / "r" / "b", config="pf", runs=1)
    lines = printed(capsys, tmp_path / "r", "--into", tmp_path / "s", "--dry-run")
    assert "\x1b" not in "".join(lines)
    places = {columns_of(line[: line.rindex("pf")]) for line in lines[1:3]}
    assert places == {columns_of(lines[0][: lines[0].index("config")])}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            "{image}.{config}.{af}.{x}",
            "the pattern: no result fits it; the first is results/fbsd16/tx_on.inet4",
        ),
        ("{image", "unmatched brace"),
        ("inet4", "'inet4' is neither a file, nor a pattern"),
        ("config=x", "every result already has a value of config"),
        ("none.toml", "none.toml: No such file"),
    ],
)
def test_a_wrong_correction_is_one_line_and_status_2(tree, tmp_path, capsys, option, message):
    assert main(["import", str(tree), "--into", str(tmp_path / "s"), "--factors", option]) == 2
    told = capsys.readouterr()
    assert message in told.err and told.err.count("\n") == 1 and not told.out
    assert not (tmp_path / "s").exists()


def test_a_warning_of_several_iterations_has_the_figures_of_all_of_them(tmp_path, capsys):
    cases = [benchlab.Case("a", "b", [1e6, 2e6, 3e6]), benchlab.Case("a", "c", [2e6] * 6)]
    benchlab.write(tmp_path / "r", cases)
    (line,) = (
        line for line in printed(capsys, tmp_path / "r", "--into", tmp_path / "s") if "above-offered" in line
    )
    assert line.startswith(
        "  received-above-offered: 2.000 to 3.000 Mpps were received, 34.4 to 102 % more than"
    )
    assert line.endswith(" [b 2, b 3, c 1, c 2, c 3, c 4 and 2 more]")


def test_warnings_of_one_code_that_differ_in_words_are_told_apart(tmp_path, capsys):
    folder = benchlab.named(tmp_path / "r", "r9", traffic="inet4")
    for log in (folder / "bench.r9.inet4.1.receiver", folder / "bench.r9.inet4.2.sender"):
        log.write_text(log.read_text() + "ouch, thread 0 exited with error\n")
    lines = printed(capsys, folder, "--into", tmp_path / "s")
    assert [line.strip() for line in lines if "crashed:" in line] == [
        "crashed: the receiver crashed (ouch, thread 0 exited with error); repeat this iteration. [inet4 1]",
        "crashed: the generator crashed (ouch, thread 0 exited with error); repeat this iteration. [inet4 2]",
    ]


def test_one_iteration_is_counted_as_one(tmp_path, capsys):
    folder = benchlab.named(tmp_path / "r", "r9", traffic="inet4", runs=1)
    assert main(["import", str(folder), "--into", str(tmp_path / "s")]) == 0
    assert capsys.readouterr().err.startswith("1 iteration in ")
