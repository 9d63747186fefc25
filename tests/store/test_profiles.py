"""A profile is kept with an iteration of its own, which is no value, whatever its file says."""

import json
from pathlib import Path

import msgspec
import pytest
from fixtures import benchlab, profiles

from fwdtui.core import fragments, super_packets
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution, Iteration, Session
from fwdtui.core.parse.profile_text import read_profile
from fwdtui.core.profile import Folded, Profile
from fwdtui.core.profiled import FRAGMENTS, PROFILED, REJECTED, UNSEEN, without_value
from fwdtui.core.uncounted import caution
from fwdtui.report.iterations import case_set, counts
from fwdtui.store import SessionWriter, read_session
from fwdtui.store.benchlab import import_tree
from fwdtui.store.profiles import FOLDED_FILE, add, described, stacks
from fwdtui.store.schema import checksum, decode_iteration

GRAPH = profiles.call_graph(profiles.FORWARDING, {profiles.IDLE: 5})
READING = read_profile(GRAPH.encode())


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "r1"
    with SessionWriter.create(folder, label="r1", created="2026-11-20T20:00:00+00:00") as writer:
        for value in (1.0e6, 1.1e6):
            writer.begin("inet4").commit(Iteration(0, value))
    return folder


def profiled(session: Path, profile: Profile | None = None) -> Iteration:
    index = add(
        session, "inet4", READING.folded, profile or described(READING), {"pmc.graph": GRAPH.encode()}
    )
    return read_session(session, verify=True).cases[0].iterations[index - 1]


def test_a_profile_added_to_a_session_is_the_next_iteration_of_its_case(session: Path) -> None:
    one = profiled(session)
    assert (one.index, one.value, one.complete) == (3, None, False)
    assert sorted(one.files) == ["pmc.graph", FOLDED_FILE]
    assert one.profile == Profile(
        samples=705,
        tool="pmcstat",
        event="BU_CPU_CLK_UNHALTED",
        per_cpu={"#1": 700, "#2": 5},
        idle=305,
        source="pmc.graph",
    )
    found = read_session(session, verify=True)
    assert found.problems == ()
    assert stacks(found, found.cases[0], one) == READING.folded


def test_packets_that_the_dut_does_not_all_count_are_not_known_in_an_older_session(session: Path) -> None:
    """It was recorded with those that the DUT's counters saw."""
    one = profiled(session, msgspec.structs.replace(described(READING), packets=4_000_000))
    assert one.profile is not None and one.profile.packets == 4_000_000
    doubted = without_value(msgspec.structs.replace(one, warnings=(caution(1e6, 4e5), *one.warnings)))
    assert doubted.profile is not None and doubted.profile.packets is None
    assert doubted.profile.notes == (UNSEEN,)
    assert without_value(doubted) == doubted


@pytest.mark.parametrize(
    ("warning", "packets", "notes"),
    [
        (super_packets.caution({"forwarded": 21_000.0}), None, (UNSEEN,)),
        (super_packets.caution({"offered": 30_000.0, "forwarded": 21_000.0}), None, (UNSEEN,)),
        (super_packets.caution({"received": 21_000.0}), 4_000_000, ()),  # the receiver's GRO, not the DUT's
        (fragments.caution("forwarded", 900.0, 1514), 4_000_000, (FRAGMENTS,)),
    ],
)
def test_packets_that_the_dut_counts_in_bundles_are_not_known_and_fragments_are_told(
    session: Path, warning: Caution, packets: int | None, notes: tuple[str, ...]
) -> None:
    """A bundle of GRO is one packet to the driver: per million of these, all functions seem to cost more."""
    one = profiled(session, msgspec.structs.replace(described(READING), packets=4_000_000))
    doubted = without_value(msgspec.structs.replace(one, warnings=(warning, *one.warnings)))
    assert doubted.profile is not None
    assert (doubted.profile.packets, doubted.profile.notes) == (packets, notes)
    assert without_value(doubted) == doubted


def test_a_stack_of_one_name_that_ends_in_a_number_comes_back(session: Path) -> None:
    """perf knows no callers of what ran in a guest: the thread of a virtual processor is all of the stack."""
    folded = Folded({("fc_vcpu 0",): 700, ("fc_vcpu 1",): 650, ("swapper", "f 1"): 9, ("swapper", "f"): 300})
    index = add(session, "inet4", folded, Profile(folded.samples))
    found = read_session(session, verify=True)
    assert stacks(found, found.cases[0], found.cases[0].iterations[index - 1]) == folded


def test_all_that_is_known_of_a_profile_comes_back(session: Path) -> None:
    known = Profile(
        samples=705,
        tool="perf",
        event="cpu-clock",
        host="dut",
        start=1.5,
        end=9.25,
        rate=997.0,
        period=1000,
        per_cpu={"0": 700, "1": 5},
        idle=305,
        packets=2_400_000,
        rejected="it began before the traffic",
        source="pmc.graph",
        notes=("perf lost 17 samples",),
    )
    assert profiled(session, known).profile == known


def test_an_iteration_with_a_profile_has_no_value_though_its_file_has_one(session: Path) -> None:
    one = profiled(session)
    path = session / one.place("inet4") / "iteration.json"
    forged = json.loads(path.read_text()) | {"value": 2.0e6, "incomplete": "", "warnings": []}
    path.write_text(json.dumps(forged | {"checksum": checksum(forged)}))
    assert decode_iteration(path.read_bytes(), path).value == 2.0e6
    read = read_session(session).cases[0].iterations[2]
    assert (read.value, read.complete) == (None, False)
    assert [warning.code for warning in read.warnings] == [PROFILED]


def test_what_was_measured_beside_the_profiler_is_kept_but_is_no_value(session: Path) -> None:
    unsteady = Caution("unsteady", "It never settled.")
    with SessionWriter(session) as writer:
        writing = writer.begin("inet4")
        writing.commit(Iteration(0, 9.0e5, warnings=(unsteady,), profile=Profile(1, tool="perf")))
    (*_, read) = read_session(session).cases[0].iterations
    assert read.incomplete == "It was profiled by perf, which costs packets, so it does not count as a value."
    assert [warning.code for warning in read.warnings] == [PROFILED, "unsteady"]
    assert not counts(msgspec.structs.replace(read, value=9.0e5, complete=True))


def test_an_iteration_whose_profiler_did_not_run_is_not_said_to_be_profiled() -> None:
    missed = without_value(Iteration(1, None, profile=Profile(0, tool="perf", rejected="perf is not there.")))
    assert missed.incomplete.startswith("It was for a profile, and ")
    assert [one.code for one in missed.warnings] == [PROFILED, REJECTED]


def test_an_iteration_says_why_its_profile_is_not_used() -> None:
    one = without_value(Iteration(1, None, profile=Profile(1, rejected="92 % of it is idle")))
    assert one.warnings[1] == Caution(REJECTED, "Its profile is not used: 92 % of it is idle.")
    assert without_value(one) == one, "once is enough"


def test_a_profile_is_left_out_of_the_values_and_that_is_said(session: Path) -> None:
    profiled(session)
    found = read_session(session)
    of_case = case_set(found, found.cases[0], "r1")
    assert (of_case.result.values, of_case.recorded, of_case.result.excluded) == ((1.0e6, 1.1e6), 2, ())
    text = "iteration 3 was profiled, which costs packets, and does not count as a value."
    assert of_case.result.cautions == (Caution(PROFILED, text),)


def test_dropping_a_profile_by_hand_is_no_choice_of_values(session: Path) -> None:
    one = msgspec.structs.replace(profiled(session), dropped="the wrong event")
    found: Session = read_session(session)
    case = msgspec.structs.replace(found.cases[0], iterations=(*found.cases[0].iterations[:2], one))
    of_case = case_set(found, case, "r1")
    assert of_case.dropped == () and [caution.code for caution in of_case.result.cautions] == [PROFILED]


def test_stacks_that_were_changed_or_are_gone_are_not_used(session: Path) -> None:
    one = profiled(session)
    found = read_session(session)
    path = session / one.place("inet4") / FOLDED_FILE
    path.write_text("a;b 1\n")
    with pytest.raises(FwdtuiError, match=r"profile\.folded: checksum does not match"):
        stacks(found, found.cases[0], one)
    path.unlink()
    with pytest.raises(FwdtuiError, match=r"profile\.folded: No such file"):
        stacks(found, found.cases[0], one)


# imports


def published(folder: Path, where: str = "", name: str = "n1.pf.inet4") -> None:
    """Results with two runs, and a profile of the first."""
    benchlab.named(folder, "n1", "pf", "inet4")
    (folder / where).mkdir(parents=True, exist_ok=True)
    (folder / where / f"bench.{name}.pmc.graph").write_text(GRAPH)
    (folder / where / f"bench.{name}.pmc.stack").write_text(
        profiles.folded(profiles.FORWARDING, {profiles.IDLE: 5})
    )


@pytest.mark.parametrize("where", ["", "RAW", "PMC", "pmc/off", "svg"])
@pytest.mark.parametrize("name", ["n1.pf.inet4", "n1.pf.inet4.1"])
def test_profiles_beside_the_results_become_an_iteration_of_their_case(
    tmp_path: Path, where: str, name: str
) -> None:
    published(tmp_path / "tree", where, name)
    (made,) = import_tree(tmp_path / "tree", tmp_path / "s")
    assert (made.iterations, made.profiles, made.notes) == (2, 1, ())
    session = read_session(made.path, verify=True)
    (case,) = session.cases
    *values, last = case.iterations
    assert [one.profile for one in values] == [None, None] and all(map(counts, values))
    assert (last.index, last.value) == (3, None)
    assert last.origin == f"tree/{where}/bench.{name}.pmc.graph".replace("//", "/")
    assert sorted(last.files) == [f"bench.{name}.pmc.graph", f"bench.{name}.pmc.stack", FOLDED_FILE]
    assert stacks(session, case, last) == READING.folded


def test_profiles_of_nothing_that_is_there_and_texts_that_are_none_are_told(tmp_path: Path) -> None:
    published(tmp_path / "tree", "PMC", "other.inet4")
    (tmp_path / "tree" / "bench.n1.pf.inet4.1.pmc.graph").write_text("profile")
    (made,) = import_tree(tmp_path / "tree", tmp_path / "s")
    assert (made.iterations, made.profiles) == (2, 0)
    assert sorted(made.notes) == [
        "bench.n1.pf.inet4.1.pmc.graph: no profile could be read from it: not imported",
        "bench.other.inet4.pmc.graph: this profile belongs to no result here: not imported",
        "bench.other.inet4.pmc.stack: this profile belongs to no result here: not imported",
    ]


def test_the_published_profiles_are_imported_with_their_results(archive: Path, tmp_path: Path) -> None:
    (folder,) = archive.rglob("txabdicate")
    made = {one.label: one for one in import_tree(folder, tmp_path)}
    found = {label: one.profiles for label, one in made.items() if one.profiles}
    assert list(found.values()) == [1, 1] and all("D58513" in label for label in found)
    assert {one.iterations for one in made.values()} == {10}
