"""Sessions are compared case by case, and a case that finds no partner is spoken of."""

from pathlib import Path

import pytest
from hand_made import recorded, value_file

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Cost, Iteration, Session, Summary, Window
from fwdtui.core.profile.record import Profile
from fwdtui.report.by_factor import seen
from fwdtui.report.comparison import judge_sides
from fwdtui.report.factor_view import FactorView
from fwdtui.report.pairing import Pairing, common_name, pair
from fwdtui.report.sides import Side, load_sides, of_session


def paired(*specs: object) -> Pairing:
    return pair(load_sides([str(spec) for spec in specs]))


def names(found: Pairing) -> list[tuple[str, str, str]]:
    return [(case, base.label, other.label) for case, base, other in found.pairs]


@pytest.fixture
def r1(tmp_path: Path) -> Path:
    return recorded(tmp_path / "r1", "r1", {"inet4": [1.0, 2.0], "inet6": [3.0, 4.0], "pf": [5.0, 6.0]})


@pytest.fixture
def r2(tmp_path: Path) -> Path:
    return recorded(tmp_path / "r2", "r2", {"ipfw": [1.0], "inet6": [3.5, 4.5], "inet4": [1.5, 2.5]})


def test_common_cases_are_paired_in_the_baselines_order(r1: Path, r2: Path) -> None:
    assert names(paired(r1, r2)) == [("inet4", "r1", "r2"), ("inet6", "r1", "r2")]


def test_what_was_recorded_on_a_simulated_lab_is_called_that(tmp_path: Path, r1: Path) -> None:
    other = recorded(tmp_path / "demo", "demo", {"inet4": [1.5]}, facts={"dut.kernel_config": "SIMULATED"})
    assert [note.text for note in paired(r1, other).notes if note.code == "simulated"] == [
        "simulated, so not a real measurement: demo"
    ]
    assert not [note for note in paired(r1, r1).notes if note.code == "simulated"]


def test_a_case_of_one_side_only_is_said(r1: Path, r2: Path) -> None:
    assert [(note.code, note.text) for note in paired(r1, r2).notes] == [
        ("unpaired-case", "only in r1, not in r2, so not compared: pf"),
        ("unpaired-case", "only in r2, not in r1, so not compared: ipfw"),
    ]


def test_several_candidates_are_grouped_by_case(r1: Path, r2: Path, tmp_path: Path) -> None:
    r3 = recorded(tmp_path / "r3", "r3", {"inet4": [1.0], "pf": [2.0]})
    assert names(paired(r1, r2, r3)) == [
        ("inet4", "r1", "r2"),
        ("inet4", "r1", "r3"),
        ("inet6", "r1", "r2"),
        ("pf", "r1", "r3"),
    ]


def test_a_chosen_case_is_compared_with_the_same_case_and_the_others_are_no_news(r1: Path, r2: Path) -> None:
    found = paired(f"{r1}:inet4", r2)
    assert names(found) == [("inet4", "r1", "r2")]
    assert found.notes == ()


def test_two_chosen_cases_are_compared_with_each_other_whatever_their_names(r1: Path) -> None:
    assert names(paired(f"{r1}:inet4", f"{r1}:inet6")) == [("inet4 / inet6", "r1:inet4", "r1:inet6")]


def test_nothing_in_common_is_an_error_that_names_both_sides(r1: Path, tmp_path: Path) -> None:
    r3 = recorded(tmp_path / "r3", "r3", {"ipfw": [1.0]})
    with pytest.raises(FwdtuiError, match=r"no case in common: .*r1 has inet4, inet6, pf; .*r3 has ipfw"):
        paired(r1, r3)


def test_a_value_file_beside_a_session_takes_its_chosen_case(r1: Path, tmp_path: Path) -> None:
    values = value_file(tmp_path / "published.txt")
    assert names(paired(values, f"{r1}:inet4")) == [("inet4", "published.txt", "r1")]
    assert names(paired(f"{r1}:inet4", values)) == [("inet4", "r1", "published.txt")]


def test_a_value_file_is_compared_with_each_chosen_case_under_that_cases_name(
    r1: Path, tmp_path: Path
) -> None:
    values = value_file(tmp_path / "v")
    found = paired(values, f"{r1}:inet4", f"{r1}:inet6")
    assert names(found) == [("inet4", "v", "r1:inet4"), ("inet6", "v", "r1:inet6")]


def test_a_value_file_beside_a_session_of_many_cases_is_an_error_that_names_them(
    r1: Path, tmp_path: Path
) -> None:
    with pytest.raises(FwdtuiError, match=r"r1:CASE, CASE one of inet4, inet6, pf"):
        paired(r1, value_file(tmp_path / "v"))


@pytest.mark.parametrize(
    ("files", "case"),
    [
        (["r368287.inet4.pps", "r368287D27401v2.inet4.pps"], "inet4"),
        (["296935.pf-statefull", "296935D4306.pf-statefull"], "pf-statefull"),
        (["base_pf_stateful.txt", "new_pf_stateful.txt"], "pf_stateful"),
        (["r1.inet4.pps", "r2.inet6.pps"], "values"),
        (["before", "after"], "values"),
        (["a.pps", "b.pps"], "values"),
        (["inet4.pps", "inet4.pps"], "inet4"),
        (["-", "a"], "values"),
        (["62", "63"], "values"),
        (["", ""], "values"),
    ],
)
def test_value_files_are_about_what_their_names_share_at_the_end(files: list[str], case: str) -> None:
    assert common_name(files) == case


def test_different_trim_methods_of_the_sides_are_warned_of(tmp_path: Path) -> None:
    def measured(method: str) -> list[Iteration]:
        return [Iteration(index=0, value=1.0, window=Window(method, None, None, 1))] * 2

    r1 = recorded(tmp_path / "r1", "r1", {"inet4": measured("steady")})
    r2 = recorded(tmp_path / "r2", "r2", {"inet4": measured("netbenches")})
    ((_, base, other),) = paired(r1, r2).pairs
    assert base.cautions == ()
    assert [(caution.code, caution.text) for caution in other.cautions] == [
        (
            "trim-differs",
            "values were taken by different methods: steady in the baseline, netbenches in the candidate",
        ),
    ]


def in_units(path: Path, *units: str) -> Path:
    iterations = [Iteration(index=0, value=1.0, unit=unit) for unit in units]
    return recorded(path, path.name, {"vpn": iterations})


def test_two_units_are_an_error_that_names_both(tmp_path: Path) -> None:
    r1, r2 = in_units(tmp_path / "r1", "pps", "pps"), in_units(tmp_path / "r2", "Mb/s")
    with pytest.raises(FwdtuiError, match=r"^r1 vpn is in pps and r2 vpn in Mb/s: they cannot be compared$"):
        paired(r1, r2)
    r3 = in_units(tmp_path / "r3", "Mb/s")
    assert names(paired(r2, r3)) == [("vpn", "r2", "r3")]


def test_iterations_of_one_case_in_two_units_are_one_too(tmp_path: Path) -> None:
    r1, r2 = in_units(tmp_path / "r1", "Mb/s", "us"), in_units(tmp_path / "r2", "Mb/s")
    with pytest.raises(FwdtuiError, match=r"^r1 vpn iteration 1 is in Mb/s and r1 vpn iteration 2 in us: "):
        paired(r1, r2)


def test_two_sides_that_were_offered_different_loads_are_warned_of(tmp_path: Path) -> None:
    def offered(load: float) -> list[Iteration]:
        metrics = {"offered": Summary(load, load, load, load, 9)}
        return [Iteration(index=0, value=1e6, metrics=metrics)] * 3

    r1 = recorded(tmp_path / "r1", "r1", {"inet4": offered(1.4e6)})
    alike = recorded(tmp_path / "r2", "r2", {"inet4": offered(1.41e6)})
    other = recorded(tmp_path / "r3", "r3", {"inet4": offered(1.1e6)})
    assert [pair.cautions for _, _, pair in paired(r1, alike).pairs] == [()]
    ((_, _, found),) = paired(r1, other).pairs
    assert [caution.code for caution in found.cautions] == ["loads-differ"]
    assert "offered 1.400 Mpps and the candidate 1.100 Mpps" in found.cautions[0].text
    twice_half = recorded(tmp_path / "r4", "r4", {"inet4": [*offered(1.4e6), *offered(0.7e6)[:2]]})
    ((_, _, found),) = paired(r1, twice_half).pairs
    assert [caution.code for caution in found.cautions] == ["loads-differ"]
    assert "offered 1.400 Mpps and the candidate 1.120 Mpps on average" in found.cautions[0].text


def at_rates(base: str, other: str, *rates: float, metric: str = "") -> list[str]:
    """What marks a comparison by rate: the levels, what was offered at each, and what was forwarded of it."""

    def at(level: str, load: float, forwarded: float) -> Side:
        told = {"offered": load, "forwarded": forwarded}
        one = Iteration(
            index=1,
            value=forwarded,
            metrics={name: Summary(value, value, value, value, 9) for name, value in told.items()},
            costs={"cpu-per-packet": Cost("us/packet", summary=Summary(2.0, 2.0, 2.0, 2.0, 9), ticks=5000)},
        )
        return of_session(Session(f"/s/{level}", level, "", cases=(Case("inet4", (one,), {"rate": level}),)))

    sides = [at(*one) for one in zip((base, other), rates[:2], rates[2:] or rates[:2], strict=True)]
    ((_, _, found),) = pair(seen(sides, FactorView(("rate",), metric=metric))).pairs
    return [caution.code for caution in found.cautions]


@pytest.mark.parametrize(
    ("levels", "loads", "codes"),
    [
        (("1 Mpps", "10 Mpps"), (1e6, 10e6), []),
        (("1000000", "10000000"), (1e6, 10e6), []),
        (("1 Mpps", "10 Mpps"), (2e6, 20e6), []),  # of each of two generators
        (("1 Mpps", "10 Mpps"), (1e6, 8e6), ["loads-differ"]),
        (("half", "full"), (5e6, 10e6), []),
    ],
)
def test_by_rate_different_loads_are_what_is_compared_unless_a_generator_fell_short(
    levels: tuple[str, str], loads: tuple[float, float], codes: list[str]
) -> None:
    assert at_rates(*levels, *loads) == codes


def test_by_rate_costs_are_marked_only_where_the_work_on_lost_packets_is_in_them(tmp_path: Path) -> None:
    def told(*rates: float) -> list[str]:
        return at_rates("1 Mpps", "10 Mpps", *rates, metric="cpu-per-packet")

    assert told(1e6, 10e6, 0.99e6, 9.9e6) == []
    assert told(1e6, 10e6, 1e6, 8e6) == ["forwarded-differs"]


def test_damage_that_no_excluded_iteration_tells_of_is_a_note_and_none_is_told_twice(
    r1: Path, r2: Path
) -> None:
    path = r1 / "inet4" / "001" / "iteration.json"
    path.write_bytes(path.read_bytes()[:50])
    found = paired(r1, r2)
    assert [note.code for note in found.notes] == ["unpaired-case", "unpaired-case"]
    assert found.pairs[0][1].excluded


def cautions(found: Pairing) -> list[tuple[str, str]]:
    return [(one.code, one.text) for one in found.pairs[0][2].cautions]


def test_a_plain_file_beside_a_session_is_said_to_have_no_unit(tmp_path: Path, r1: Path) -> None:
    file = value_file(tmp_path / "kpps.txt", [1.0, 2.0, 3.0])
    assert cautions(paired(f"{r1}:inet4", file)) == [
        (
            "no-unit",
            "the candidate's values are from a plain file, which names no unit: they are taken as pps",
        )
    ]
    assert "the baseline's values are from a plain file" in cautions(paired(file, f"{r1}:inet4"))[0][1]


def test_a_session_of_profiles_alone_is_not_called_a_plain_file(tmp_path: Path, r1: Path) -> None:
    profile = Iteration(0, None, complete=False, profile=Profile(100, "perf"))
    other = recorded(tmp_path / "profiled", "profiled", {"inet4": [profile]})
    assert "no-unit" not in dict(cautions(paired(f"{r1}:inet4", f"{other}:inet4")))


def test_what_is_named_twice_is_told_however_coarse_its_values_are(
    tmp_path: Path, r1: Path, r2: Path
) -> None:
    coarse = value_file(tmp_path / "a.txt", [1.0, 2.0, 1.0])
    copy = value_file(tmp_path / "b.txt", [1.0, 2.0, 1.0])
    link = tmp_path / "link.txt"
    link.symlink_to(coarse)

    def told(*specs: object) -> list[str]:
        pairs = paired(*specs).pairs
        return [one.text for _, _, other in pairs for one in other.cautions if one.code == "same-data"]

    assert told(coarse, coarse) == ["both sides are the same file: nothing was compared"]
    assert told(coarse, link) == ["both sides are the same file: nothing was compared"]
    assert told(coarse, copy) == []  # three values of two steps come again by chance
    assert told(r1, r1) == ["both sides are the same session: nothing was compared"] * 3
    assert told(r1, r2) == told(f"{r1}:inet4", f"{r1}:inet6") == []


def test_what_is_named_twice_is_one_warning(tmp_path: Path) -> None:
    fine = value_file(tmp_path / "a.txt", [1000123.0, 1007456.0, 1004789.0])
    judged = judge_sides(load_sides([str(fine), str(fine)])).judged
    assert [one.code for one in judged[0].comparison.warnings].count("same-data") == 1
