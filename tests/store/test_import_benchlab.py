"""A published bench-lab tree becomes sessions: same medians to the digit, nothing hidden."""

import hashlib
import shutil
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import read_samples, read_session
from fwdtui.store.benchlab import import_tree


def published(folder: Path, name: str) -> list[float]:
    return [float(word) for word in (folder / name).read_text().split()]


TREES = {
    "fbsd12-head.r320657.D11476": {
        "320657": {"inet4": "320657.inet4.pps", "inet6": "320657.inet6.pps"},
        "320657D11476": {"inet4": "320657D11476.inet4.pps", "inet6": "320657D11476.inet6.pps"},
    },
    "fbsd13-r368287.D27401v2": {
        "r368287": {"inet4": "r368287.inet4.pps", "inet6": "r368287.inet6.pps"},
        "r368287D27401v2": {"inet4": "r368287D27401v2.inet4.pps", "inet6": "r368287D27401v2.inet6.pps"},
    },
    "fbsd13-r368606.D27401v3": {
        "r368606": {"inet4": "r368606.inet4.pps", "inet6": "r368606.inet6.pps"},
        "r368606D27401v3": {"inet4": "r368606D27401v3.inet4.pps", "inet6": "r368606D27401v3.inet6.pps"},
    },
    "fbsd13-r368766D27401": {
        "r368766": {"inet4": "r368766.inet4.pps", "inet6": "r368766.inet6.pps"},
        "r368766D27401v80909": {
            "inet4": "r368766D27401v80909.inet4.pps",
            "inet6": "r368766D27401v80909.inet6.pps",
        },
    },
    # the author renamed the value files by hand; the logs keep the old names
    "fbsd11-head.r296935-D4306": {
        "296935": {
            "fastforwarding": "296935.forwarding",
            "ipfw-statefull": "296935.ipfw-statefull",
            "pf-statefull": "296935.pf-statefull",
        },
        "296935D4304": {
            "fastforwarding": "296935D4306.forwarding",
            "ipfw-statefull": "296935D4306.ipfw-statefull",
            "pf-statefull": "296935D4306.pf-statefull",
        },
    },
}


@pytest.mark.parametrize("name", sorted(TREES))
def test_netbenches_trim_reproduces_the_published_medians_exactly(netbenches, tmp_path, name):
    (tree,) = netbenches.rglob(name)
    imported = import_tree(tree, tmp_path, "netbenches")
    assert sorted(session.label for session in imported) == sorted(TREES[name])
    for result in imported:
        session = read_session(result.path, verify=True)
        assert session.problems == ()
        assert {case.name for case in session.cases} == set(TREES[name][session.label])
        for case in session.cases:
            theirs = published(tree, TREES[name][session.label][case.name])
            ours = [iteration.value for iteration in case.iterations]
            # the ten runs of 2016 were written in the shell's order: 1, 10, 2, ...
            order = sorted(range(1, len(ours) + 1), key=lambda n: f"{n}.")
            assert [ours[n - 1] for n in order] == theirs


def test_every_iteration_keeps_its_raw_logs_byte_for_byte_and_where_they_came_from(netbenches, tmp_path):
    (tree,) = netbenches.rglob("fbsd13-r368287.D27401v2")
    (base, _) = import_tree(tree, tmp_path)
    session = read_session(base.path)
    for case in session.cases:
        for iteration in case.iterations:
            folder = base.path / case.name / f"{iteration.index:03d}"
            for kind, log in (("receiver", "receiver.log"), ("sender", "generator.log")):
                original = tree / "RAW" / f"bench.r368287.{case.name}.{iteration.index}.{kind}"
                assert (folder / log).read_bytes() == original.read_bytes()
                recorded = "sha256:" + hashlib.sha256(original.read_bytes()).hexdigest()
                assert iteration.files[log] == recorded
            assert iteration.source == "receiver.log"
            assert iteration.origin == f"{tree.name}/RAW/bench.r368287.{case.name}.{iteration.index}.receiver"
            assert iteration.metrics["offered"].median > iteration.metrics["received"].median
            samples = read_samples(folder).samples
            assert {sample.role for sample in samples} == {"receiver", "generator"}


def test_the_fulltable_runs_are_flagged_for_their_variation_and_the_quiet_ones_are_not(netbenches, tmp_path):
    (noisy,) = netbenches.rglob("fbsd13-r368766D27401")
    (quiet,) = netbenches.rglob("fbsd13-r368606.D27401v3")
    for tree, flagged in ((noisy, 20), (quiet, 0)):
        sessions = import_tree(tree, tmp_path / tree.name)
        codes = [caution.code for session in sessions for _, _, caution in session.cautions]
        assert codes.count("in-run-variation") == flagged


def test_published_names_that_differ_from_the_logs_are_told(netbenches, tmp_path):
    (tree,) = netbenches.rglob("fbsd11-head.r296935-D4306")
    notes = [note for session in import_tree(tree, tmp_path, "netbenches") for note in session.notes]
    assert any("296935D4304.pf-statefull: published as 296935D4306.pf-statefull" in note for note in notes)


HEADER = "CMD: pkt-gen -N -f rx -i igb3 -w 2\n1.0 main [1] interface is igb3\n"


def line(second: int, pps: int) -> str:
    return (
        f"{second}.000000 main_thread [1] {pps} pps ({pps} pkts {pps * 480} bps in 1000000 usec) "
        "3.00 avg_batch 1 min_space\n"
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "lab.2026"
    folder.mkdir()
    (folder / "bench.n1.D2.off.v4.info").write_text(
        'IMAGE="n1.D2"\nCFG="off"\nPKTGEN="v4"\nUNAME="FreeBSD x 16"'
    )
    for index in (1, 2):
        log = HEADER + "".join(line(s, 1_000_000 + s % 3) for s in range(10, 50)) + "Terminated\n"
        (folder / f"bench.n1.D2.off.v4.{index}.receiver").write_text(log)
    return folder


def only(tree: Path, into: Path, trim: str = "steady"):
    (imported,) = import_tree(tree, into, trim)
    return imported, read_session(imported.path).cases[0].iterations


def codes(iteration) -> set[str]:
    return {caution.code for caution in iteration.warnings}


def test_the_info_file_decides_where_a_dotted_name_splits(tree, tmp_path):
    imported, _ = only(tree, tmp_path / "s")
    session = read_session(imported.path)
    assert (session.label, session.cases[0].name) == ("n1.D2", "off.v4")


def test_logs_without_an_info_file_are_imported_under_their_whole_name_and_that_is_told(tree, tmp_path):
    (tree / "bench.n1.D2.off.v4.info").unlink()
    imported, iterations = only(tree, tmp_path / "s")
    assert (imported.label, len(iterations)) == ("n1.D2.off.v4", 2)
    assert "no .info" in imported.notes[0]


def test_an_outage_is_flagged_under_both_trims_and_never_hidden(tree, tmp_path):
    path = tree / "bench.n1.D2.off.v4.1.receiver"
    rates = [0 if 25 <= s < 29 else 1_000_000 for s in range(10, 60)]
    path.write_text(HEADER + "".join(line(s + 10, r) for s, r in enumerate(rates)) + "Terminated\n")
    for trim in ("steady", "netbenches"):
        _, iterations = only(tree, tmp_path / trim, trim)
        assert "outage" in codes(iterations[0]) and "outage" not in codes(iterations[1])
    assert iterations[0].window is not None and iterations[0].window.inside == 4


def test_an_all_zero_log_has_no_value_and_is_flagged(tree, tmp_path):
    path = tree / "bench.n1.D2.off.v4.2.receiver"
    path.write_text(HEADER + "".join(line(s, 0) for s in range(10, 50)) + "Terminated\n")
    for trim in ("steady", "netbenches"):
        _, iterations = only(tree, tmp_path / trim, trim)
        assert iterations[1].value is None and codes(iterations[1]) >= {"no-traffic"}


def test_a_crashed_receiver_is_flagged(tree, tmp_path):
    path = tree / "bench.n1.D2.off.v4.2.receiver"
    path.write_text(path.read_text() + "60.0 main_thread [2541] ouch, thread 0 exited with error\n")
    _, iterations = only(tree, tmp_path / "s")
    assert "crashed" in codes(iterations[1])


def test_a_truncated_log_is_flagged(tree, tmp_path):
    path = tree / "bench.n1.D2.off.v4.2.receiver"
    path.write_text(path.read_text()[:-60])
    _, iterations = only(tree, tmp_path / "s")
    assert codes(iterations[1]) == {"truncated-log", "damaged-log"}


def test_a_receiver_that_stopped_before_the_generator_is_flagged(tree, tmp_path):
    sender = HEADER.replace("-f rx", "-f tx") + "".join(line(s, 1_488_000) for s in range(10, 90))
    (tree / "bench.n1.D2.off.v4.2.sender").write_text(sender)
    _, iterations = only(tree, tmp_path / "s")
    assert codes(iterations[1]) == {"ended-early"}
    assert iterations[1].metrics["offered"].median == 1_488_000


def test_a_sender_without_a_receiver_has_no_forwarded_rate(tree, tmp_path):
    (tree / "bench.n1.D2.off.v4.1.receiver").rename(tree / "bench.n1.D2.off.v4.1.sender")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value is None and "no-receiver" in codes(iterations[0])


def test_human_units_count(tree, tmp_path):
    path = tree / "bench.n1.D2.off.v4.1.receiver"
    body = "".join(
        f"{s}.0 main_thread [1] 6.7{s % 10}0 Mpps (6.735 Mpkts 3.2 Gbps in 1001031 usec) "
        "5.00 avg_batch 0 min_space\n"
        for s in range(10, 50)
    )
    path.write_text(HEADER + body)
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == pytest.approx(6.745e6, rel=0.01)


def test_other_files_of_an_iteration_are_kept_with_it(tree, tmp_path):
    (tree / "bench.n1.D2.off.v4.1.pmc.graph").write_text("profile")
    imported, iterations = only(tree, tmp_path / "s")
    name = "bench.n1.D2.off.v4.1.pmc.graph"
    assert name in iterations[0].files
    assert (imported.path / "off.v4" / "001" / name).read_text() == "profile"


def test_values_whose_logs_are_lost_are_imported_as_values_only(tree, tmp_path):
    for log in tree.glob("*.receiver"):
        log.unlink()
    (tree / "n1.D2.off.v4.pps").write_text("1000.5\n1001\n")
    imported, iterations = only(tree, tmp_path / "s")
    assert (imported.label, [i.value for i in iterations]) == ("n1.D2", [1000.5, 1001.0])
    assert all(codes(i) == {"value-only"} and i.source == "n1.D2.off.v4.pps" for i in iterations)
    assert iterations[0].window is not None and iterations[0].window.method == "published"


def test_importing_twice_is_refused_and_changes_nothing(tree, tmp_path):
    import_tree(tree, tmp_path / "s")
    with pytest.raises(FwdtuiError, match="exists already"):
        import_tree(tree, tmp_path / "s")


def test_a_failed_import_leaves_no_session(tree, tmp_path, monkeypatch):
    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fwdtui.store.writer.write_new", fail)
    with pytest.raises(OSError, match="No space left"):
        import_tree(tree, tmp_path / "s")
    assert list((tmp_path / "s").iterdir()) == []


def test_a_folder_without_results_is_one_clear_error(tmp_path):
    with pytest.raises(FwdtuiError, match="no bench-lab results"):
        import_tree(tmp_path, tmp_path / "s")
    with pytest.raises(FwdtuiError, match="no such folder"):
        import_tree(tmp_path / "nowhere", tmp_path / "s")


def test_two_trees_with_the_same_build_do_not_collide(tree, tmp_path):
    both = tmp_path / "both"
    shutil.copytree(tree, both / "a")
    shutil.copytree(tree, both / "b")
    names = sorted(session.path.name for session in import_tree(both, tmp_path / "s"))
    assert names == ["a.n1.D2", "b.n1.D2"]


def test_progress_counts_every_iteration(tree, tmp_path):
    seen = []
    import_tree(tree, tmp_path / "s", progress=lambda *args: seen.append(args))
    assert seen == [(1, 2, "n1.D2 off.v4"), (2, 2, "n1.D2 off.v4")]
