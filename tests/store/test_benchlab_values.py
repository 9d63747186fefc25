"""Value files and gnuplot.data beside a bench-lab tree's logs: what they are, and what they say."""

from pathlib import Path

import pytest

from fwdtui.store.benchlab_values import Published, gnuplot, is_value_file, key_of, lost, read


@pytest.mark.parametrize(
    ("name", "key", "known"),
    [
        ("n1.pf.pps", "n1.pf", True),
        ("null.equilibrium", "null", True),
        ("null.equilibrium.max", "null", True),
        ("n1.forwarding", "n1.forwarding", False),
        ("bench.n1.pf.pps", "n1.pf", True),  # as its logs are called
        ("bench.n1.pf", "n1.pf", False),
        ("bench.pps", "bench", True),
        ("pps", "pps", False),
    ],
)
def test_a_value_file_is_named_after_its_result(name: str, key: str, known: bool) -> None:
    assert (key_of(Path(name)), is_value_file(Path(name))) == (key, known)


def read_file(folder: Path, name: str, content: str | bytes) -> tuple[list[float], list[str]]:
    """The values in a file of that name, and the notes; no values: it is none."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found, notes = read([path])
    assert list(found) in ([], [path])
    return list(found.get(path, ())), [note.removeprefix(f"{path}: ") for note in notes]


@pytest.mark.parametrize(
    "name",
    ["n1.pf.pps", "null.equilibrium", "null.equilibrium.max", "n1.forwarding", "29000D2.pf-statefull", "pps"],
)
def test_numbers_alone_are_values_under_any_name(tmp_path: Path, name: str) -> None:
    assert read_file(tmp_path, name, "1000\n1.5e6\r\n\n -3\n") == ([1000.0, 1.5e6, -3.0], [])


@pytest.mark.parametrize(
    "name",
    [
        "n1.info", "n1.1.receiver", "n1.1.sender", "n1.1.sender_gen2", "gnuplot.data", "x.svg", "x.png",
        "x.md", "x.plot", "x.graph", "x.stack", ".hidden", "README", "README.txt",
    ],
)  # fmt: skip
def test_files_of_other_kinds_are_never_values(tmp_path: Path, name: str) -> None:
    assert read_file(tmp_path, name, "1000\n") == ([], [])


def test_a_name_that_says_so_outweighs_how_it_begins(tmp_path: Path) -> None:
    assert read_file(tmp_path, "README.pps", "1000\n") == ([1000.0], [])


COLUMNS = "more than one number in a line, and a value file has one: not read"


@pytest.mark.parametrize("content", ["1 1500000\n2 1510000\n", "1500000\n1510000\t3\n", "1000 100\n"])
def test_a_file_with_columns_is_not_read_since_another_one_may_count_runs(
    tmp_path: Path, content: str
) -> None:
    assert read_file(tmp_path, "a.pps", content) == ([], [COLUMNS])
    assert read_file(tmp_path, "a", content) == ([], [])
    # one that is called as a result
    assert read([tmp_path / "a"], ["a"]) == ({}, [f"{tmp_path / 'a'}: {COLUMNS}"])


@pytest.mark.parametrize("content", ["1000\nx\n", "1000 nan", "inf", "1e999", "1_500", "N = 5\n1000"])
def test_of_other_content_only_a_file_that_is_named_so_is_told(tmp_path: Path, content: str) -> None:
    told = ["not a value file: it holds more than numbers"]
    assert read_file(tmp_path, "a.pps", content) == ([], told)
    assert read_file(tmp_path, "a", content) == ([], [])


def test_a_unit_after_a_value_is_not_read_and_told_of_a_file_that_is_called_as_a_result(
    tmp_path: Path,
) -> None:
    """As `compare` refuses such a file."""
    told = "'1.5 Mpps': the unit Mpps is not read: not imported; write plain numbers"
    assert read_file(tmp_path, "a.pps", "1500000\n1.5 Mpps\n") == ([], [told])
    assert read_file(tmp_path, "a", "1.5 Mpps\n") == ([], [])
    assert read([tmp_path / "a"], ["a"]) == ({}, [f"{tmp_path / 'a'}: {told}"])


def test_a_number_in_groups_of_digits_is_not_several_values(tmp_path: Path) -> None:
    """As `compare` reads such a file: whole with no-break blanks, and not at all with plain ones."""
    text = "1\u202f000\u202f100\n1\xa0000\xa0200\n"
    assert read_file(tmp_path, "a.pps", text) == ([1000100.0, 1000200.0], [])
    doubtful = "1 000 100\n1 000 200\n"
    told = ["'1 000 100' may be 1000100 or several values: not read"]
    assert read_file(tmp_path, "a.pps", doubtful) == ([], told)
    assert read_file(tmp_path, "a", doubtful) == ([], [])


@pytest.mark.parametrize(
    ("name", "so"), [("n1.pf.pps", "not read"), ("n1.forwarding", "it may be a value file")]
)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_numbers_behind_a_byte_order_mark_are_told_whatever_the_name(
    tmp_path: Path, name: str, so: str, encoding: str
) -> None:
    told = [f"begins with a byte order mark; save it as UTF-8 without one: {so}"]
    assert read_file(tmp_path, name, "# n1\r\n1000\r\n1001\r\n".encode(encoding)) == ([], told)
    assert read_file(tmp_path, "notes", "# Notes\nThis is prose.\n".encode(encoding)) == ([], [])


@pytest.mark.parametrize("content", [" \n", "# 1000\n"])
def test_an_empty_file_has_no_values_which_is_told_of_one_that_should(tmp_path: Path, content: str) -> None:
    assert read_file(tmp_path, "a.pps", content) == ([], ["no values in it: not imported"])
    assert read_file(tmp_path, "a", content) == ([], [])


@pytest.mark.parametrize("name", ["n1.pf.pps", "n1.forwarding"])
def test_comments_are_left_out_as_ministat_does(tmp_path: Path, name: str) -> None:
    text = "# fwdtui report\n# n1: pf of 5 runs\n1000 # the first\n\n1001\t#2\n"
    assert read_file(tmp_path, name, text) == ([1000.0, 1001.0], [])


@pytest.mark.parametrize("name", ["n1.pf.pps", "n1.pf.dat", "n1.pf"])
def test_values_of_a_report_in_another_unit_are_no_packets_per_second(tmp_path: Path, name: str) -> None:
    text = "# fwdtui report\n# n1: pf\n# in ns/packet\n1000\n1001\n"
    values, (note,) = read_file(tmp_path, name, text)
    assert values == []
    assert note.startswith("values in ns/packet, written by fwdtui report;")


def test_one_that_cannot_be_read_hides_none_after_it(tmp_path: Path) -> None:
    large, odd, good = (tmp_path / name for name in ("large.pps", "odd.pps", "good"))
    with large.open("wb") as file:
        file.truncate((1 << 20) + 1)
    odd.write_text("x")
    good.write_text("1000\n")
    gone, skipped = tmp_path / "gone", tmp_path / "x.md"
    assert read([large, gone, skipped, odd, good]) == (
        {good: (1000.0,)},
        [
            f"{large}: larger than the 1 MiB that fwdtui reads of such a file: not read",
            f"{odd}: not a value file: it holds more than numbers",
        ],
    )
    with large.open("wb") as file:
        file.write(b"7".ljust(1 << 20))
    assert read([large]) == ({large: (7.0,)}, [])


# of results whose logs are lost


def of(*names: str, keys: tuple[str, ...] = (), **values: tuple[float, ...]) -> dict[str, list[Published]]:
    published = {Path(name): (764.0, 761.0) for name in names}
    published |= {Path(name.replace("_", ".")): held for name, held in values.items()}
    return lost(published, keys)


def test_packets_per_second_are_those_of_a_name_that_says_so_or_of_a_result_that_is_known() -> None:
    pps, known = Path("a.pps"), Path("b")
    assert of("a.pps", "b", "c", keys=("b", "d")) == {
        "a": [Published(pps, 764.0), Published(pps, 761.0)],
        "b": [Published(known, 764.0), Published(known, 761.0)],
    }
    # two files of one result: the first
    assert of("b", "b.pps", keys=("b",)) == {"b": [Published(known, 764.0), Published(known, 761.0)]}


def test_an_equilibrium_has_its_maximum_if_there_are_as_many() -> None:
    path = Path("a.equilibrium")
    assert of("a.equilibrium", a_equilibrium_max=(769.0, 770.0)) == {
        "a": [Published(path, 764.0, "Mb/s", 769.0), Published(path, 761.0, "Mb/s", 770.0)]
    }
    bare = {"a": [Published(path, 764.0, "Mb/s"), Published(path, 761.0, "Mb/s")]}
    prefixed = of(bench_a_equilibrium=(764.0,), bench_a_equilibrium_max=(769.0,))
    assert prefixed == {"a": [Published(Path("bench.a.equilibrium"), 764.0, "Mb/s", 769.0)]}
    assert of("a.equilibrium") == of("a.equilibrium", a_equilibrium_max=(769.0,)) == bare
    alone = Path("a.equilibrium.max")
    assert of("a.equilibrium.max") == {
        "a.max": [Published(alone, 764.0, "Mb/s"), Published(alone, 761.0, "Mb/s")]
    }


# gnuplot.data


def plotted(folder: Path, text: str) -> dict[str, tuple[float, float, float]]:
    path = folder / "gnuplot.data"
    path.write_text(text)
    found, notes = gnuplot(path, [path])
    assert notes == []
    return found


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("pf 3 1 2", {"pf": (3.0, 1.0, 2.0)}),
        ("pf r1 3 1 2", {"r1.pf": (3.0, 1.0, 2.0)}),
        ("pf 3 1 2 # of five", {"pf": (3.0, 1.0, 2.0)}),
        ("#pf 3 1 2", {}),
        ("#index median minimum maximum", {}),
        ("pf median minimum maximum", {}),
        ("3 1 2", {}),  # of what?
        ("pf 1 2", {}),
        ("a b c 3 1 2", {}),
        ("", {}),
    ],
)
def test_a_row_is_a_name_or_two_and_three_numbers(
    tmp_path: Path, line: str, row: dict[str, tuple[float, float, float]]
) -> None:
    assert plotted(tmp_path, f"{line}\nlast 9 8 7\n") == {**row, "last": (9.0, 8.0, 7.0)}


def test_a_plot_file_counts_only_if_the_folder_was_seen_to_have_it(tmp_path: Path) -> None:
    path = tmp_path / "gnuplot.data"
    path.write_text("pf 3 1 2\n")
    assert gnuplot(path, []) == ({}, [])
    path.unlink()
    assert gnuplot(path, [path]) == ({}, [f"{path}: No such file or directory: not read"])
