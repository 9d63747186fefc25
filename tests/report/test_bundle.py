"""A report on disk: document, charts and value files, and never over somebody's own file."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from hand_made import BASE, FASTER, judged, recorded, value_file

from fwdtui.check import check_text
from fwdtui.check.cells.files import data_of
from fwdtui.cli import main
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import slug
from fwdtui.report import bundle
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.sides import load_sides
from fwdtui.stats.results import ResultSet
from fwdtui.store.value_folder import read_value_folder
from fwdtui.store.valuefile import read_values


@pytest.fixture
def specs(tmp_path: Path) -> list[str]:
    r1 = recorded(tmp_path / "r1", "r1", {"inet4": [*BASE], "pf stateful": [1.5, 2.5, 3.25]})
    r2 = recorded(tmp_path / "r2", "r2", {"inet4": [*FASTER], "pf stateful": [1.0, 2.0, 3.0]})
    return [str(r1), str(r2)]


def write(out: Path, specs: list[str], *, title: str = "", **options) -> list[Path]:
    return bundle.write(out, judge_sides(load_sides(specs)), Choices(title), **options)


def test_it_writes_the_document_last_and_returns_every_path(tmp_path: Path, specs: list[str]) -> None:
    paths = write(tmp_path / "report.md", specs)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "report.d/r1.inet4.pps",
        "report.d/r2.inet4.pps",
        f"report.d/{slug('r1.pf stateful')}.pps",
        f"report.d/{slug('r2.pf stateful')}.pps",
        "report.d/medians.svg",
        "report.d/iterations.inet4.svg",
        f"report.d/{slug('iterations.pf stateful')}.svg",
        "report.md",
    ]
    assert all(path.is_file() for path in paths)


def test_every_link_in_the_document_leads_to_a_file(tmp_path: Path, specs: list[str]) -> None:
    from urllib.parse import unquote

    from markdown_it import MarkdownIt

    out = tmp_path / "my report (1).md"
    write(out, specs)
    tokens = [c for t in MarkdownIt().parse(out.read_text()) for c in t.children or ()]
    links = [t.attrs.get("href") or t.attrs.get("src") for t in tokens if t.type in ("link_open", "image")]
    assert len(links) == 7
    assert all((tmp_path / unquote(str(link))).is_file() for link in links)


def test_the_same_input_gives_the_same_bytes_over_an_earlier_report(tmp_path: Path, specs: list[str]) -> None:
    first = {path: path.read_bytes() for path in write(tmp_path / "report.md", specs)}
    assert {path: path.read_bytes() for path in write(tmp_path / "report.md", specs)} == first


def test_a_file_that_no_report_wrote_is_not_overwritten(tmp_path: Path, specs: list[str]) -> None:
    out = tmp_path / "README.md"
    out.write_text("# mine\n")
    with pytest.raises(FwdtuiError, match=r"README.md: exists and was not written by fwdtui report"):
        write(out, specs)
    assert out.read_text() == "# mine\n"
    assert not (tmp_path / "README.d").exists(), "nothing is written when something is in the way"


@pytest.mark.parametrize("edited", [False, True])
def test_the_files_of_another_report_are_not_replaced_though_they_have_the_same_folder(
    tmp_path: Path, specs: list[str], edited: bool
) -> None:
    """a.txt and a.md: the links of the first would lead to the files of the second."""
    first = tmp_path / "a.txt"
    write(first, specs)
    write(first, specs)  # a report with this ending replaces itself, too
    if edited:
        first.write_text(f"{first.read_text()}\nmine\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(FwdtuiError, match=r"a\.d: has the files of .*a\.txt, which would be replaced"):
        write(tmp_path / "a.md", specs[::-1])
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "notes.md").write_text("see [the chart](a.d/medians.svg)\n")
    (tmp_path / "a.html").write_text("no report\n")
    first.unlink()
    write(tmp_path / "a.md", specs[::-1])


def test_a_missing_folder_is_an_error_that_names_it(tmp_path: Path, specs: list[str]) -> None:
    for name in ("report.md", "linux-6.10-rc2", "n311215.D58513", "old.v2"):  # versions are no endings
        with pytest.raises(FwdtuiError, match="nowhere: no such folder"):
            write(tmp_path / "nowhere" / name, specs)


def test_a_disk_that_fills_up_leaves_the_earlier_report_whole_and_the_error_names_the_file(
    tmp_path: Path, specs: list[str]
) -> None:
    import resource

    out = tmp_path / "report.md"
    before = {path: path.read_bytes() for path in write(out, specs)}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))  # as a full disk: write(2) fails midway
    try:
        with pytest.raises(FwdtuiError, match=r"medians\.svg: File too large"):
            write(out, specs, title="another")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {path: path.read_bytes() for path in before} == before
    left = {
        path
        for path in (*out.parent.glob("*report*"), *out.with_name("report.d").iterdir())
        if path.is_file()
    }
    assert left == set(before)


def test_a_file_where_the_folder_should_be_is_an_error(tmp_path: Path, specs: list[str]) -> None:
    (tmp_path / "report.d").write_text("fwdtui")
    with pytest.raises(FwdtuiError, match=r"report\.d"):
        write(tmp_path / "report.md", specs)


@pytest.mark.parametrize("ending", ["d", "html", "csv", "PDF"])  # .d is needed for the folder
def test_an_ending_of_something_else_is_refused(tmp_path: Path, specs: list[str], ending: str) -> None:
    with pytest.raises(FwdtuiError, match=r"is Markdown; choose another ending, such as \.md"):
        write(tmp_path / f"report.{ending}", specs)


def test_files_are_readable_as_the_umask_says(tmp_path: Path, specs: list[str]) -> None:
    before = os.umask(0o022)
    try:
        paths = write(tmp_path / "report.md", specs)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o644}


def test_our_own_check_finds_nothing_in_it(tmp_path: Path, specs: list[str]) -> None:
    out = tmp_path / "report.md"
    write(out, specs)
    found = check_text("report.md", out.read_text())
    assert found.blocks == 2
    assert found.findings == ()


def test_it_finds_a_sentence_that_was_turned_round(tmp_path: Path) -> None:
    """One with an interval in brackets, which is followed by what ministat says."""
    both = {"r1": BASE, "r2": FASTER}
    specs = [str(recorded(tmp_path / name, name, {"inet4": [*of_one]})) for name, of_one in both.items()]
    write(tmp_path / "report.md", specs)
    text = (tmp_path / "report.md").read_text()
    assert "improved by 1.8 % \\[0.3, 3.2\\]. ministat (pooled Student's t): " in text
    [found] = check_text("report.md", text.replace("improved by", "slowed down by")).findings
    assert found.message.startswith("The sentence says '1.8 %' (worse), but ")


def test_nor_in_one_of_value_files_that_name_their_unit(tmp_path: Path) -> None:
    """Its sentences call less better, and only the block's rows say that this is a cost."""
    files = {"a": (50.0, 50.4, 49.8, 50.1, 50.2), "b": (45.0, 45.4, 44.8, 45.1, 45.2)}
    for name, numbers in files.items():
        values = "".join(f"{value}\n" for value in numbers)
        (tmp_path / name).write_text(f"# fwdtui report\n# in ns/packet\n{values}")
    out = tmp_path / "report.md"
    bundle.write(out, judge_sides(load_sides([str(tmp_path / name) for name in files])), Choices())
    assert "\nx a: values ns/packet\n+ b: values ns/packet\n" in out.read_text()
    found = check_text("report.md", out.read_text())
    assert (found.findings, found.unchecked) == ((), ())
    assert found.cells


@pytest.mark.parametrize(
    ("gain", "spread", "verdict"),
    [(0.1, 0.001, "faster"), (0.0066, 0.00347, "equivalent")],
    ids=["a proven difference", "an interval beyond the margin"],
)
def test_nor_with_its_value_files_in_what_it_says_of_its_words(
    gain: float, spread: float, verdict: str, tmp_path: Path
) -> None:
    """ "No difference proven is not the same as no difference" claims nothing of the two."""
    for name, middle in (("baseline", 1e6), ("patched", 1e6 * (1.0 + gain))):
        numbers = [middle * (1.0 + spread * step) for step in (-1.0, 0.5, 0.0, -0.5, 1.0)]
        value_file(tmp_path / f"{name}.tcp.pps", numbers)
    out = tmp_path / "report.md"
    compared = judge_sides(load_sides([str(path) for path in sorted(tmp_path.glob("*.pps"))]))
    assert [one.comparison.verdict for one in compared.judged] == [verdict]
    bundle.write(out, compared, Choices())
    assert ("interval reaches beyond the margin" in out.read_text()) is (verdict == "equivalent")
    data = data_of(read_value_folder(tmp_path / "report.d"), "report.d", (), None)
    assert check_text("report.md", out.read_text(), data).findings == ()


def test_nor_in_a_warning_that_repeats_a_difference_of_on_and_off(tmp_path: Path) -> None:
    """The baseline is the one that is on, though without a word of it "off" would be."""
    steps = (-1.0, 0.5, 0.0, -0.5, 1.0)
    sessions = {"mitigations=on": 1e6, "mitigations=off": 1.0034e6}
    specs = [
        str(
            recorded(
                tmp_path / name, name, {"forwarding.inet4": [middle * (1.0 + 0.001 * step) for step in steps]}
            )
        )
        for name, middle in sessions.items()
    ]
    out = tmp_path / "report.md"
    bundle.write(out, judge_sides(load_sides(specs)), Choices())
    assert "the difference of +0.34 % ± " in out.read_text()
    data = data_of(read_value_folder(tmp_path / "report.d"), "report.d", (), None)
    assert check_text("report.md", out.read_text(), data).findings == ()


WITHOUT_BLOCK = "The text says that it has no ministat table for this."


@pytest.mark.parametrize("cases", [("forwarding", "pf"), ("forwarding.inet4", "pf.inet4")])
def test_nor_in_the_row_of_a_case_that_has_too_few_values_for_a_block(
    cases: tuple[str, str], tmp_path: Path
) -> None:
    one, other = ({cases[0]: [*values][:2], cases[1]: [*values[::-1]]} for values in (BASE, FASTER))
    specs = [str(recorded(tmp_path / "a", "r1", one)), str(recorded(tmp_path / "b", "r2", other))]
    out = tmp_path / "report.md"
    bundle.write(out, judge_sides(load_sides(specs)), Choices())
    found = check_text("report.md", out.read_text())
    assert (found.blocks, found.findings, found.cells) == (1, (), 3)
    assert [one.message for one in found.unchecked] == [WITHOUT_BLOCK] * 3


def test_values_that_ministat_cannot_plot_leave_the_other_cases_their_blocks(tmp_path: Path) -> None:
    absurd = {"forwarding.inet4": [1.7e308, 1.6e308, 1e6, 1e6], "pf.inet4": [*FASTER]}
    specs = [
        str(recorded(tmp_path / "a", "r1", {"forwarding.inet4": [*BASE], "pf.inet4": [*BASE]})),
        str(recorded(tmp_path / "b", "r2", absurd)),
    ]
    compared = judge_sides(load_sides(specs))
    why = "no ministat table: ministat cannot plot these values, as their range is too wide or too narrow\n"
    assert compared.block("forwarding.inet4") == why and compared.block("pf.inet4").startswith("x r1: ")
    out = tmp_path / "report.md"
    bundle.write(out, compared, Choices())
    assert why in out.read_text()
    found = check_text("report.md", out.read_text())
    assert (found.blocks, found.findings) == (1, ())
    assert [one.message for one in found.unchecked].count(WITHOUT_BLOCK) >= 1


def test_nor_in_the_row_of_such_a_case_if_the_sessions_are_called_like_it(tmp_path: Path) -> None:
    cases = {"forwarding": [*BASE], "pf": [*FASTER]}
    specs = [
        str(recorded(tmp_path / name, name, {"forwarding": cases["forwarding"], "pf": cases["pf"][:count]}))
        for name, count in (("without pf", 5), ("with pf", 2))
    ]
    out = tmp_path / "report.md"
    bundle.write(out, judge_sides(load_sides(specs)), Choices())
    data = data_of(read_value_folder(tmp_path / "report.d"), "report.d", (), None)
    found = check_text("report.md", out.read_text())
    assert (found.blocks, found.findings) == (1, ())
    assert [one.message for one in found.unchecked].count(WITHOUT_BLOCK) == 3
    assert check_text("report.md", out.read_text(), data).findings == ()


def test_nor_in_one_of_rates_of_a_case_that_is_called_like_a_time(tmp_path: Path) -> None:
    both = {"r1": BASE, "r2": FASTER}
    specs = [
        str(recorded(tmp_path / name, name, {"low latency": [*of_one]})) for name, of_one in both.items()
    ]
    out = tmp_path / "report.md"
    bundle.write(out, judge_sides(load_sides(specs)), Choices())
    text = out.read_text()
    assert (check_text("report.md", text).findings, check_text("report.md", text).claims) == ((), 2)
    wrong = text.replace("improved by", "slowed down by")
    assert [one.kind for one in check_text("report.md", wrong).findings] == ["claim"]


@pytest.mark.parametrize("sets", [8, 9])
def test_nor_in_one_of_more_sets_than_a_ministat_block_has(sets: int, tmp_path: Path) -> None:
    """Each sentence and each row is about the block that has its set: the second one has the last sets.

    The last set spreads more, so that a sentence without a name gives ministat's figures.
    """
    mean = sum(FASTER) / len(FASTER)
    specs = [
        str(
            value_file(
                tmp_path / f"r{n}.inet4.pps",
                [(mean + (value - mean) * (6 if n == sets else 1)) * (1.0 + n / 10) for value in FASTER],
            )
        )
        for n in range(1, sets + 1)
    ]
    out = tmp_path / "report.md"
    bundle.write(out, judge_sides(load_sides(specs)), Choices())
    text = out.read_text()
    found = check_text("report.md", text)
    assert (found.blocks, found.findings, found.unchecked) == (2, (), ())
    assert found.cells == 3 * (sets - 1)
    percent = 100 * ((1 + sets / 10) / 1.1 - 1)
    (line,) = (one for one in text.splitlines() if one.startswith(f"r{sets}.inet4.pps: "))
    wrong = text.replace(line, line.replace(f"improved by {percent:.1f}", f"improved by {percent + 9:.1f}"))
    assert [one.kind for one in check_text("report.md", wrong).findings] == ["claim"]


@pytest.mark.parametrize("names", [("inet4", "pf inet4"), ("pf inet4", "inet4")], ids=" before ".join)
def test_our_own_check_holds_its_tables_against_its_blocks_and_value_files(
    names: tuple[str, str], tmp_path: Path
) -> None:
    values = {"stock": BASE, "patched": FASTER, "patched v2": [value * 1.004 for value in BASE]}
    specs = [
        str(
            recorded(
                tmp_path / label.replace(" ", ""),
                label,
                dict(zip(names, ([*of_one], [*of_one[::-1]]), strict=True)),
            )
        )
        for label, of_one in values.items()
    ]
    out = tmp_path / "report.md"
    bundle.write(out, judge_sides(load_sides(specs), margin=5.0), Choices())
    data = data_of(read_value_folder(tmp_path / "report.d"), "report.d", (), None)
    for beside in (None, data):
        found = check_text("report.md", out.read_text(), beside)
        assert found.findings == ()
        # two medians, a difference and the verdict "equivalent" in each of the four rows
        assert found.cells == 4 * 4
    wrong = out.read_text().replace("| 10 047 306 |", "| 10 074 306 |")
    assert {one.kind for one in check_text("report.md", wrong).findings} == {"cell"}


def test_value_files_read_back_to_the_last_bit(tmp_path: Path) -> None:
    values = (9658584.0, 0.1, 1e300, 5e-324, 829670.5, -3.0, 123456789012345680.0)
    path = tmp_path / "v"
    path.write_bytes(bundle.value_file(ResultSet("r1 # \x1b[31m\n2", values), "inet4"))
    assert tuple(read_values(str(path))) == values
    assert path.read_text().startswith("# fwdtui report\n# r1 # [31m2: inet4\n9658584\n0.1\n")


COSTS = {"r1": (100.0, 101.0, 102.0, 99.0, 98.0), "r2": (90.0, 91.0, 92.0, 89.0, 88.0)}


def in_unit(folder: Path, unit: str) -> list[str]:
    """Two value files of a report, the second with a tenth less than the first."""
    paths = [folder / f"{label}.inet4.dat" for label in COSTS]
    for path, (label, values) in zip(paths, COSTS.items(), strict=True):
        path.write_bytes(bundle.value_file(ResultSet(label, values, unit=unit), "inet4"))
    return [*map(str, paths)]


@pytest.mark.parametrize(("unit", "verdict"), [("ns/packet", "faster"), ("Mb/s", "slower")])
def test_value_files_read_back_in_their_unit(unit: str, verdict: str, tmp_path: Path) -> None:
    (one,) = judge_sides(load_sides(in_unit(tmp_path, unit))).judged
    assert (one.comparison.unit, one.comparison.verdict) == (unit, verdict)
    assert not any(caution.code == "no-unit" for caution in one.comparison.warnings)


def test_value_files_in_two_units_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "vpn").mkdir()
    specs = [in_unit(tmp_path, "ns/packet")[0], in_unit(tmp_path / "vpn", "Mb/s")[1]]
    with pytest.raises(FwdtuiError, match=r"is in ns/packet and .* in Mb/s: they cannot be compared$"):
        judge_sides(load_sides(specs))
    assert main(["compare", "--format", "ministat", *specs]) == 2
    assert "in Mb/s: they cannot be compared" in capsys.readouterr().err


def test_ministat_s_verdict_on_a_cost_is_faster_where_it_fell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = in_unit(tmp_path, "ns/packet")
    assert main(["compare", "--format", "ministat", "--fail-if", "slower", *specs]) == 0
    assert main(["compare", "--format", "ministat", "--fail-if", "faster", *specs]) == 1
    assert "fwdtui: faster: " in capsys.readouterr().err


def test_a_plain_file_beside_one_that_names_its_unit_is_said_to_have_none(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("90\n91\n92\n89\n88\n")
    (one,) = judge_sides(load_sides([in_unit(tmp_path, "ns/packet")[0], str(plain)])).judged
    (text,) = (caution.text for caution in one.comparison.warnings if caution.code == "no-unit")
    assert text.endswith("they are taken as ns/packet")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("r2 is 10 % faster than r1 with inet4.", []),
        ("r2 is 10 % slower than r1 with inet4.", ["claim"]),
        ("| case | change |\n|---|---|\n| inet4 | 10 % faster |", []),
        ("| case | change |\n|---|---|\n| inet4 | 10 % slower |", ["cell"]),
        ("| | median |\n|---|---|\n| r2 | 90 ns/packet |", []),
        ("| | median |\n|---|---|\n| r2 | 80 ns/packet |", ["cell"]),
    ],
)
def test_our_own_check_reads_their_unit(text: str, kinds: list[str], tmp_path: Path) -> None:
    in_unit(tmp_path, "ns/packet")
    data = data_of(read_value_folder(tmp_path), "data", (), None)
    found = check_text("README.md", f"# Cost of a packet\n\n{text}\n", data)
    assert [one.kind for one in found.findings] == kinds
    assert found.unchecked == ()


def test_our_own_check_compares_no_files_in_two_units(tmp_path: Path) -> None:
    (tmp_path / "vpn").mkdir()
    Path(in_unit(tmp_path, "ns/packet")[1]).unlink()
    Path(in_unit(tmp_path / "vpn", "Mb/s")[0]).unlink()
    data = data_of(read_value_folder(tmp_path), "data", (), None)
    found = check_text("README.md", "r1.inet4.dat to r2.inet4.dat is 10 % less.\n", data)
    assert found.findings == ()
    assert [one.message for one in found.unchecked] == [
        "'10 %': no ministat block belongs to it, and the two value files are in ns/packet and in Mb/s."
    ]


@pytest.mark.skipif(not shutil.which("ministat"), reason="the ministat program is not installed")
def test_ministat_itself_reads_the_value_files(tmp_path: Path, specs: list[str]) -> None:
    paths = [str(path) for path in write(tmp_path / "report.md", specs) if path.name.endswith("inet4.pps")]
    shown = subprocess.run(["ministat", *paths], capture_output=True, text=True, check=True).stdout
    assert "x   5       9658584       9920131       9909120       9860467     112994.55\n" in shown


def test_names_that_would_collide_get_files_of_their_own(tmp_path: Path) -> None:
    results = [judged("c", labels=("a.b", "A.b")), judged("b.c", labels=("a", "a"))]
    taken: set[str] = set()
    names = [name for name, _ in bundle._values(results, taken).values()]
    assert len(names) == 3
    assert {name.lower() for name in names} == taken
