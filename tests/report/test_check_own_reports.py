"""`fwdtui check` finds nothing in a report of our own that is by factors, or on boots."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from types import MappingProxyType

import pytest
from factored import case, session, values

from fwdtui.check import check_text
from fwdtui.check.cells.files import Data, data_of
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Case, Iteration, RateSample, Session
from fwdtui.core.offered import received_above
from fwdtui.core.steady import find
from fwdtui.report import bundle
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.factor_view import FactorView
from fwdtui.report.sides import of_session
from fwdtui.store.value_folder import read_value_folder


def by_factors(
    folder: Path,
    by: Sequence[str],
    levels: Mapping[str, Sequence[FactorValue]],
    short: Mapping[str, FactorValue] = MappingProxyType({}),
) -> tuple[str, Data]:
    """A report and its files: old and new at each of `levels`; the case of `short` has two values."""
    sessions = []
    for image, times in (("old", 1.0), ("new", 1.1)):
        cases = []
        for place, of_all in enumerate(product(*levels.values())):
            factors = dict(zip(levels, of_all, strict=True))
            of_case = values(times * 8e5 * (1.0 + place / 2.0))
            cases.append(case(f"c{place}", factors, of_case[: 2 if factors == short else None]))
        sessions.append(session(image, {"image": image}, *cases))
    return written(folder, by, sessions)


def written(folder: Path, by: Sequence[str], sessions: Sequence[Session]) -> tuple[str, Data]:
    """The report of a comparison by factors, and its files."""
    sides = [of_session(one) for one in sessions]
    planned = bundle.plan(
        folder / "r.md", judge_sides(sides, view=FactorView(tuple(by)), settings=False), Choices()
    )
    planned.folder.mkdir(parents=True)
    for name, data in planned.values.items():
        (planned.folder / name).write_bytes(data)
    return planned.text, data_of(read_value_folder(planned.folder), "r.d", (), None)


@pytest.mark.parametrize("levels", [(10, 300), (1_000_000, 2_000_000)])
def test_a_factor_whose_levels_are_numbers(levels: tuple[int, int], tmp_path: Path) -> None:
    """They were taken for values, and two rows with the same other levels for one."""
    for number, short in enumerate(({}, {"af": "inet4", "peers": levels[1]})):
        asked = {"af": ("inet4", "inet6"), "peers": levels}
        text, data = by_factors(tmp_path / str(number), ["image"], asked, short)
        alone, beside = check_text("r.md", text), check_text("r.md", text, data)
        assert (alone.findings, alone.cells) == ((), 9 if short else 12)
        assert (beside.findings, beside.cells, beside.unchecked) == ((), 12, ())
        (row,) = (line for line in text.splitlines() if line.startswith(f"| inet6 | {levels[1]} |"))
        wrong = text.replace(row, row.replace("| 5/5 | 2 000 000 |", "| 5/5 | 1 200 000 |"))
        assert [one.kind for one in check_text("r.md", wrong, data).findings] == ["cell"]


@pytest.mark.parametrize("levels", [{"packets": (10, 300)}, {"load": ("50 %", "90 %")}])
def test_a_factor_with_the_name_of_a_result(levels: dict[str, Sequence[FactorValue]], tmp_path: Path) -> None:
    text, data = by_factors(tmp_path, ["image"], {"af": ("inet4", "inet6"), **levels})
    for beside in (None, data):
        found = check_text("r.md", text, beside)
        assert (found.findings, found.cells, found.unchecked) == ((), 12, ())


def test_levels_that_are_compared_jointly(tmp_path: Path) -> None:
    """A set was not found by its label, each word of which another set has, and was held against a file."""
    asked = {"config": ("none", "pf", "ipfw")}
    text, data = by_factors(tmp_path / "whole", ["image", "config"], asked)
    for beside in (None, data):
        found = check_text("r.md", text, beside)
        assert (found.findings, found.claims) == ((), 5)
        wrong = text.replace(
            "new none: **slower**: slowed down by 45.00 %", "new none: **slower**: slowed down by 25.00 %"
        )
        assert [one.kind for one in check_text("r.md", wrong, beside).findings] == ["claim"]
    text, data = by_factors(tmp_path / "short", ["image", "config"], asked, {"config": "pf"})
    assert check_text("r.md", text, data).findings == ()


def test_ministats_figures_of_levels_that_are_compared_jointly(tmp_path: Path) -> None:
    """They are a sentence that names no set, which was held against the files of two others."""
    wide = [5e5 + 6.0 * (value - 5e5) for value in values(5e5)]
    few = session("old", {"image": "old"}, case("a", {"af": "vlan"}, values(8e5)))
    cases = {"inet4": wide, "inet6": [0.99 * value for value in wide], "vlan": values(6e5)}
    more = session("new", {"image": "new"}, *(case(af, {"af": af}, cases[af]) for af in cases))
    text, data = written(tmp_path, ["image", "af"], [few, more])
    assert text.count("ministat (pooled Student's t): ") == 2
    for beside in (None, data):
        assert check_text("r.md", text, beside).findings == ()
    (line,) = (one for one in text.splitlines() if one.startswith("new inet4: "))
    wrong = text.replace(line, f"{line} ministat of new inet6 against new inet4: -90.125% +/- 0.5%.")
    assert [one.kind for one in check_text("r.md", wrong, data).findings] == ["claim"], "it names two files"


def test_costs_on_two_boots(tmp_path: Path) -> None:
    """That 3 boots are better was read as a claim that the greater cost is."""
    made = [
        Session(
            f"/s/{label}",
            label,
            "",
            cases=(
                Case(
                    "inet4",
                    tuple(
                        Iteration(place, value, "ns/packet", boot=boot)
                        for place, (value, boot) in enumerate(zip(values(mean), boots, strict=False), 1)
                    ),
                ),
            ),
        )
        for label, mean, boots in (("r1", 300.0, "xxxx"), ("r2", 600.0, "aabb"))
    ]
    compared = judge_sides([of_session(one) for one in made], settings=False)
    text = bundle.plan(tmp_path / "r.md", compared).text
    assert "ran on only 2 boots" in text and "100%" in text
    assert check_text("r.md", text).findings == ()


def test_two_values_at_another_confidence(tmp_path: Path) -> None:
    """Their interval was held against one at 95 %, which of two values is far narrower."""
    numbers = {"r1": [984e3, 960e3], "r2": [935e3, 941e3, 938e3, 940e3, 936e3]}
    sides = [of_session(session(label, {}, case("inet4", {}, of_one))) for label, of_one in numbers.items()]
    for confidence in (95.0, 99.0):
        out = tmp_path / f"{confidence:g}" / "r.md"
        out.parent.mkdir()
        bundle.write(out, judge_sides(sides, confidence=confidence, settings=False))
        data = data_of(read_value_folder(out.with_name("r.d")), "r.d", (), None)
        assert check_text("r.md", out.read_text(), data).findings == ()


@pytest.mark.parametrize("labels", [("main", "baseline"), ("candidate", "main"), ("baseline", "new")])
def test_a_session_that_is_called_as_a_side_of_a_comparison(labels: tuple[str, str], tmp_path: Path) -> None:
    """ "median, baseline" was taken for the median of the candidate, as this was called so."""
    means = zip(labels, (8e5, 9e5), strict=True)
    sides = [of_session(session(label, {}, case("inet4", {}, values(mean)))) for label, mean in means]
    bundle.write(tmp_path / "r.md", judge_sides(sides, settings=False))
    data = data_of(read_value_folder(tmp_path / "r.d"), "r.d", (), None)
    checked = check_text("r.md", (tmp_path / "r.md").read_text(), data)
    assert (checked.findings, checked.cells, checked.unchecked) == ((), 3, ())


def test_warnings_about_single_iterations(tmp_path: Path) -> None:
    """A drift within one run was taken for the difference between the report's two value files."""
    rising = find([RateSample("receiver", float(at), 1.0, 8e5 * (1.0 + at / 900.0)) for at in range(60)])
    shifted = find([RateSample("receiver", float(at), 1.0, 8e5 if at < 45 else 9e5) for at in range(60)])
    found = [*rising.cautions, *shifted.cautions, received_above(9e5, 8e5)]
    warnings = [one for one in found if one is not None]
    assert {"in-run-drift", "level-shift", "received-above-offered"} <= {one.code for one in warnings}
    made = []
    for label, mean in (("r1", 8e5), ("r2", 9e5)):
        of_case = [Iteration(n, one, warnings=tuple(warnings)) for n, one in enumerate(values(mean), 1)]
        made.append(of_session(session(label, {}, Case("inet4", tuple(of_case)))))
    bundle.write(tmp_path / "r.md", judge_sides(made, settings=False))
    data = data_of(read_value_folder(tmp_path / "r.d"), "r.d", (), None)
    checked = check_text("r.md", (tmp_path / "r.md").read_text(), data)
    assert (checked.findings, checked.cells, checked.unchecked) == ((), 3, ())


def test_tables_without_results() -> None:
    """They were listed as not checked: shares of CPU time by the hundred, levels, and numbers of trials."""
    cells = "| cell | name | {} | measured |\n| ---: | --- | ---: | ---: |\n| 1 | rules=0 | 3 | 3 |\n"
    levels = "| factor | level | how it is set |\n| --- | --- | --- |\n| rules | 100 | nothing is run |\n"
    assert check_text("r.md", f"{cells.format('trials planned')}\n{levels}").unchecked == ()
    assert check_text("r.md", cells.format("mean")).unchecked
    figures = "| --- | --: | --: | --: |\n| `lock_delay` | 6.32 | 12.50 | +6.19 |\n"
    assert check_text("r.md", f"| function | A % | B % | B − A, points |\n{figures}").unchecked == ()
    assert check_text("r.md", f"| function | A pps | B pps | B − A, points |\n{figures}").unchecked


def test_value_files_that_are_incomplete_or_missing(tmp_path: Path) -> None:
    """A block of a report was not held against the value files that the report links as its data."""
    made = [session(f"r_{n}", {}, case("a & b", {}, values(8e5 + n))) for n in (1, 2)]
    text, data = written_plain(tmp_path, made)
    checked = check_text("r.md", text, data)
    assert (checked.findings, checked.unchecked) == ((), ())
    (path,) = (tmp_path / "r.d").glob("r_2*.pps")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    (found,) = (one for one in check_text("r.md", text, read(tmp_path)).findings if one.kind == "table")
    assert "says number of values 5" in found.message and f"{path.name} has number of" in found.message
    (tmp_path / "r.d").rename(tmp_path / "elsewhere")
    renamed = read(tmp_path, "elsewhere")
    assert "table" in [one.kind for one in check_text("r.md", text, renamed).findings]
    (tmp_path / "elsewhere" / path.name).unlink()
    checked = check_text("r.md", text, read(tmp_path, "elsewhere"))
    (left,) = (one for one in checked.unchecked if "no such value file" in one.message)
    assert path.name in left.message and left.text.startswith("- [r")


def test_of_more_than_seven_sets_each_is_known_by_its_label(tmp_path: Path) -> None:
    """No word is that of one set alone: the figures of the last set were held against the first block."""
    made = [
        session(f"{image}.{config}", {}, case("inet4", {}, values(8e5 * (1.0 + place / 2.0 + at / 7.0))))
        for place, image in enumerate(("old", "mid", "new"))
        for at, config in enumerate(("off", "low", "high"))
    ]
    text, data = written_plain(tmp_path, made)
    assert check_text("r.md", text, data).findings == ()
    wrong = text.replace("new.high: **faster**: improved by 1", "new.high: **faster**: improved by 3")
    assert wrong != text
    assert check_text("r.md", wrong, data).findings != ()


def test_a_set_may_be_linked_to_something_else_than_a_value_file(tmp_path: Path) -> None:
    """A table of contents, and the revisions of sources, were listed as value files that are missing."""
    made = [session(label, {}, case("inet4", {}, values(8e5))) for label in ("r1", "r2")]
    text, data = written_plain(tmp_path, made)
    block = text[text.index("```") :].split("```")[1].replace(": inet4 packets-per-second", "")
    links = "- [r1](#r1)\n- [r2](https://svnweb.example/changeset/base/2)\n"
    assert "\nx r1\n+ r2\n" in block
    assert check_text("r.md", f"{links}```{block}```\n", data).unchecked == ()
    (left,) = check_text("r.md", f"{links.replace('#r1', 'old/r1.pps')}```{block}```\n", data).unchecked
    assert "no such value file" in left.message


def written_plain(folder: Path, sessions: Sequence[Session]) -> tuple[str, Data]:
    """The report of a comparison of sessions, and its files."""
    bundle.write(folder / "r.md", judge_sides([of_session(one) for one in sessions], settings=False))
    return (folder / "r.md").read_text(), read(folder)


def read(folder: Path, name: str = "r.d") -> Data:
    """The value files of a report."""
    inside = (folder / name).resolve()
    return data_of(read_value_folder(inside), name, inside.parts, None)
