"""`compare` and `report` by factors, as commands: the options, what they print, and a published 2x2x2."""

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from factored import MEANS, values

from fwdtui.cli import main
from fwdtui.core.model import Iteration
from fwdtui.report import bundle, export
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.factor_view import FactorView
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter

Capture = pytest.CaptureFixture[str]


def written(
    folder: Path, factors: Mapping[str, str], cases: Mapping[str, Sequence[float]], unit: str = "pps"
) -> str:
    """A session on disk; the name of a case is its config and af."""
    case_factors = {name: dict(zip(("config", "af"), name.split("."), strict=False)) for name in cases}
    with SessionWriter.create(
        folder, label=folder.name, created="", factors=factors, case_factors=case_factors
    ) as writer:
        for case, numbers in cases.items():
            for number in numbers:
                writer.begin(case).commit(Iteration(index=0, value=number, unit=unit))
    return str(folder)


@pytest.fixture
def cube(tmp_path: Path) -> list[str]:
    """A session for each image, with four cases: config x af."""
    return [
        written(
            tmp_path / image,
            {"image": image},
            {f"{config}.{af}": values(mean) for (of, config, af), mean in MEANS.items() if of == image},
        )
        for image in ("old", "new")
    ]


@pytest.fixture
def run(capsys: Capture) -> Callable[..., tuple[int, str, str]]:
    def command(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        return status, *capsys.readouterr()

    return command


Run = Callable[..., tuple[int, str, str]]


def test_the_table_has_a_row_for_each_cell_and_the_interactions_below(run: Run, cube: list[str]) -> None:
    status, out, err = run("compare", *cube, "--by", "image")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "by image   baseline old   candidate new   margin 1 %   confidence 95 %"
    assert [line.split("  ")[0] for line in lines[2:7]] == [
        "config, af",
        "off inet4",
        "off inet6",
        "on inet4",
        "on inet6",
    ]
    assert "inet4: new costs 44." in out and "it depends" in " ".join(out.split())


def test_one_folder_works_as_well_as_two(run: Run, cube: list[str]) -> None:
    status, out, _ = run(
        "compare", cube[1], "--by", "config", "--filter", "af=inet4", "--baseline", "config=on"
    )
    assert status == 0
    assert out.startswith("by config   only af=inet4   baseline on   candidate off   margin")
    assert re.search(r"^inet4 .* −50\.00 % .* slower$", out, re.MULTILINE)


def test_names_of_factors_are_read_as_people_write_them(run: Run, cube: list[str]) -> None:
    once = run("compare", *cube, "--by", "Image", "--within", "Config,AF")
    assert once == run("compare", *cube, "--by", "image", "--within", "config", "--within", "af")
    assert once[0] == 0


def test_ministats_format_has_a_block_for_each_cell(run: Run, cube: list[str]) -> None:
    status, out, err = run(
        "compare", *cube, "--by", "image", "--filter", "config=on", "--format", "ministat", "-A"
    )
    assert (status, err) == (0, "")
    assert re.findall(r"^[x+] .*: .*$", out, re.MULTILINE) == [
        *("x old: inet4", "+ new: inet4"),
        *("x old: inet6", "+ new: inet6"),
    ]
    assert out.count("Difference at 95.0% confidence") == 2


def test_json_has_the_factors_of_both_sides_and_the_interactions(run: Run, cube: list[str]) -> None:
    found = json.loads(run("compare", *cube, "--by", "image", "--format", "json")[1])
    assert [one["case"] for one in found["comparisons"]] == ["off inet4", "off inet6", "on inet4", "on inet6"]
    assert found["comparisons"][0]["factors"]["other"] == {"image": "new", "config": "off", "af": "inet4"}
    assert [one["verdict"] for one in found["interactions"]] == ["depends", "depends", "same", "same"]


def test_without_by_json_has_the_factors_too_and_no_interaction(run: Run, cube: list[str]) -> None:
    found = json.loads(run("compare", *cube, "--format", "json")[1])
    assert found["comparisons"][0]["factors"]["base"]["config"] == "off"
    assert found["interactions"] == []


def test_gates_hold_every_cell(run: Run, cube: list[str]) -> None:
    status, _, err = run("compare", *cube, "--by", "image", "--fail-if", "slower")
    assert status == 1
    assert [line.split(" (")[0] for line in err.splitlines()] == [
        "fwdtui: slower: off inet4",
        "fwdtui: slower: off inet6",
    ]
    assert run("compare", *cube, "--by", "image", "--filter", "config=on", "--fail-if", "slower")[0] == 0


def test_a_cell_that_only_one_level_has_is_said_and_has_no_answer(
    run: Run, cube: list[str], tmp_path: Path
) -> None:
    less = written(tmp_path / "less", {"image": "less"}, {"off.inet4": values(1e6), "on.inet4": values(1e6)})
    status, out, err = run("compare", cube[0], less, "--by", "image", "--fail-unless", "not-slower")
    assert "only in old, not in less, so not compared: off inet6, on inet6" in out
    assert status == 2 and "no verdict: off inet6: old has it and less does not" in err


def test_other_units_are_printed_and_less_is_better_where_it_is(run: Run, tmp_path: Path) -> None:
    sides = [
        written(tmp_path / image, {"image": image}, {"vpn.inet4": values(mean)}, "us")
        for image, mean in (("old", 31.4), ("new", 27.1))
    ]
    out = run("compare", *sides, "--by", "image")[1]
    assert re.search(r"^vpn\.inet4  5/5 +31\.4 us +27\.1 us +−13\.6\S* % .* faster$", out, re.MULTILINE)
    (found,) = json.loads(run("compare", *sides, "--format", "json")[1])["comparisons"]
    assert (found["unit"], found["better"], found["verdict"]) == ("us", "less", "faster")
    text = run("compare", *sides, "--format", "markdown")[1]
    assert "| 31.4 us | 27.1 us |" in text and " less, better." in text
    assert "x old: vpn.inet4 us\n" in text
    assert run("compare", *sides, "--fail-if", "faster", "--plot")[0] == 1
    assert "histogram us   x old" in run("compare", *sides, "--plot")[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--within", "af"], "--within needs --by FACTOR"),
        (["--baseline", "image=old"], "--baseline needs --by FACTOR"),
        (["--order", "old,new"], "--order needs --by FACTOR"),
        (["--by", ","], "--by names no factor"),
        (["--by", "no name!"], "--by: 'no name!' is not the name of a factor: write it as frame_size"),
        (
            ["--by", "image", "--filter", "af"],
            "--filter: 'af' does not give a factor a value: write it as af=inet4",
        ),
        (
            ["--by", "image", "--baseline", "image=old", "--baseline", "image=new"],
            "--baseline: a factor is given twice",
        ),
        (
            ["--by", "image", "--label", "before"],
            "--label: 'before' names no level; with --by write VALUE=TEXT",
        ),
        (["--by", "image", "--within", "config"], "differ in af (af: inet4, inet6), and are not pooled"),
    ],
)
def test_a_wrong_option_is_one_line(run: Run, cube: list[str], options: list[str], message: str) -> None:
    for command in (["compare", *cube], ["report", *cube, "-o", "r.md"]):
        status, out, err = run(*command, *options)
        assert (status, out) == (2, "")
        assert message in err and err.count("\n") == 1


def test_one_session_without_by_is_nothing_to_compare(run: Run, cube: list[str]) -> None:
    assert run("compare", cube[0])[2].startswith("fwdtui: compare needs a BASE and at least one OTHER")
    assert run("report", cube[0], "-o", "r.md")[2].startswith(
        "fwdtui: report needs a BASE and at least one OTHER"
    )


def test_labels_without_by_are_the_files_names_even_with_an_equals_sign(run: Run, cube: list[str]) -> None:
    out = run("compare", *cube, "--label", "a=1", "--label", "b=2")[1]
    assert out.startswith("baseline a=1   candidate b=2   ")


def test_a_report_has_its_rows_by_the_levels_and_its_files_named_after_them(
    run: Run, cube: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "r.md"
    labels = ["--label", "old=pre-patch", "--label", "new=post-patch"]
    status, printed, _ = run("report", *cube, "--by", "image", *labels, "-o", str(out), "--without", "charts")
    assert status == 0
    assert f"{tmp_path}/r.d/post-patch.on.inet4.pps" in printed.splitlines()
    assert (
        "| config | af | n | pre-patch, median | post-patch, median | change of the mean |" in out.read_text()
    )


@pytest.mark.parametrize("options", [[], ["--by", "image"]])
def test_a_report_says_which_iterations_the_filters_leave(
    run: Run, cube: list[str], tmp_path: Path, options: list[str]
) -> None:
    out = tmp_path / "r.md"
    only = ["--filter", "config=on", "--filter", "af=inet4", "--filter", "af=inet6"]
    told = "\nOnly iterations with config=on, af=inet4 or inet6 are compared.\n"
    assert run("report", *cube, *options, *only, "-o", str(out))[0] == 0
    assert told in out.read_text()
    assert told in run("compare", *cube, *options, *only, "--format", "markdown")[1]
    assert run("report", *cube, *options, "-o", str(out))[0] == 0
    assert "Only iterations" not in out.read_text()


def test_a_report_by_factors_has_the_levels_beside_each_other_in_one_chart(
    run: Run, cube: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "r.md"
    printed = run("report", *cube, "--by", "image", "-o", str(out), "--without", "cases,data")[1]
    assert [Path(line).name for line in printed.splitlines()] == ["medians.svg", "levels.svg", "r.md"]
    assert "](r.d/levels.svg)" in out.read_text() and ".plt" not in printed
    with_data = run("report", *cube, "--by", "image", "-o", str(out), "--without", "cases")[1].splitlines()
    assert {f"{tmp_path}/r.d/levels.{end}" for end in ("csv", "plt", "dat", "svg")} <= set(with_data)
    assert "Data: [CSV](r.d/levels.csv), [gnuplot script](r.d/levels.plt)" in out.read_text()
    assert (
        "levels.svg" not in run("report", *cube, "-o", str(tmp_path / "s.md"), "--without", "cases,data")[1]
    )


def test_the_command_of_a_report_writes_the_same_one(run: Run, cube: list[str], tmp_path: Path) -> None:
    """What the app shows below its preview, with everything that can be asked for by factors."""
    view = FactorView(
        by=("image",),
        within=("config", "af"),
        baseline=(("image", "new"),),
        filters=(("af", "inet4"), ("af", "inet6"), ("config", "on")),
        order=("inet6", "inet4"),
        labels=(("new", "the patch's"), ("inet4", "IPv4")),
    )
    choices, out = Choices("", frozenset({"charts"})), tmp_path / "r.md"
    compared = judge_sides(load_sides(cube), view=view, margin=2.0)
    arguments = shlex.split(export.command(out, compared, choices))
    assert arguments[:2] == ["fwdtui", "report"] and run(*arguments[1:])[0] == 0
    assert out.read_text() == bundle.plan(out, compared, choices).text
    assert "| on | IPv4 |" in out.read_text()


# --- a published 2x2x2

PUBLISHED = {
    ("txabdicate_off", "inet4"): ("-44.6458% +/- 0.878033%", "874254.5      871117.3     13248.124", "−44.6"),
    ("txabdicate_off", "inet6"): ("-47.0982% +/- 0.346887%", "869638.5      868780.6     4955.6706", "−47.1"),
    ("txabdicate_on", "inet4"): ("10.2219% +/- 1.33206%", "870917      873663.3     8437.4294", "+10.2"),
    ("txabdicate_on", "inet6"): ("-4.73036% +/- 0.78834%", "878642.5      878211.5     4975.8403", "−4.7"),
}


def test_a_published_2x2x2_is_reproduced_to_the_digit_with_its_finding(
    archive: Path, tmp_path: Path, run: Run
) -> None:
    """Before and after a patch of a driver, a sysctl off and on, IPv4 and IPv6: the published values."""
    (tree,) = archive.rglob("txabdicate")
    sessions = [
        written(
            tmp_path / folder.name,
            {"image": folder.name},
            {file.stem: list(map(float, file.read_text().split())) for file in folder.glob("*.pps")},
        )
        for folder in sorted((tree / "results").iterdir())
    ]
    command = ["compare", *sessions, "--by", "image", "--baseline", "image=fbsd16-n311215"]
    blocks = run(*command, "--format", "ministat", "-A")[1].split("\n\n")
    rows = run(*command)[1].splitlines()[3:7]
    for ((config, af), (figure, vitals, percent)), block, row in zip(
        PUBLISHED.items(), blocks, rows, strict=True
    ):
        assert block.startswith(f"x fbsd16-n311215: {config} {af}\n+ fbsd16-n311215.D58513: {config} {af}\n")
        assert f"\t{figure}\n" in block and vitals in block
        assert row.startswith(f"{config} {af} ") and f" {percent}" in row
    found = json.loads(run(*command, "--format", "json")[1])
    first = found["interactions"][0]
    told = "costs 44.6 % with txabdicate_off and gains 10.2 % with txabdicate_on: it depends"
    assert first["sentence"] == f"fbsd16-n311215.D58513 {told}"
    assert (first["factor"], first["within"], first["verdict"]) == ("config", {"af": "inet4"}, "depends")
    before, after = (one["difference"]["percent"] for one in found["comparisons"][0::2])
    assert first["ratio"] == pytest.approx((100 + after) / (100 + before), rel=1e-12)
    low, high = first["ci_ratio"]
    assert 1.9 < low < first["ratio"] < high < 2.1 and first["p_adjusted"] < 1e-4
