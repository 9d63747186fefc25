"""Which sessions an import would make, of which results, and what they would be called."""

from pathlib import Path

from fwdtui.store import read_session
from fwdtui.store.benchlab import carry_out
from fwdtui.store.benchlab_plan import plan

INFO = 'IMAGE="{}"\nCFG="{}"\n'


def result(folder: Path, image: str, config: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"bench.{image}.{config}.info").write_text(INFO.format(image, config))
    (folder / f"bench.{image}.{config}.1.receiver").write_text("x\n")


def test_a_session_is_what_one_folder_has_of_one_image_and_is_told_from_others(tmp_path: Path) -> None:
    root = tmp_path / "all"
    for month in ("may", "june"):
        result(root / month / "RAW", "n1", "pf")
        result(root / month / "RAW", "n1", "ipfw")
    result(root / "may" / "RAW", "n2", "pf")
    found = plan(root, tmp_path / "s")
    assert found.root == root and found.notes == ()
    assert [(one.label, one.place, one.tree.folder, len(one.results)) for one in found.sessions] == [
        ("june.n1", "all/june", root / "june", 2),
        ("may.n1", "all/may", root / "may", 2),
        ("n2", "all/may", root / "may", 1),
    ]
    assert [one.target for one in found.sessions] == [
        tmp_path / "s" / name for name in ("june.n1", "may.n1", "n2")
    ]
    assert [one.result.key for one in found.described] == ["n1.ipfw", "n1.pf", "n1.ipfw", "n1.pf", "n2.pf"]
    assert found.sessions[1].results == [one.result for one in found.described[2:4]]
    assert not (tmp_path / "s").exists()


def test_different_results_of_one_session_and_case_are_not_pooled(tmp_path: Path) -> None:
    """The values of two builds, one of them without a word of what it is, were one case."""
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "n1.default.info").write_text('IMAGE="n1"\nCFG="default"\n')
    (folder / "n1.default.pps").write_text("100\n101\n102\n")
    (folder / "n1.pps").write_text("200\n201\n202\n")
    planned = plan(folder, tmp_path / "into")
    (session,) = planned.sessions
    assert {one.key: one.case for one in session.results} == {"n1.default": "default", "n1": "n1"}
    told = "r/n1: another result (n1.default) is case default of n1; they are not pooled: this one is case n1"
    assert told in planned.notes
    (made,) = carry_out(planned)
    cases = {case.name: [one.value for one in case.iterations] for case in read_session(made.path).cases}
    assert cases == {"default": [100.0, 101.0, 102.0], "n1": [200.0, 201.0, 202.0]}
