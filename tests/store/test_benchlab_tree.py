"""What belongs together in a folder of bench-lab results: runs, their further files, and what is left out."""

import os
from pathlib import Path

import pytest
from fixtures import benchlab

from fwdtui.core.errors import FwdtuiError
from fwdtui.store.benchlab_tree import Result, Tree, find


def tree(root: Path, *names: str, content: str = "x\n") -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def only(root: Path) -> Tree:
    (found,) = find(root)
    return found


def runs(result: Result) -> dict[int, tuple[str, list[str], list[str]]]:
    """Number -> the receiver's file, the senders' kinds, the other files."""
    return {
        run.index: (
            run.receiver.name if run.receiver else "",
            [kind for kind, _ in run.senders],
            [path.name for path in run.others],
        )
        for run in result.runs
    }


def test_files_of_one_name_and_number_are_one_run(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "bench.n1.pf.10.receiver", "bench.n1.pf.10.sender_gen2", "bench.n1.pf.10.sender",
        "bench.n1.pf.2.sender", "n1.pf.3.receiver", "bench.n2.1.receiver",
    )  # fmt: skip
    first, second = only(tmp_path).results
    assert runs(first) == {
        2: ("", ["sender"], []),
        3: ("n1.pf.3.receiver", [], []),
        10: ("bench.n1.pf.10.receiver", ["sender", "sender_gen2"], []),
    }
    assert (first.key, second.key) == ("n1.pf", "n2") and list(runs(second)) == [1]


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("bench.a.1.vmstat.txt", ("a", 1)),
        ("a.1.txt", ("a", 1)),
        ("bench.a.1.pmc.graph", None),  # an iteration of its own
        ("bench.a.01.x", ("a", 1)),
        ("bench.a.1.2.x", ("a.1", 2)),  # the longest name counts
        ("bench.a.1.9.x", ("a", 1)),
        ("bench.a.7.x", None),  # there is no such run
        ("bench.a.1", None),  # nothing follows the number
        ("bench.b.1.x", None),
        ("bench.a.1234567890.x", None),
        ("1.a.x", None),
    ],
)
def test_a_further_file_belongs_to_the_run_whose_name_and_number_it_begins_with(
    tmp_path: Path, name: str, owner: tuple[str, int] | None
) -> None:
    tree(tmp_path, "bench.a.1.receiver", "bench.a.1.2.receiver", "bench.a.3.receiver", name)
    found = {
        (one.key, run.index): [path.name for path in run.others]
        for one in only(tmp_path).results
        for run in one.runs
    }
    assert {place for place, files in found.items() if files} == ({owner} if owner else set())
    assert owner is None or found[owner] == [name]


def test_a_second_log_of_the_same_run_is_told_and_the_first_counts(tmp_path: Path) -> None:
    tree(tmp_path, "bench.a.1.receiver", "a.1.receiver")
    found = only(tmp_path)
    assert runs(found.results[0]) == {1: ("a.1.receiver", [], [])}
    assert found.notes[0] == f"{tmp_path / 'bench.a.1.receiver'}: a second log for the same run: not imported"


def test_an_info_without_results_and_one_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    tree(tmp_path, "bench.a.1.receiver", "bench.b.info")
    large = tmp_path / "bench.c.info"
    with large.open("wb") as file:
        file.truncate((1 << 20) + 1)
    notes = only(tmp_path).notes
    assert f"{tmp_path / 'bench.b.info'}: no results belong to it" in notes
    assert f"{large}: no results belong to it" in notes
    assert any(note.startswith(f"{large}: larger than") and note.endswith(": not read") for note in notes)


def test_what_raw_has_is_the_folders_above_whose_value_files_are_read(tmp_path: Path) -> None:
    tree(tmp_path / "may" / "Raw", "bench.a.1.receiver")
    tree(tmp_path / "may", "b.pps", content="1\n2\n")
    for root in (tmp_path, tmp_path / "may", tmp_path / "may" / "Raw"):  # even if only that one is given
        found = only(root)
        assert found.folder == tmp_path / "may"
        assert found.published == {tmp_path / "may" / "b.pps": (1.0, 2.0)}
    published = only(tmp_path).results[-1]
    assert published.key == "b"
    assert [(run.index, run.published.value) for run in published.runs if run.published] == [
        (1, 1.0),
        (2, 2.0),
    ]


def test_a_folder_raw_that_one_is_in_is_the_folders_above_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path / "may" / "RAW", "bench.a.1.receiver")
    tree(tmp_path / "may", "b.pps", content="1\n2\n")
    monkeypatch.chdir(tmp_path / "may" / "RAW")
    found = only(Path())
    assert found.folder == tmp_path / "may"
    assert [result.key for result in found.results] == ["a", "b"]


def test_value_files_that_no_result_has_the_name_of_are_told(tmp_path: Path) -> None:
    """Their logs and .info are lost, and nothing says their unit."""
    tree(tmp_path / "n1", "bench.n1.inet4.1.receiver")
    tree(tmp_path / "n1", "n1.inet4", "n1.inet6", "bench.n1.inet4.1.count", content="1000\n1001\n")
    tree(tmp_path / "n2", "n2.inet4", "n2.inet6", content="1000\n1001\n")
    first, note = only(tmp_path).notes
    many = f"{tmp_path / 'n2'}: n2.inet4, n2.inet6: files of numbers, but no log or .info has their names"
    assert first == f"{many}: not imported; if they are packets per second, append .pps to their names"
    one = f"{tmp_path / 'n1'}: n1.inet6: a file of numbers, but no log or .info has its name"
    assert note == f"{one}: not imported; if they are packets per second, append .pps to its name"
    with pytest.raises(
        FwdtuiError, match=r"no bench-lab results in it .*; .*n2: n2.inet4, n2.inet6: files of"
    ):
        find(tmp_path / "n2")


def test_of_a_report_s_value_files_those_in_packets_per_second_are_results(tmp_path: Path) -> None:
    """Nobody is told to append .pps to one that says another unit."""
    tree(tmp_path / "pps", "n1.inet4.pps", content="# fwdtui report\n# n1: inet4\n1000\n1001\n")
    tree(tmp_path / "ns", "n1.inet4.dat", content="# fwdtui report\n# n1: inet4\n# in ns/packet\n7\n8\n")
    found = only(tmp_path)
    assert [(one.key, len(one.runs)) for one in found.results] == [("n1.inet4", 2)]
    (note,) = found.notes
    assert (
        note.startswith(f"{tmp_path}/ns/n1.inet4.dat: values in ns/packet, written by") and ".pps" not in note
    )


@pytest.mark.parametrize("name", ["bench.b.in\net6.1.receiver", "bench.b.inet6.info\n"])
def test_a_log_with_a_line_end_in_its_name_is_told(tmp_path: Path, name: str) -> None:
    """No name of a result has one, so what it belongs to would be guessed."""
    tree(tmp_path, "bench.a.1.receiver", name)
    found = only(tmp_path)
    assert [one.key for one in found.results] == ["a"]
    assert found.notes == (f"{tmp_path / name}: a line end in its name: not imported; rename it first",)


def test_a_value_file_may_be_called_data_unless_it_is_of_gnuplot(tmp_path: Path) -> None:
    tree(tmp_path, "bench.a.1.receiver")
    tree(tmp_path, "b.data", content="1000\n1001\n")
    tree(tmp_path, "gnuplot.data", "gnuplot.data.max", content="1000\n")
    tree(tmp_path, "inet4.data", content="# revision median minimum maximum\n296935 1000 900 1100\n")
    (note,) = only(tmp_path).notes
    assert note.startswith(f"{tmp_path}: b.data: a file of numbers, but no log or .info has its name: not")


def test_values_that_a_result_has_already_are_not_told_again(tmp_path: Path) -> None:
    tree(tmp_path, "n1.inet4.pps", "published", content="1000\n1001\n")
    assert [one.key for one in only(tmp_path).results] == ["n1.inet4"] and only(tmp_path).notes == ()


@pytest.mark.parametrize(("name", "lost"), [("a", False), ("a.max", True), ("b", True), ("b.max", True)])
def test_published_values_are_results_only_if_there_are_no_logs_of_that_name(
    tmp_path: Path, name: str, lost: bool
) -> None:
    suffix = ".equilibrium.max" if name.endswith(".max") else ".pps"
    tree(tmp_path, "bench.a.1.receiver")
    tree(tmp_path, f"{name.removesuffix('.max')}{suffix}", content="5\n")
    keys = [one.key for one in only(tmp_path).results]
    assert keys == (["a", name] if lost and name != "a.max" else ["a"])


def test_a_configuration_that_is_called_max_is_not_the_maximum_of_a_result_with_logs(tmp_path: Path) -> None:
    tree(tmp_path, "bench.a.1.receiver")
    tree(tmp_path, "a.max.pps", content="5\n")
    assert [one.key for one in only(tmp_path).results] == ["a", "a.max"]


@pytest.mark.parametrize(
    ("used", "other", "told"),
    [
        ("n1", "n1.pps", True),
        ("n1.equilibrium", "n1.pps", True),
        ("n1.equilibrium", "n1", True),
        ("n1.equilibrium", "n1.equilibrium.max", False),
        ("n1.pps", "RAW/n1.pps", True),
        ("n1.equilibrium", "RAW/n1.equilibrium", True),
        ("n1.pps", "n2.pps", False),
        ("n1.pps", "n1.equilibrium.max", None),  # a result of its own, n1.max
    ],
)
def test_other_values_of_a_result_whose_values_are_all_that_is_left_are_told(
    tmp_path: Path, used: str, other: str, told: bool | None
) -> None:
    tree(tmp_path, "n1.info", content='IMAGE="n1"\n')
    tree(tmp_path, used, other, content="5\n6\n")
    assert not only(tmp_path).notes, "the same values twice"
    tree(tmp_path, other, content="5\n7\n")
    found = only(tmp_path)
    (first,) = (one for one in found.results if one.key == "n1")
    assert {run.published.path.name for run in first.runs if run.published} == {used}
    notes = [f"{tmp_path / other}: its values for n1 differ from those in {used}: not imported"]
    assert list(found.notes) == (notes if told else [])


def test_a_second_info_of_a_result_is_told_if_it_says_something_else(tmp_path: Path) -> None:
    tree(tmp_path, "RAW/bench.n1.off.inet4.1.receiver")
    tree(tmp_path, "RAW/bench.n1.off.inet4.info", content='IMAGE="n1"\nCFG="off"\nPKTGEN="inet4"\n')
    tree(tmp_path, "n1.off.inet4.info", content='IMAGE="n1.off"\nCFG="inet4"\n')
    one, other = tmp_path / "RAW/bench.n1.off.inet4.info", tmp_path / "n1.off.inet4.info"
    found = only(tmp_path)
    used = found.results[0].info_path
    (left,) = {one, other} - {used}
    assert found.notes == (f"{left}: a second .info of the same result: not read; {used} is read instead",)
    one.write_bytes(other.read_bytes())
    assert only(tmp_path).notes == ()


def test_maxima_that_are_not_as_many_as_the_values_are_told(tmp_path: Path) -> None:
    tree(tmp_path, "n1.equilibrium", content="5\n6\n")
    tree(tmp_path, "n1.equilibrium.max", content="7\n")
    path = tmp_path / "n1.equilibrium.max"
    told = f"{path}: its values for n1 differ from those in n1.equilibrium: not imported"
    assert only(tmp_path).notes == (told,)


def test_other_maxima_that_are_alone_are_told(tmp_path: Path) -> None:
    tree(tmp_path, "n1.equilibrium.max", content="5\n6\n")
    tree(tmp_path, "RAW/n1.equilibrium.max", content="5\n7\n")
    found = only(tmp_path)
    (result,) = found.results
    assert [run.published.value for run in result.runs if run.published] == [5, 6]
    path = tmp_path / "RAW/n1.equilibrium.max"
    told = f"{path}: its values for n1.max differ from those in n1.equilibrium.max: not imported"
    assert found.notes == (told,)


@pytest.mark.parametrize(("folders", "found"), [(40, True), (41, False)])
def test_folders_are_searched_to_a_depth_of_forty(tmp_path: Path, folders: int, found: bool) -> None:
    deep = tree(tmp_path.joinpath(*"d" * folders), "bench.b.1.receiver")
    trees = find(tree(tmp_path, "bench.a.1.receiver"))
    assert len(trees) == 1 + found
    told = [f"{deep}: more than 40 folders deep: not imported"]
    assert list(trees[0].notes) == ([] if found else told)


def test_each_tree_has_the_corrections_of_its_own_and_the_folders_above(tmp_path: Path) -> None:
    tree(tmp_path, "a/x/RAW/bench.n.1.receiver", "b/bench.n.1.receiver")
    files = [tmp_path / name for name in ("factors.toml", "a/factors.toml", "a/x/RAW/factors.toml")]
    tree(tmp_path, *(str(file.relative_to(tmp_path)) for file in files))
    first, second = find(tmp_path)
    assert (first.folder, second.folder) == (tmp_path / "a" / "x", tmp_path / "b")
    assert first.corrections == tuple(files) and second.corrections == (files[0],)


def test_runs_under_a_profiler_are_noted_beside_the_results_they_belong_to(tmp_path: Path) -> None:
    tree(tmp_path, "a/bench.n.1.receiver", "b/bench.n.1.receiver")
    tree(tmp_path, "b/PMC/x/bench.n.1.receiver", "b/PMC/bench.n.1.sender", "b/PMC/bench.m.2.receiver")
    first, second = find(tmp_path)
    assert first.notes == ()
    (note,) = second.notes
    assert note.startswith("PMC/: 2 runs made under a profiler (") and "not imported" in note
    with pytest.raises(FwdtuiError, match=r"no bench-lab results.*PMC/: 2 runs made under a profiler"):
        find(tmp_path / "b" / "PMC")
    tree(tmp_path, "c/pmc/bench.n.1.receiver")
    (only_first,) = (one for one in find(tmp_path) if one.folder.name == "a")
    assert only_first.notes[0].startswith("pmc/: 1 run made"), "where no results are beside it: at the first"


def test_runs_under_a_profiler_are_counted_by_name_and_number(tmp_path: Path) -> None:
    tree(tmp_path, "bench.n.1.receiver")
    tree(tmp_path, *(f"PMC/bench.n.{n}.{kind}" for n in (1, 2, 3) for kind in ("receiver", "sender")))
    assert only(tmp_path).notes[0].startswith("PMC/: 3 runs made under a profiler (n)")


@pytest.mark.parametrize("name", ["bench.a.info", "bench.a.1.sender", "a.pps"])
def test_one_file_of_a_result_makes_a_folder_one_of_results(tmp_path: Path, name: str) -> None:
    assert only(tree(tmp_path, name, content="5\n")).folder == tmp_path


@pytest.mark.parametrize(
    ("name", "told"),
    [
        *((name, True) for name in ("bench.b.1.receiver", "bench.b.1", "bench.b.info", "b.pps")),
        *((name, True) for name in ("factors.toml", "gnuplot.data", "bench.b.pmc.graph")),
        ("b.txt", False),
    ],
)
def test_a_link_is_not_imported_and_told_where_it_would_have_been_a_result(
    tmp_path: Path, name: str, told: bool
) -> None:
    tree(tmp_path, "bench.a.1.receiver")
    (tmp_path / name).symlink_to(tmp_path / "bench.a.1.receiver")
    found = only(tmp_path)
    assert [one.key for one in found.results] == ["a"] and found.published == {}
    note = f"{tmp_path / name}: a link, not a regular file: not imported"
    assert list(found.notes) == ([note] if told else [])


def test_a_link_to_a_folder_is_not_followed_and_told(tmp_path: Path) -> None:
    tree(tmp_path / "disk", "bench.b.1.receiver")
    folder = tree(tmp_path / "results", "bench.a.1.receiver")
    (folder / "more").symlink_to(tmp_path / "disk")
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    found = only(folder)
    assert [one.key for one in found.results] == ["a"]
    assert found.notes == (f"{folder / 'more'}: a link to a folder: not imported",)


def test_a_folder_of_which_all_logs_are_compressed_is_told(tmp_path: Path) -> None:
    tree(tmp_path / "n1", "bench.a.1.receiver")
    tree(tmp_path / "n2", "bench.a.1.receiver.gz", "bench.a.1.sender.gz", "README.md")
    tree(tmp_path / "n3", "bench.a.1.receiver.xz")
    tree(tmp_path / "n1" / "RAW", "bench.b.1.sender.Z")
    assert sorted(only(tmp_path).notes) == [
        f"{tmp_path / 'n1' / 'RAW'}: bench.b.1.sender.Z: a compressed log: not read; unpack it first",
        f"{tmp_path / 'n2'}: bench.a.1.receiver.gz and 1 more: compressed logs: not read; unpack them first",
        f"{tmp_path / 'n3'}: bench.a.1.receiver.xz: a compressed log: not read; unpack it first",
    ]
    with pytest.raises(
        FwdtuiError, match=r"no bench-lab results in it .*; .*n3: bench\.a\.1\.receiver\.xz: a"
    ):
        find(tmp_path / "n3")


SEARCH = benchlab.search([(500, 500)])


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("bench.a.2", SEARCH + "x" * (1 << 20), None),  # its beginning says what it is, however long it is
        ("bench.a.2.gz", SEARCH, "a compressed log: not read; unpack it first"),
        ("bench.a.2", None, "a named pipe, not a regular file: not read; by its name it may be a log"),
        ("bench.a.2", "x\n", ""),  # something else
    ],
)
@pytest.mark.parametrize("beside", [True, False], ids=["beside another", "alone"])
def test_a_log_without_a_kind_is_imported_or_told(
    tmp_path: Path, name: str, content: str | None, told: str | None, beside: bool
) -> None:
    tree(tmp_path, "n/bench.a.1", "n/bench.a.3.receiver", content=SEARCH)
    path = tmp_path / ("n" if beside else "m") / name
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path) if content is None else path.write_text(content)
    trees = find(tmp_path)
    numbers = [run.index for one in trees for result in one.results for run in result.runs]
    assert (2 in numbers) is (told is None)
    notes = [note for one in trees for note in one.notes if note.endswith(told or "import")]
    assert len(notes) == bool(told) and all(path.name in note for note in notes)


def test_what_a_killed_import_left_in_the_tree_is_no_result(tmp_path: Path) -> None:
    tree(tmp_path, "bench.a.1.receiver", "s/.a.importing-77/v4/001/bench.a.1.receiver", ".b/bench.b.1.sender")
    assert sorted(one.folder.name for one in find(tmp_path)) == [".b", tmp_path.name]


@pytest.mark.parametrize("suffix", ["gz", "xz", "bz2", "zst"])
def test_a_compressed_log_is_told(tmp_path: Path, suffix: str) -> None:
    tree(tmp_path, "bench.a.1.receiver", f"bench.a.2.receiver.{suffix}", f"bench.a.1.vmstat.{suffix}")
    found = only(tmp_path)
    assert runs(found.results[0]) == {1: ("bench.a.1.receiver", [], [f"bench.a.1.vmstat.{suffix}"])}
    packed = tmp_path / f"bench.a.2.receiver.{suffix}"
    assert found.notes == (f"{packed}: a compressed log: not read; unpack it first",)
