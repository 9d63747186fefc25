"""What a session is warned of by itself is what a comparison with a faultless one says of it."""

import pytest

from fwdtui.core.model import Case, Caution, Iteration, Planned, Session, Summary
from fwdtui.report import bearing
from fwdtui.report.against import against
from fwdtui.report.iterations import case_set
from fwdtui.report.own_warnings import own_warnings

GOOD = (1000.0, 1003.0, 999.0, 1001.0, 998.0)


def session(label: str, *iterations: Iteration) -> Session:
    return Session(f"/s/{label}", label, "", cases=(Case("inet4", iterations),))


def of(values, **more) -> list[Iteration]:
    return [Iteration(number, value, **more) for number, value in enumerate(values, 1)]


def offered(load: float) -> dict[str, Summary]:
    return {"offered": Summary(load, load, load, load, 60)}


FAULTS = {
    "one-boot": session("new", *of(GOOD, boot="a")),
    "boot-unknown": session("new", *of(GOOD[:-1], boot="a"), Iteration(len(GOOD), GOOD[-1])),
    "zero-spread": session("new", *of([1000.0] * 5)),
    "two-clusters": session("new", *of([1000.0, 2000.0, 1001.0, 2001.0, 999.0, 2002.0, 1000.5, 1999.0])),
    "drift": session("new", *of([1000.0 + 10 * step + step % 3 for step in range(12)])),
    "negative-value": session("new", *of([-1.0, *GOOD])),
    "received-above-offered": session("new", *of(GOOD, metrics=offered(500.0))),
    "partly-capped": session("new", *of(GOOD[:4]), Iteration(5, 1000.0, metrics=offered(1000.0))),
    "mean-differs": session("new", *of(GOOD, warnings=(Caution("mean-differs", "by 1.4 %."),))),
    "dropped": session("new", *of(GOOD), Iteration(6, 5.0, dropped="spoiled")),
}


def codes(found: Session) -> list[str]:
    return [
        one.code for one in own_warnings(found, [(case, case_set(found, case, "x")) for case in found.cases])
    ]


@pytest.mark.parametrize("code, fault", FAULTS.items(), ids=FAULTS)
def test_it_is_what_a_comparison_with_a_faultless_session_says_that_bears_on_a_verdict(code, fault):
    (judged,) = against(session("old", *of([value * 3 for value in GOOD])), fault).judged
    said = {one.code for one in judged.comparison.warnings} & set(bearing.MEANING)
    assert code in said and set(codes(fault)) == said


def test_few_values_and_outliers_are_left_to_the_interval():
    assert codes(session("new", *of(GOOD[:3]))) == codes(session("new", *of([*GOOD, 1001.5, 5000.0]))) == []


def test_levels_of_boots_and_of_blocks_are_no_trend_of_the_iterations():
    rising = [1e6 + 2e4 * boot + 100 * at for boot in range(4) for at in (0, 3, 1, 2, 4)]
    plain = of(rising)
    booted = [Iteration(at, value, boot=f"b{at // 5}") for at, value in enumerate(rising)]
    blocked = [
        Iteration(at, value, planned=Planned("x", at, at // 5), judged=True)
        for at, value in enumerate(rising, 1)
    ]
    codes = []
    for iterations in (plain, booted, blocked):
        one = session("night", *iterations)
        results = [(one.cases[0], case_set(one, one.cases[0], ""))]
        codes.append({found.code for found in own_warnings(one, results)})
    assert codes == [{"drift"}, set(), set()]


def test_values_in_several_units_are_no_groups_and_no_trend_of_one_scale():
    values = [874e3, 871e3, 876e3, 872e3, 512.0, 512.3, 511.8, 512.1]
    units = ["pps"] * 4 + ["Mb/s"] * 4
    mixed = [Iteration(number, *one) for number, one in enumerate(zip(values, units, strict=True), 1)]
    assert codes(session("vpn", *mixed)) == ["units-mixed"], "a comparison refuses them"
    assert codes(session("vpn", *of(values))) == ["two-clusters"], "what the numbers alone would say"
