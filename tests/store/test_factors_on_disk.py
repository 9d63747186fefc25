"""The factors of sessions, cases and iterations survive on disk, and people correct them by annotations."""

from pathlib import Path

import msgspec
import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import merged
from fwdtui.core.model import Iteration
from fwdtui.store import read_session
from fwdtui.store.annotations import read_annotations, rename, set_factor
from fwdtui.store.writer import SessionWriter


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """One session of two cases, one of them with an iteration that has a factor of its own."""
    path = tmp_path / "r1"
    with SessionWriter.create(
        path,
        label="r1",
        created="",
        factors={"image": "r1", "cores": 4},
        case_factors={"inet4": {"af": "inet4"}, "inet6": {"af": "inet6", "cores": 2}},
    ) as writer:
        for case, own in (("inet4", {}), ("inet6", {"rate": "300 kpps"})):
            writer.begin(case).commit(Iteration(1, 1000.0, factors=own))
    return path


def levels(path: Path) -> dict[str, dict[str, str]]:
    """Case -> the factors of its first iteration, as shown."""
    found = read_session(path)
    return {
        case.name: {
            name: one.shown
            for name, one in merged(found.factors, case.factors, case.iterations[0].factors).items()
        }
        for case in found.cases
    }


def test_all_three_layers_are_read_back(session: Path) -> None:
    assert levels(session) == {
        "inet4": {"image": "r1", "cores": "4", "af": "inet4"},
        "inet6": {"image": "r1", "cores": "2", "af": "inet6", "rate": "300 kpps"},
    }


def test_a_session_without_factors_has_the_bytes_it_always_had(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "r1", label="r1", created="") as writer:
        writer.begin("c").commit(Iteration(1, 1.0))
    assert "factors" not in (tmp_path / "r1/session.toml").read_text()
    assert "factors" not in (tmp_path / "r1/c/001/iteration.json").read_text()
    assert read_session(tmp_path / "r1").cases[0].factors == {}


def test_a_correction_replaces_what_was_recorded_and_nothing_else(session: Path) -> None:
    recorded = (session / "session.toml").read_bytes()
    set_factor(session, "inet6", "AF", "inet6 ext")
    set_factor(session, "", "image", "")
    assert levels(session) == {
        "inet4": {"image": "unknown", "cores": "4", "af": "inet4"},
        "inet6": {"image": "unknown", "cores": "2", "af": "inet6 ext", "rate": "300 kpps"},
    }
    assert (session / "session.toml").read_bytes() == recorded
    rename(session, "another label")
    assert read_annotations(session).cases == {"inet6": {"af": "inet6 ext"}}


def test_a_correction_needs_a_name(session: Path) -> None:
    with pytest.raises(FwdtuiError, match="not the name of a factor"):
        set_factor(session, "", "4q", 1)
    assert not (session / "annotations.toml").exists()


def test_unknown_keys_of_a_case_stay(session: Path) -> None:
    (session / "annotations.toml").write_text(
        '[cases.inet4]\ncolour = "red"\n[cases.inet4.factors]\nqueues = 2\n'
    )
    set_factor(session, "inet4", "cores", 8)
    text = (session / "annotations.toml").read_text()
    assert 'colour = "red"' in text
    assert read_annotations(session).cases == {"inet4": {"queues": 2, "cores": 8}}


def test_a_correction_of_the_session_that_every_case_overrides_is_told(tmp_path: Path) -> None:
    """An import records for each case that a factor is not known, which no word on the session changes."""
    unknown = {"inet4": {"af": "", "config": "pf"}, "inet6": {"af": "inet6"}}
    with SessionWriter.create(tmp_path / "r1", label="r1", created="", case_factors=unknown) as writer:
        for case in unknown:
            writer.begin(case).commit(Iteration(1, 1000.0))
    (tmp_path / "r1/annotations.toml").write_text('[factors]\naf = "inet4"\nconfig = "off"\nqueues = 4\n')
    (problem,) = read_session(tmp_path / "r1").problems
    assert "annotations.toml: factors.af: every case states this factor itself, perhaps as unknown" in problem
    assert '[cases."inet4".factors]' in problem
    assert {name: one["af"] for name, one in levels(tmp_path / "r1").items()} == {
        "inet4": "unknown",
        "inet6": "inet6",
    }
    set_factor(tmp_path / "r1", "inet4", "af", "inet4")
    assert levels(tmp_path / "r1")["inet4"]["af"] == "inet4"
    set_factor(tmp_path / "r1", "inet6", "af", "inet6")
    assert read_session(tmp_path / "r1").problems == ()


def test_a_correction_that_each_iteration_overrides_is_told(tmp_path: Path) -> None:
    """A further recording says in each iteration what its session does not: no correction replaces it."""
    with SessionWriter.create(tmp_path / "r1", label="r1", created="") as writer:
        writer.begin("inet4").commit(Iteration(1, 1000.0, factors={"af": "inet4", "queues": 8}))
        writer.begin("inet4").commit(Iteration(2, 1000.0, factors={"queues": 8}))
        writer.begin("inet4")  # broken off: nobody knows what it had
    set_factor(tmp_path / "r1", "inet4", "af", "inet6")
    assert read_session(tmp_path / "r1").problems[1:] == ()
    set_factor(tmp_path / "r1", "inet4", "queues", 4)
    (problem,) = read_session(tmp_path / "r1").problems[1:]
    assert 'annotations.toml: cases."inet4".factors.queues: each iteration states this' in problem
    assert levels(tmp_path / "r1")["inet4"]["queues"] == "8"


def test_so_is_a_correction_of_the_session_that_cases_or_iterations_override(tmp_path: Path) -> None:
    recorded = {"inet4": {"queues": 8}}
    with SessionWriter.create(tmp_path / "r1", label="r1", created="", case_factors=recorded) as writer:
        writer.begin("inet4").commit(Iteration(1, 1000.0))
        writer.begin("inet6").commit(Iteration(1, 1000.0, factors={"queues": 8}))
    set_factor(tmp_path / "r1", "", "queues", 4)
    (problem,) = read_session(tmp_path / "r1").problems
    assert "annotations.toml: factors.queues: every case, or each of its iterations, states this" in problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("factors = 3", "factors: expected a table, got 3"),
        ("cases = 3", "cases: expected a table, got 3"),
        ("cases.inet4 = 3", "cases.inet4: expected a table, got 3"),
        ("factors.queues = true", "factors.queues: expected a string or a number, got True"),
        ("factors.4q = 1", "'4q' is not the name of a factor"),
        (
            "[cases.INET4.factors]\naf = 'x'",
            "annotations.toml: cases.INET4: there is no such case: its factors are not used",
        ),
        (
            "[cases.inet4.udp.factors]\naf = 'x'",
            "toml: cases.inet4.udp: write a case's name with dots in quotation marks; it is not used",
        ),
        (
            "[cases.a.b.c.factors]\naf = 'x'",
            "toml: cases.a.b.c: write a case's name with dots in quotation marks; it is not used",
        ),
    ],
)
def test_odd_annotations_are_told(session: Path, text: str, problem: str) -> None:
    (session / "annotations.toml").write_text(f"note = 'kept'\n{text}\n")
    found = read_session(session)
    assert found.note == "kept"
    assert any(problem in one for one in found.problems)
    assert levels(session)["inet4"] == {"image": "r1", "cores": "4", "af": "inet4"}


def test_a_correction_of_a_case_with_dots_in_its_name_is_in_quotation_marks(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "r1", label="r1", created="") as writer:
        writer.begin("off.inet4").commit(Iteration(1, 1.0))
    (tmp_path / "r1/annotations.toml").write_text('[cases."off.inet4".factors]\naf = "inet4"\n')
    found = read_session(tmp_path / "r1")
    assert (found.cases[0].factors, found.problems) == ({"af": "inet4"}, ())


def test_odd_names_in_recorded_files_are_problems(session: Path) -> None:
    path = session / "session.toml"
    path.write_text(path.read_text().replace("cores = 4", '"4 cores" = 4'))
    found = read_session(session)
    assert found.factors == {"image": "r1"}
    assert any("'4 cores' is not the name of a factor" in one for one in found.problems)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[cases.INET4.factors]\naf = 'x'",
            "session.toml: cases.INET4: there is no such case: its factors are not",
        ),
        (
            "[cases.inet4.udp.factors]\naf = 'x'",
            "session.toml: cases.inet4.udp: write a case's name with dots in",
        ),
        (
            "[cases.a.b.c.factors]\naf = 'x'",
            "session.toml: cases.a.b.c: write a case's name with dots in quotation",
        ),
    ],
)
def test_factors_of_session_toml_that_are_of_no_case_are_told(session: Path, text: str, problem: str) -> None:
    path = session / "session.toml"
    path.write_text(f"{path.read_text()}\n{text}\n")
    found = read_session(session)
    assert [one for one in found.problems if problem in one] == list(found.problems) != []
    assert levels(session)["inet4"] == {"image": "r1", "cores": "4", "af": "inet4"}


def test_a_case_that_is_still_to_be_recorded_is_no_problem(tmp_path: Path) -> None:
    given = {"inet4": {"af": "inet4"}, "inet6": {"af": "inet6"}}
    with SessionWriter.create(tmp_path / "r1", label="r1", created="", case_factors=given) as writer:
        assert read_session(tmp_path / "r1").problems == ()
        writer.begin("inet4").commit(Iteration(1, 1.0))
        assert read_session(tmp_path / "r1").problems == ()


def test_an_iterations_checksum_covers_its_factors(session: Path) -> None:
    path = session / "inet6/001/iteration.json"
    path.write_bytes(path.read_bytes().replace(b"300 kpps", b"400 kpps"))
    found = read_session(session)
    assert not found.cases[1].iterations[0].complete
    assert msgspec.json.decode(path.read_bytes())["factors"] == {"rate": "400 kpps"}
