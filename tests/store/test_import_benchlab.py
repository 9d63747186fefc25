"""A published bench-lab tree becomes sessions: same medians to the digit, nothing hidden."""

import datetime
import hashlib
import json
import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest
from bench_logs import HEADER, codes, line, only
from fixtures import Agree, benchlab, cases

from fwdtui.cli import main
from fwdtui.core.errors import FwdtuiError
from fwdtui.store import read_samples, read_session
from fwdtui.store.benchlab import import_tree


def published(folder: Path, name: str) -> list[float]:
    return [float(word) for word in (folder / name).read_text().split()]


OURS = {
    "forwarding": {
        "r100": {"inet4": "r100.inet4.pps", "inet6": "r100.inet6.pps"},
        "r100D1": {"inet4": "r100D1.inet4.pps", "inet6": "r100D1.inet6.pps"},
    },
    "renamed": {
        "29000": {"fastforwarding": "29000.forwarding"},
        "29000D1": {"fastforwarding": "29000D2.forwarding"},
    },
}


def as_published(tree: Path, into: Path, value_files: dict[str, dict[str, str]]) -> None:
    """The netbenches trim gives the value files again, to the digit."""
    imported = import_tree(tree, into, "netbenches")
    assert sorted(session.label for session in imported) == sorted(value_files)
    for result in imported:
        session = read_session(result.path, verify=True)
        assert session.problems == ()
        assert {case.name for case in session.cases} == set(value_files[session.label])
        for case in session.cases:
            theirs = published(tree, value_files[session.label][case.name])
            ours = [iteration.value for iteration in case.iterations if iteration.profile is None]
            # the ten runs of 2016 were written in the shell's order: 1, 10, 2, ...
            order = sorted(range(1, len(ours) + 1), key=lambda n: f"{n}.")
            assert [ours[n - 1] for n in order] == theirs


@pytest.mark.parametrize("name", sorted(OURS))
def test_netbenches_trim_gives_the_values_that_a_shell_computes(tmp_path, name):
    """The value files are made by sed, awk and sort: fixtures.benchlab.median."""
    tree = getattr(benchlab, name)(tmp_path)
    as_published(tree, tmp_path / "s", OURS[name])


def kept_byte_for_byte(tree: Path, into: Path) -> None:
    (base, _) = import_tree(tree, into)
    session = read_session(base.path)
    for case in session.cases:
        for iteration in (one for one in case.iterations if one.profile is None):
            folder = base.path / case.name / f"{iteration.index:03d}"
            for kind, log in (("receiver", "receiver.log"), ("sender", "generator.log")):
                original = tree / "RAW" / f"bench.{base.label}.{case.name}.{iteration.index}.{kind}"
                assert (folder / log).read_bytes() == original.read_bytes()
                recorded = "sha256:" + hashlib.sha256(original.read_bytes()).hexdigest()
                assert iteration.files[log] == recorded
            assert iteration.source == "receiver.log"
            assert iteration.origin == (
                f"{tree.name}/RAW/bench.{base.label}.{case.name}.{iteration.index}.receiver"
            )
            samples = read_samples(folder).samples
            assert {sample.role for sample in samples} == {"receiver", "generator"}


def test_every_iteration_keeps_its_raw_logs_byte_for_byte_and_where_they_came_from(tmp_path):
    kept_byte_for_byte(benchlab.forwarding(tmp_path), tmp_path / "s")


def test_runs_are_flagged_for_their_variation_and_quiet_ones_are_not(tmp_path):
    for tree, flagged in ((benchlab.noisy(tmp_path), 5), (benchlab.renamed(tmp_path), 0)):
        sessions = import_tree(tree, tmp_path / "s" / tree.name)
        found = [caution.code for session in sessions for _, _, caution in session.cautions]
        assert found.count("in-run-variation") == flagged


def test_published_names_that_differ_from_the_logs_are_told(tmp_path):
    imported = import_tree(benchlab.renamed(tmp_path), tmp_path / "s", "netbenches")
    notes = [note for session in imported for note in session.notes]
    assert any("29000D1.fastforwarding: published as 29000D2.forwarding" in note for note in notes)


def test_runs_of_two_senders_are_not_above_their_load(tmp_path):
    (made,) = import_tree(benchlab.two_senders(tmp_path), tmp_path / "s")
    for iteration in read_session(made.path).cases[0].iterations:
        assert iteration.metrics["offered"].median == pytest.approx(2 * benchlab.LINE_RATE, rel=1e-6)
        assert codes(iteration) == {"senders-summed"}


def test_the_info_file_decides_where_a_dotted_name_splits(tree, tmp_path):
    imported, _ = only(tree, tmp_path / "s")
    session = read_session(imported.path)
    assert (session.label, session.cases[0].name) == ("n1.D2", "off.v4")


def test_logs_without_an_info_file_are_imported_under_their_whole_name_and_that_is_told(tree, tmp_path):
    (tree / "bench.n1.D2.off.v4.info").unlink()
    imported, iterations = only(tree, tmp_path / "s")
    assert (imported.label, len(iterations)) == ("n1.D2.off.v4", 2)
    assert "no .info" in imported.notes[0]


@pytest.mark.parametrize("published", ["n1.D2.off.v4", "n1.D2.off.v4.pps"])
def test_published_values_of_runs_whose_logs_are_lost_are_told(published, tree, tmp_path):
    (tree / published).write_text("1000000\n1000001\n")
    imported, _ = only(tree, tmp_path / "s")
    assert imported.notes == ()
    (tree / published).write_text("1000000\n1000001\n990000\n")
    imported, iterations = only(tree, tmp_path / "t")
    assert len(iterations) == 2
    assert imported.notes == (
        f"{published}: 3 published values, but logs of 2 runs: the others are not imported",
    )


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


def test_a_log_that_is_another_runs_is_told(tree, tmp_path):
    first, second = (tree / f"bench.n1.D2.off.v4.{index}.receiver" for index in (1, 2))
    second.write_bytes(first.read_bytes())
    _, iterations = only(tree, tmp_path / "s")
    assert [sorted(codes(one)) for one in iterations] == [[], ["copied-log"]]
    assert "is that of run 1 of n1.D2.off.v4, byte for byte" in iterations[1].warnings[0].text


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
    name = "bench.n1.D2.off.v4.1.vmstat.txt"
    (tree / name).write_text("interrupts")
    imported, iterations = only(tree, tmp_path / "s")
    assert name in iterations[0].files
    assert (imported.path / "off.v4" / "001" / name).read_text() == "interrupts"


def test_values_whose_logs_are_lost_are_imported_as_values_only(tree, tmp_path):
    for log in tree.glob("*.receiver"):
        log.unlink()
    (tree / "n1.D2.off.v4.pps").write_text("1000.5\n1001\n")
    imported, iterations = only(tree, tmp_path / "s")
    assert (imported.label, [i.value for i in iterations]) == ("n1.D2", [1000.5, 1001.0])
    assert all(codes(i) == {"value-only"} and i.source == "n1.D2.off.v4.pps" for i in iterations)
    assert iterations[0].window is not None and iterations[0].window.method == "published"


@pytest.mark.parametrize("name", ["pf état.pps".encode("latin-1"), b"with blank.pps"])
def test_a_value_file_of_any_name_is_kept_under_the_name_that_its_source_says(tmp_path, name):
    (tmp_path / "n1").mkdir()
    (tmp_path / "n1" / os.fsdecode(name)).write_text("1000\n1001\n")
    imported, iterations = only(tmp_path / "n1", tmp_path / "s")
    assert [one.value for one in iterations] == [1000, 1001]
    assert (imported.path / "default" / "001" / iterations[0].source).read_text() == "1000\n1001\n"


def test_what_was_imported_into_the_tree_itself_is_no_result_of_it(tree, tmp_path):
    """The sessions have copies of the value files and of what lay beside the logs."""
    (tree / "n2.off.v4.pps").write_text("1000.5\n1001\n")
    first = import_tree(tree, tree / "sessions")
    again = import_tree(tree, tmp_path / "s")
    assert [one.label for one in again] == [one.label for one in first] == ["n1.D2", "n2"]
    assert f"{tree / 'sessions'}: 2 sessions of fwdtui in it: not imported" in again[0].notes
    with pytest.raises(FwdtuiError, match=r"no bench-lab results in it .*: 2 sessions of fwdtui in it"):
        import_tree(tree / "sessions", tmp_path / "t")


def test_importing_twice_is_refused_and_changes_nothing(tree, tmp_path):
    import_tree(tree, tmp_path / "s")
    with pytest.raises(FwdtuiError, match="exists already"):
        import_tree(tree, tmp_path / "s")


@pytest.mark.parametrize("inside", ["", "note.txt"])
def test_a_folder_that_appears_during_the_import_is_not_replaced(tree, tmp_path, inside):
    target = import_tree(tree, tmp_path / "before")[0].path.name
    made = tmp_path / "s" / target

    def appears(done, total, what):
        made.mkdir(exist_ok=True)
        if inside:
            (made / inside).touch()

    with pytest.raises(OSError, match="appeared during the import") as refused:
        import_tree(tree, tmp_path / "s", progress=appears)
    assert refused.value.filename == str(made)
    assert list((tmp_path / "s").iterdir()) == [made]
    assert [path.name for path in made.iterdir()] == [name for name in [inside] if name]


def test_a_failed_import_leaves_no_session(tree, tmp_path, monkeypatch):
    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fwdtui.store.unshown.write_new", fail)
    with pytest.raises(OSError, match="No space left"):
        import_tree(tree, tmp_path / "s")
    assert list((tmp_path / "s").iterdir()) == []


def test_a_folder_without_results_is_one_clear_error(tmp_path):
    with pytest.raises(FwdtuiError, match="no bench-lab results"):
        import_tree(tmp_path, tmp_path / "s")
    with pytest.raises(FwdtuiError, match="no such folder"):
        import_tree(tmp_path / "nowhere", tmp_path / "s")


def test_a_tree_of_which_only_the_info_is_left_is_one_clear_error(tree, tmp_path, capsys):
    """The usual cause: somebody has compressed the logs."""
    for log in tree.glob("*.receiver"):
        log.rename(f"{log}.gz")
    for more in ([], ["--dry-run"]):
        assert main(["import", str(tree), "--into", str(tmp_path / "s"), *more]) == 2
        error = capsys.readouterr().err
        assert f"{tree}: no runs to import in it; " in error
        assert "bench.n1.D2.off.v4.1.receiver.gz: a compressed log: not read; unpack it first" in error
    assert not (tmp_path / "s").exists()


def test_what_is_said_of_a_folder_without_runs_is_told_beside_the_others(tree, tmp_path):
    """As the first folder, whose notes are those on the whole tree, and as the last one."""
    log = tree / "bench.n1.D2.off.v4.1.receiver"
    for name in ("a", "z"):
        (tmp_path / "all" / name).mkdir(parents=True)
        (tmp_path / "all" / name / "bench.n1.off.info").write_text('IMAGE="n1"')
        shutil.copy(log, tmp_path / "all" / name / "bench.n1.off.1.receiver.xz")
    shutil.copytree(tree, tmp_path / "all" / "m")
    (tmp_path / "all" / "link").symlink_to(tree)
    (made,) = import_tree(tmp_path / "all", tmp_path / "s")
    for name in ("a", "z"):
        packed = tmp_path / "all" / name / "bench.n1.off.1.receiver.xz"
        assert f"{packed}: a compressed log: not read; unpack it first" in made.notes
    assert f"{tmp_path / 'all' / 'link'}: a link to a folder: not imported" in made.notes


def test_two_trees_with_the_same_build_do_not_collide(tree, tmp_path):
    both = tmp_path / "both"
    shutil.copytree(tree, both / "a")
    shutil.copytree(tree, both / "b")
    imported = import_tree(both, tmp_path / "s")
    assert sorted(session.path.name for session in imported) == ["a.n1.D2", "b.n1.D2"]
    assert sorted(session.label for session in imported) == ["a.n1.D2", "b.n1.D2"]


def test_a_build_of_which_no_run_can_be_read_is_told_beside_the_others(tree, tmp_path, capsys):
    """Its own notes, and those of its folder, would be in no session otherwise."""
    both = tmp_path / "both"
    shutil.copytree(tree, both / "a")
    shutil.copytree(tree, both / "b")
    for log in (both / "a").glob("*.receiver"):
        with log.open("r+b") as file:
            file.truncate((16 << 20) + 1)
    (both / "a" / "bench.other.info").write_text('IMAGE="n9"')
    (imported,) = import_tree(both, tmp_path / "s")
    assert imported.label == "b.n1.D2"
    told = "\n".join(imported.notes)
    assert "a.n1.D2: none of its runs could be imported, so it is no session" in imported.notes
    assert "n1.D2.off.v4: run 1 skipped: " in told and "larger than the 16 MiB" in told
    assert "bench.other.info: no results belong to it" in told
    assert main(["import", str(both), "--into", str(tmp_path / "t")]) == 0
    assert "  note: a.n1.D2: none of its runs could be imported" in capsys.readouterr().out


def test_result_folders_of_one_name_get_the_folders_above_in_their_names(tree, tmp_path):
    for place in ("apu/results/may", "xeon/results/may", "xeon/results/june"):
        shutil.copytree(tree, tmp_path / "all" / place)
    names = sorted(session.path.name for session in import_tree(tmp_path / "all", tmp_path / "s"))
    assert names == ["apu.results.may.n1.D2", "june.n1.D2", "xeon.results.may.n1.D2"]
    facts = {path.name: read_session(path).facts for path in (tmp_path / "s").iterdir()}
    assert {facts[name]["imported_from"] for name in names} == {"may", "june"}
    assert facts["apu.results.may.n1.D2"]["imported_tree"] == "all/apu/results/may"


@pytest.mark.parametrize("named", [True, False])
def test_a_tree_that_is_imported_itself_is_named_by_its_folder(tree, tmp_path, monkeypatch, named):
    monkeypatch.chdir(tree)
    facts = read_session(import_tree(tree if named else Path(), tmp_path / "s")[0].path).facts
    assert facts["imported_from"] == tree.name and "imported_tree" not in facts


def test_a_tree_of_which_only_raw_is_imported_is_named_by_the_folder_above(tree, tmp_path):
    (tree / "RAW").mkdir()
    for path in tree.glob("bench.*"):
        path.rename(tree / "RAW" / path.name)
    facts = read_session(import_tree(tree / "RAW", tmp_path / "s")[0].path).facts
    assert facts["imported_from"] == tree.name and "imported_tree" not in facts


def test_a_command_and_a_kernel_that_the_cases_do_not_share_are_told_of_each(tree, tmp_path):
    (tree / "bench.n1.D2.off.v6.info").write_text(
        'IMAGE="n1.D2"\nCFG="off"\nPKTGEN="v6"\nUNAME="FreeBSD x 17"'
    )
    log = (tree / "bench.n1.D2.off.v4.1.receiver").read_text()
    (tree / "bench.n1.D2.off.v6.1.receiver").write_text(log.replace("-w 2", "-w 4"))
    (made,) = import_tree(tree, tmp_path / "s")
    facts = read_session(made.path).facts
    assert {key: fact for key, fact in facts.items() if key not in ("imported_from", "trim")} == {
        "image": "n1.D2",
        "uname.off.v4": "FreeBSD x 16",
        "uname.off.v6": "FreeBSD x 17",
        "receiver.command.off.v4": "pkt-gen -N -f rx -i igb3 -w 2",
        "receiver.command.off.v6": "pkt-gen -N -f rx -i igb3 -w 4",
    }


def test_what_differs_between_very_many_cases_is_told_of_none(tree, tmp_path):
    """session.toml would be larger than is read of it."""
    log = HEADER + "".join(line(second, 1_000_000) for second in range(10, 22))
    for number in range(501):
        text = log.replace("-w 2", f"-w {number} -P {'x' * 2500}")
        (tree / f"bench.n1.D2.c{number}.1.receiver").write_text(text)
    (made,) = import_tree(tree, tmp_path / "s")
    session = read_session(made.path)
    assert len(session.cases) == 502
    assert not [fact for fact in session.facts if "command" in fact]


@pytest.mark.parametrize(
    ("cases", "started", "told"),
    [
        (2, "Fri Jun  9 12:00:00 CEST 2017", True),
        (501, "Fri Jun  9 12:00:00 CEST 2017", False),
        (3, "x" * 400_000, False),  # fewer cases, but longer facts
    ],
)
def test_facts_of_the_cases_are_left_out_if_session_toml_could_not_be_read(tmp_path, cases, started, told):
    for number in range(cases):
        (tmp_path / f"n1.c{number}.pps").write_text("1000\n")
        (tmp_path / f"n1.c{number}.info").write_text(f'IMAGE="n1"\nCFG="c{number}"\nStart time: {started}\n')
    (made,) = import_tree(tmp_path, tmp_path / "s")
    session = read_session(made.path)
    assert len(session.cases) == cases and session.facts["image"] == "n1"
    assert ("started.c1" in session.facts) is told


def test_a_session_whose_session_toml_could_not_be_read_is_not_made(tmp_path):
    (tmp_path / "n1.off.pps").write_text("1000\n")
    (tmp_path / "n1.off.info").write_text(f'IMAGE="{"n" * 700_000}"\n')
    with pytest.raises(FwdtuiError, match=r"not imported: its session\.toml would be larger than the 1 MiB"):
        import_tree(tmp_path, tmp_path / "s")
    assert list((tmp_path / "s").iterdir()) == []


def test_a_command_is_of_no_case_whose_logs_are_lost(tree, tmp_path):
    (tree / "n1.D2.off.v6.pps").write_text("1000000\n1000001\n")
    (made,) = import_tree(tree, tmp_path / "s")
    facts = read_session(made.path).facts
    assert facts["receiver.command.off.v4"] and "receiver.command" not in facts


def test_names_that_are_one_folder_name_are_told_apart(tree, tmp_path):
    for name in ("N1", "n1"):
        (tree / f"bench.{name}.v4.info").write_text(f'IMAGE="{name}"\nCFG="v4"')
        shutil.copy(tree / "bench.n1.D2.off.v4.1.receiver", tree / f"bench.{name}.v4.1.receiver")
    names = [session.path.name for session in import_tree(tree, tmp_path / "s")]
    assert len({name.casefold() for name in names}) == 3


def test_a_name_that_is_taken_is_told_before_anything_is_written(tree, tmp_path):
    for place in ("a", "b"):
        shutil.copytree(tree, tmp_path / "both" / place)
    (tmp_path / "s" / "b.n1.D2").mkdir(parents=True)
    with pytest.raises(FwdtuiError, match="exists already"):
        import_tree(tmp_path / "both", tmp_path / "s")
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["b.n1.D2"]


# when it was


def test_a_session_is_of_the_day_that_its_info_tells_and_says_when_it_was_imported(tree, tmp_path):
    with (tree / "bench.n1.D2.off.v4.info").open("a") as info:
        info.write("\nStart time: March 18, 2016 at 04:02:56 PM CET\n")
    imported, _ = only(tree, tmp_path / "s")
    session = read_session(imported.path)
    assert session.created == "2016-03-18T16:02:56+01:00"
    assert datetime.datetime.fromisoformat(session.imported).tzinfo is not None


def test_without_a_date_in_its_files_a_session_has_none_and_every_list_says_so(tree, tmp_path, capsys):
    imported, _ = only(tree, tmp_path / "s")
    assert read_session(imported.path).created == ""
    assert main(["sessions", str(tmp_path / "s")]) == 0
    assert "unknown" in capsys.readouterr().out
    assert main(["sessions", str(tmp_path / "s"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["created"] == ""


# what may lie in a tree


@pytest.mark.parametrize("kind", ["receiver", "sender"])
@pytest.mark.parametrize("what", ["pipe", "device", "large"])
def test_a_run_that_cannot_be_read_is_left_out_and_told_in_one_line(tree, tmp_path, kind, what):
    path = tree / f"bench.n1.D2.off.v4.1.{kind}"
    path.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        try:
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero
        except PermissionError:
            pytest.skip("only root makes devices")
    else:
        with path.open("wb") as file:
            file.truncate(1 << 30)
    imported, iterations = only(tree, tmp_path / "s")
    assert len(iterations) == 1
    (note,) = (note for note in imported.notes if "skipped" in note)
    assert note.startswith("n1.D2.off.v4: run 1 skipped: ") and path.name in note


@pytest.mark.parametrize("name", ["bench.n1.D2.off.v4.1.receiver", "bench.n1.D2.off.v4.1.pmc.graph"])
def test_a_link_is_not_followed(tree, tmp_path, name):
    secret = tmp_path / "secret"
    secret.write_text("the key")
    (tree / name).unlink(missing_ok=True)
    (tree / name).symlink_to(secret)
    imported, _ = only(tree, tmp_path / "s")
    assert not any(b"the key" in p.read_bytes() for p in imported.path.rglob("*") if p.is_file())


@pytest.mark.parametrize("target", ["a", "x" * 300], ids=["loop", "impossible"])
def test_a_link_that_leads_nowhere_takes_no_logs_down(tree, tmp_path, target):
    (tree / "a").symlink_to(target)
    imported, iterations = only(tree, tmp_path / "s")
    assert len(iterations) == 2
    assert not any(str(tree / "a") in note or "not imported" in note for note in imported.notes)


def test_what_lies_beside_the_logs_cannot_hang_the_import(tree, tmp_path):
    for name in ("gnuplot.data", "other.info", "n1.D2.off.v4.pps", "bench.n1.D2.off.v4.1.stack", "notes"):
        os.mkfifo(tree / name)
    imported, iterations = only(tree, tmp_path / "s")
    assert len(iterations) == 2
    told = [note for note in imported.notes if "named pipe" in note]
    for name in ("gnuplot.data", "other.info", "n1.D2.off.v4.pps", "bench.n1.D2.off.v4.1.stack"):
        assert sum(f"/{name}: " in note for note in told) == 1
    assert not any("notes" in note for note in told)  # nobody can know what it would be


def test_a_tree_in_which_no_run_can_be_read_makes_no_session(tree, tmp_path):
    for log in tree.glob("*.receiver"):
        log.unlink()
        os.mkfifo(log)
    with pytest.raises(FwdtuiError, match=r"none of its runs could be imported: .*named pipe"):
        import_tree(tree, tmp_path / "s")
    assert list((tmp_path / "s").iterdir()) == []


def test_progress_counts_the_iterations_that_are_finished_when_the_next_begins(tree, tmp_path):
    seen = []
    import_tree(tree, tmp_path / "s", progress=lambda *args: seen.append(args))
    assert seen == [(0, 2, "n1.D2 off.v4"), (1, 2, "n1.D2 off.v4")]


# the same in published results

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


@cases("name", sorted(TREES))
def real_published_medians(netbenches: Path, name: str) -> None:
    (tree,) = netbenches.rglob(name)
    with tempfile.TemporaryDirectory() as folder:
        as_published(tree, Path(folder), TREES[name])


def real_logs_are_kept(netbenches: Path) -> None:
    (tree,) = netbenches.rglob("fbsd13-r368287.D27401v2")
    with tempfile.TemporaryDirectory() as folder:
        kept_byte_for_byte(tree, Path(folder))


def real_fulltable_runs_are_flagged(netbenches: Path) -> None:
    (noisy,) = netbenches.rglob("fbsd13-r368766D27401")
    (quiet,) = netbenches.rglob("fbsd13-r368606.D27401v3")
    for tree, flagged in ((noisy, 20), (quiet, 0)):
        with tempfile.TemporaryDirectory() as folder:
            sessions = import_tree(tree, Path(folder))
        found = [caution.code for session in sessions for _, _, caution in session.cautions]
        assert found.count("in-run-variation") == flagged


def real_names_that_differ(netbenches: Path) -> None:
    (tree,) = netbenches.rglob("fbsd11-head.r296935-D4306")
    with tempfile.TemporaryDirectory() as folder:
        notes = [note for session in import_tree(tree, Path(folder), "netbenches") for note in session.notes]
    assert any("296935D4304.pf-statefull: published as 296935D4306.pf-statefull" in note for note in notes)


def real_several_senders(archive: Path) -> None:
    (tree,) = archive.rglob("fbsd13-r357572-20-10")
    with tempfile.TemporaryDirectory() as folder:
        for session in import_tree(tree, Path(folder)):
            for case in read_session(session.path).cases:
                for iteration in case.iterations:
                    assert iteration.metrics["offered"].median == pytest.approx(20e6, rel=0.001)
                    assert iteration.metrics["attack"].median == pytest.approx(10e6, rel=0.001)
                    assert codes(iteration) == {"attack-sent"}


def test_published_trees_say_the_same(agree: Agree) -> None:
    agree(
        real_published_medians,
        real_logs_are_kept,
        real_fulltable_runs_are_flagged,
        real_names_that_differ,
        real_several_senders,
    )
