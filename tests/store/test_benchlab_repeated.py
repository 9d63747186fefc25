"""Runs that an import has twice, as logs and as a value file that is not called as they are, count once."""

from pathlib import Path

import pytest
from fixtures.benchlab import Case, median, steps, write

from fwdtui.store.benchlab import Imported, import_tree

CASES = [Case("n1", "inet4", steps(900_000, 500)), Case("n2", "inet4", steps(930_000, 500))]


def values(tree: Path, session: str) -> str:
    """As bench-lab's script writes them: without fwdtui."""
    logs = sorted(tree.glob(f"**/bench.{session}.inet4.*.receiver"))
    return "".join(f"{median(path):.8g}\n" for path in logs)


def imported(tree: Path, name: str, content: str, trim: str = "steady") -> list[Imported]:
    """What an import makes beside a value file of this name."""
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).write_text(content)
    return import_tree(tree, tree.parent / "sessions", trim)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(tmp_path / "may", CASES)


def told(made: list[Imported]) -> tuple[list[str], list[str]]:
    """The sessions, and the notes on what was published."""
    notes = [note for one in made for note in one.notes]
    return [one.label for one in made], [note for note in notes if "publish" in note]


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("bench.n2.inet4.pps", None),
        ("n2-inet4.pps", "n2.inet4: published as n2-inet4.pps (the same values under another name)"),
        ("pps/n2.inet4.pps", "n2.inet4: published as pps/n2.inet4.pps (the same values in another folder)"),
        ("pps/patched.pps", "n2.inet4: published as pps/patched.pps (the same values under another name)"),
    ],
)
def test_values_that_are_those_of_logs_are_no_result_of_their_own(
    name: str, note: str | None, trim: str, tree: Path
) -> None:
    made = imported(tree, name, values(tree, "n2"), trim)
    assert told(made) == (["n1", "n2"], [note] if note else [])


def test_a_value_file_may_have_its_runs_in_any_order(tree: Path) -> None:
    backwards = "\n".join(reversed(values(tree, "n2").split())) + "\n"
    assert told(imported(tree, "patched.pps", backwards))[0] == ["n1", "n2"]


def test_other_values_are_a_result_of_their_own(tree: Path) -> None:
    first, *others = values(tree, "n2").split()
    made = imported(tree, "n2-inet4.pps", "\n".join([*others, f"{float(first) + 1:.8g}"]))
    assert told(made) == (["n1", "n2", "n2-inet4"], [])


def test_fewer_values_than_runs_are_a_result_of_their_own(tree: Path) -> None:
    made = imported(tree, "n2-inet4.pps", values(tree, "n2").partition("\n")[2])
    assert told(made)[0] == ["n1", "n2", "n2-inet4"]


def test_other_values_of_a_file_that_is_called_as_the_logs_with_bench_before_are_told(tree: Path) -> None:
    made = imported(tree, "bench.n2.inet4.pps", "1\n2\n3\n", "netbenches")
    assert told(made) == (
        ["n1", "n2"],
        ["bench.n2.inet4.pps: published values differ from those of the logs"],
    )


def test_one_number_at_a_limit_is_not_taken_for_the_same_result(tmp_path: Path) -> None:
    at_limit = [Case(name, "inet4", [1_488_000.0] * 3, swing=0.0) for name in ("n1", "n2")]
    tree = write(tmp_path / "may", at_limit)
    same = values(tree, "n2")
    assert len(set(same.split())) == 1
    assert told(imported(tree, "patched.pps", same))[0] == ["n1", "n2", "patched"]


@pytest.mark.parametrize(("folder", "sessions"), [("april", 2), ("may/pps", 1), ("may", 1)])
def test_one_number_at_a_limit_is_another_builds_in_a_folder_beside_the_logs(
    folder: str, sessions: int, tmp_path: Path
) -> None:
    """Both builds forward at line rate, and the logs of one are lost. Below the logs the file is a copy."""
    write(tmp_path / "all" / "may", [Case("n1", "inet4", [1_488_000.0] * 3, swing=0.0)])
    content = values(tmp_path / "all" / "may", "n1")
    assert len(set(content.split())) == 1
    made = imported(tmp_path / "all", f"{folder}/n1.inet4.pps", content)
    assert len(made) == sessions, told(made)
