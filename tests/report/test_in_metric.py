"""Sessions compared by what a packet costs: as recorded, in older recordings, and what bears on verdicts."""

import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hand_made import recorded, value_file
from planned import Measured, design

from fwdtui.cli import main
from fwdtui.cli.factor_args import view as view_of
from fwdtui.core import uncounted
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Caution, Cost, Iteration, Planned, Summary, Window
from fwdtui.report import in_metric, json_format, markdown, sweep_files, table
from fwdtui.report.bearing import codes
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import Document
from fwdtui.report.factor_view import FactorView
from fwdtui.report.in_metric import costs_of
from fwdtui.report.sides import load_sides
from fwdtui.report.sweep import Wanted, sweeps
from fwdtui.report.sweep_input import load
from fwdtui.report.sweep_text import render
from fwdtui.store import SessionWriter, read_session

OLD = Path(__file__).parents[1] / "recorded"
CHEAP, DEAR = (2.0, 2.1, 2.05, 2.0, 2.1), (3.0, 3.1, 3.05, 3.0, 3.1)


def summary(value: float) -> Summary:
    return Summary(value, value, value, value, 5)


def iteration(
    cpu: float | None,
    offered: float | None = 500e3,
    forwarded: float = 480e3,
    factors: dict[str, FactorValue] | None = None,
    **of_cost: object,
) -> Iteration:
    """480 kpps of which each packet took `cpu` microseconds; None: it was not counted."""
    one = Cost(
        "us/packet",
        summary=None if cpu is None else summary(cpu),
        why="the DUT is a stone" if cpu is None else "",
        **{"ticks": 5000, **of_cost},  # type: ignore[arg-type]
    )
    rates = {"forwarded": summary(forwarded)} | ({} if offered is None else {"offered": summary(offered)})
    return Iteration(
        0,
        forwarded,
        metrics=rates,
        costs={"cpu-per-packet": one},
        factors=factors or {},
        source="samples.jsonl",
    )


def compared(*folders: Path, metric: str = "cpu-per-packet") -> Compared:
    return judge_sides(load_sides(list(map(str, folders))), view=FactorView(metric=metric))


@pytest.fixture
def cheap(tmp_path: Path) -> Path:
    return recorded(tmp_path / "cheap", "cheap", {"inet4": [iteration(cpu) for cpu in CHEAP]})


@pytest.fixture
def dear(tmp_path: Path) -> Path:
    return recorded(tmp_path / "dear", "dear", {"inet4": [iteration(cpu) for cpu in DEAR]})


def test_less_is_better_and_the_rate_is_another_comparison(cheap: Path, dear: Path) -> None:
    (judged,) = compared(cheap, dear).judged
    one = judged.comparison
    assert (one.verdict, one.better, one.unit, one.metric) == (
        "slower",
        "less",
        "us/packet",
        "cpu-per-packet",
    )
    assert judged.base.values == CHEAP
    assert not codes(one)
    (by_rate,) = compared(cheap, dear, metric="").judged
    assert (by_rate.comparison.unit, by_rate.comparison.metric) == ("pps", None)
    assert by_rate.comparison.base.median == 480e3


def test_a_cost_at_the_offered_load_is_no_lower_bound(tmp_path: Path) -> None:
    """Packets per core are not capped by what was offered, nor above it, whatever the numbers."""
    folders = []
    for name, values in (("a", (500e3, 501e3, 502e3)), ("b", (900e3, 901e3, 902e3))):
        costs = [Cost("pps/core", summary=summary(value), ticks=5000) for value in values]
        rates = {"offered": summary(500e3), "forwarded": summary(400e3)}
        made = [Iteration(0, 400e3, metrics=rates, costs={"packets-per-core": cost}) for cost in costs]
        folders.append(recorded(tmp_path / name, name, {"inet4": made}))
    (judged,) = compared(*folders, metric="packets-per-core").judged
    assert (judged.comparison.verdict, judged.comparison.better) == ("faster", "more")
    assert not {"above-offered", "partly-capped", "capped-by-generator"} & {
        one.code for one in judged.comparison.warnings
    }


@pytest.mark.parametrize(
    ("other", "code"),
    [
        (iteration(3.0, offered=300e3), "loads-differ"),
        (iteration(3.0, offered=None), "load-unknown"),
        (iteration(3.0, forwarded=300e3), "forwarded-differs"),
        (iteration(3.0, scope="machine"), "machine-wide"),
        (iteration(3.0, ticks=399), "few-ticks"),
        (iteration(3.0, enabled=0.25), "multiplexed"),
    ],
)
def test_what_bears_on_the_verdict(cheap: Path, tmp_path: Path, other: Iteration, code: str) -> None:
    values = [3.0, 3.1, 3.05, 3.0, 3.1]
    made = [
        Iteration(
            0,
            other.value,
            metrics=other.metrics,
            costs={"cpu-per-packet": _with(other.costs["cpu-per-packet"], value)},
        )
        for value in values
    ]
    (judged,) = compared(cheap, recorded(tmp_path / "other", "other", {"inet4": made})).judged
    assert judged.comparison.verdict == "slower"
    assert codes(judged.comparison) == (code,)


@pytest.mark.parametrize(("enabled", "told"), [(0.25, "25 %"), (0.996, "99.6 %"), (0.99996, "99.996 %")])
def test_a_counter_that_was_shared_for_a_moment_did_not_count_all_the_time(enabled: float, told: str) -> None:
    shared = Cost("cycles/packet", summary=summary(3.0), enabled=enabled)
    (caution,) = in_metric.cautions("cycles-per-packet", shared)
    assert f"counted for {told} of the time; the rest" in caution.text


def _with(one: Cost, value: float) -> Cost:
    return Cost(one.unit, one.scope, summary(value), ticks=one.ticks, enabled=one.enabled)


def test_an_iteration_in_which_it_was_not_counted_is_left_out_with_the_reason(
    tmp_path: Path, cheap: Path
) -> None:
    mixed = recorded(tmp_path / "mixed", "mixed", {"inet4": [iteration(None), *map(iteration, DEAR)]})
    (judged,) = compared(cheap, mixed).judged
    assert judged.comparison.other.n == 5
    assert judged.other.excluded == ("iteration 1: no value (not counted: the DUT is a stone)",)


def test_a_metric_that_nothing_has_is_an_error_that_names_those_there_are(cheap: Path, dear: Path) -> None:
    with pytest.raises(FwdtuiError) as refused:
        compared(cheap, dear, metric="cycles-per-packet")
    assert str(refused.value) == (
        "--metric: no iteration has 'cycles-per-packet' (not counted: the DUT was not asked to count it "
        "([dut] count in lab.toml, or --count)); there are forwarded and cpu-per-packet"
    )


def test_a_rate_that_nothing_has_is_not_among_those_there_are(tmp_path: Path) -> None:
    """Imported logs have no counters of the DUT."""
    made = [Iteration(0, value, metrics={"received": summary(value)}) for value in (1e6, 1.1e6, 1.2e6)]
    folders = [recorded(tmp_path / name, name, {"inet4": made}) for name in ("one", "two")]
    with pytest.raises(FwdtuiError) as refused:
        compared(*folders, metric="forwarded")
    assert str(refused.value) == (
        "--metric: no iteration has 'forwarded' (not counted: forwarded was not measured); there is received"
    )


def of_an_offloading_dut(received: float) -> Iteration:
    """Its outputs count two fifths of what it forwards, and the iteration says so."""
    rates = {"offered": summary(9e6), "received": summary(received), "forwarded": summary(0.4 * received)}
    told = uncounted.caution(received, 0.4 * received)
    return Iteration(0, received, metrics=rates, warnings=(told,))


def test_a_dut_that_forwards_what_its_counters_do_not_see_is_not_slower_for_it(tmp_path: Path) -> None:
    """5 Mpps, all of it counted, against 8 Mpps of which 3.2 Mpps are: 36 % less would be wrong."""
    plain = [
        Iteration(0, rate, metrics={"received": summary(rate), "forwarded": summary(rate)})
        for rate in (5e6, 5.01e6, 5.02e6)
    ]
    xdp = [of_an_offloading_dut(rate) for rate in (8e6, 8.01e6, 8.02e6)]
    folders = [
        recorded(tmp_path / name, name, {"inet4": made}) for name, made in (("plain", plain), ("xdp", xdp))
    ]
    (judged,) = compared(*folders, metric="forwarded").judged
    assert judged.comparison.verdict == "inconclusive" and judged.comparison.other.n == 0
    assert judged.other.excluded == (
        "iterations 1 to 3: no value (not counted: the DUT's counters do not see all that it forwards)",
    )
    (by_receiver,) = compared(*folders, metric="received").judged
    assert by_receiver.comparison.verdict == "faster"


@pytest.mark.parametrize("code", ["not-received", "receiver-partial"])
def test_what_a_receiver_does_not_hear_is_no_doubt_about_what_the_dut_counted(
    tmp_path: Path, code: str
) -> None:
    def made(cpu: float) -> Iteration:
        told = Caution(code, "the value is not what it seems.")
        return msgspec.structs.replace(iteration(cpu), warnings=(told,))

    folders = [
        recorded(tmp_path / name, name, {"inet4": list(map(made, costs))})
        for name, costs in (("cheap", CHEAP), ("dear", DEAR))
    ]
    for metric in ("cpu-per-packet", "forwarded"):
        (judged,) = compared(*folders, metric=metric).judged
        assert code not in {warning.code for warning in judged.comparison.warnings}
    (by_rate,) = compared(*folders, metric="").judged
    assert code in {warning.code for warning in by_rate.comparison.warnings}


def test_what_the_counters_do_not_see_is_not_among_the_metrics_that_there_are(tmp_path: Path) -> None:
    made = [of_an_offloading_dut(rate) for rate in (8e6, 8.01e6, 8.02e6)]
    folders = [recorded(tmp_path / name, name, {"inet4": made}) for name in ("one", "two")]
    with pytest.raises(FwdtuiError) as refused:
        compared(*folders, metric="forwarded")
    assert str(refused.value) == (
        "--metric: no iteration has 'forwarded' (not counted: the DUT's counters do not see all that it "
        "forwards); there is received"
    )


def test_a_name_that_no_metric_has_is_not_said_to_be_uncounted(cheap: Path, dear: Path) -> None:
    """Nothing would come of [dut] count with it."""
    with pytest.raises(FwdtuiError, match="'cpu' \\(not counted: no metric has this name\\); there are"):
        compared(cheap, dear, metric="cpu")


def test_a_value_file_has_no_other_metric(tmp_path: Path, cheap: Path) -> None:
    with pytest.raises(FwdtuiError, match="has one metric: leave out --metric"):
        compared(cheap, value_file(tmp_path / "values.pps"))


def test_an_older_recording_is_counted_from_its_samples() -> None:
    """Sessions of the kernel lab, where generator and DUT share their cores, with and without 100 rules."""
    found = compared(OLD / "no-rules", OLD / "rules-100", metric="kernel-per-packet")
    (judged,) = found.judged
    assert judged.comparison.verdict == "slower"
    assert {"machine-wide", "loads-differ"} <= set(codes(judged.comparison))
    session = found.sides[0].sessions[0]
    (case,) = session.cases
    costs = costs_of(session, case, case.iterations[0])
    assert costs["cpu-per-packet"].scope == "machine"
    whole, kernel = costs["cpu-per-packet"], costs["kernel-per-packet"]
    assert whole.summary is not None and kernel.summary is not None
    assert sum(whole.parts.values()) == pytest.approx(whole.summary.mean, rel=1e-5)
    assert kernel.summary.mean == pytest.approx(whole.summary.mean - whole.parts["user"], rel=1e-5)


@pytest.mark.parametrize(("host", "shared"), [("dut", True), ("root@dut", True), ("gen", False)])
def test_in_an_older_recording_too_the_duts_host_is_the_same_whoever_logs_in(host: str, shared: bool) -> None:
    lab = {"dut": {"host": "dut", "out": "d1"}, "generator": [{"host": host, "interface": "g0"}]}
    session = msgspec.structs.replace(read_session(OLD / "no-rules"), lab=lab)
    assert in_metric._dut(session).shared is shared


def test_the_metric_is_named_wherever_the_comparison_is_shown(cheap: Path, dear: Path) -> None:
    found = compared(cheap, dear)
    assert "metric cpu-per-packet" in table.render(found.judged, view=found.view).splitlines()[0]
    text = markdown.render(Document(found))
    assert text.startswith("# Comparing dear with cheap: cpu-per-packet\n")
    assert "busy time of all cores" in text and "the median rate" not in text
    assert "2.05 us/packet" in text
    (plain,) = json.loads(json_format.render([one.comparison for one in found.judged]))["comparisons"]
    assert (plain["metric"], plain["unit"], plain["better"]) == ("cpu-per-packet", "us/packet", "less")
    assert list(found.view.options()) == ["--metric", "cpu-per-packet"]


def test_a_sweep_of_costs_has_its_unit_and_no_line_rate(tmp_path: Path) -> None:
    made = [iteration(cpu, factors={"queues": queues}) for queues, cpu in ((1, 3.0), (2, 2.5), (4, 2.0))]
    folder = recorded(tmp_path / "s", "s", {"inet4": made})
    wanted = Wanted("queues", view=FactorView(metric="cpu-per-packet"))
    found = sweeps(load([str(folder)], wanted.view, None).trials, wanted)
    assert [point.described.median for point in found.charts[0].points] == [3.0, 2.5, 2.0]
    assert not found.charts[0].has_linear
    text = render(found)
    assert text.startswith("cpu-per-packet over queues\n") and "us/packet" in text
    head, first, *_ = csv.reader(sweep_files.table(found.charts[0]).decode().splitlines())
    row = dict(zip(head, first, strict=True))
    assert (row["metric"], row["unit"], row["median"]) == ("cpu-per-packet", "us/packet", "3")


def test_the_report_on_a_sweep_of_costs_says_what_a_value_is_once(tmp_path: Path) -> None:
    made = [iteration(cpu, factors={"queues": queues}) for queues, cpu in ((1, 3.0), (2, 2.5), (4, 2.0))]
    folder = recorded(tmp_path / "s", "s", {"inet4": made})
    out = tmp_path / "s.md"
    assert main(["report", str(folder), "--x", "queues", "--metric", "cpu-per-packet", "-o", str(out)]) == 0
    text = out.read_text()
    assert text.count("One iteration is one value: ") == 1 and "busy time of all cores" in text


def test_the_command_line_asks_for_it() -> None:
    import argparse

    from fwdtui.cli import factor_args

    parser = argparse.ArgumentParser()
    factor_args.add_arguments(parser)
    asked = view_of(parser.parse_args(["--metric", "cpu-per-packet"]))
    assert asked == FactorView(metric="cpu-per-packet")
    assert view_of(parser.parse_args([])) is None


class Costly(Measured):
    """An experiment in which rules make a packet half a microsecond dearer, in every block alike."""

    def _save(
        self, session: SessionWriter, cell: Any, planned: Planned, value: float | None, why: str = ""
    ) -> int:
        cpu = 2.0 + 0.5 * bool(cell.levels.get("rules")) + planned.block / 10
        made = iteration(cpu, forwarded=value or 0.0)
        writer = session.begin(cell.name)
        writer.commit(
            msgspec.structs.replace(made, planned=planned, boot=f"boot-{planned.block}-{cell.number}")
        )
        writer.close()
        return writer.index


def test_an_experiment_is_compared_by_costs_as_its_design_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Costly(design(6)).write(tmp_path / "night")
    assert main(["compare", str(folder), "--metric", "cpu-per-packet", "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (one["metric"], one["unit"], one["verdict"]) == ("cpu-per-packet", "us/packet", "slower")
    assert one["base"]["n"] == 6
    assert (one["base"]["median"], one["other"]["median"]) == pytest.approx((2.35, 2.85))
    # what the blocks have in common cancels: they differ more than the two levels do
    assert one["analysis"]["paired"] and one["analysis"]["unit"] == "block"
    assert one["difference"]["p"] < 1e-6
    assert "forwarded-differs" in one["marked_by"]  # of 1 Mpps and 900 kpps


def with_a_gap(folder: Path, text: str) -> Path:
    """A session beside a receiver: its iterations have this `gap`, and 21 samples of what was forwarded."""
    one = msgspec.structs.replace(
        iteration(2.0),
        metrics={"received": summary(480e3), "forwarded": msgspec.structs.replace(summary(480e3), n=21)},
        window=Window("steady", 10.0, 70.0, 60),
        warnings=(Caution("gap", text),),
    )
    return recorded(folder / "a", "a", {"inet4": [one] * 3}, facts={"dut.host": "dut"})


@pytest.mark.parametrize("metric", ["forwarded", "cpu-per-packet"])
@pytest.mark.parametrize(
    ("host", "hole", "code"), [("dut", 40.0, "value-gap"), ("dut", 3.0, "gap"), ("gen", 40.0, "gap")]
)
def test_a_hole_of_the_duts_samples_is_one_of_what_only_the_dut_counts(
    host: str, hole: float, code: str, metric: str, tmp_path: Path
) -> None:
    """Beside a receiver it is none of the value's, which then has no mark."""
    text = f"{host}: no samples for {hole} s of the blast (lost; no answer); what only this host measures ..."
    path = with_a_gap(tmp_path, text)
    (side,) = in_metric.in_metric(load_sides([str(path)]), metric)
    (told,) = [one for one in side.cases["inet4"].result.cautions if "no samples" in one.text]
    assert told.code == code
    if host == "dut":
        assert (
            f"dut: no samples for {hole} s of the blast (lost; no answer); the value covers only "
            in told.text
        )
        assert ("the value covers only 21 samples" if metric == "forwarded" else "only the rest") in told.text
    (side,) = in_metric.in_metric(load_sides([str(path)]), "received")
    assert "value-gap" not in {one.code for one in side.cases["inet4"].result.cautions}


@pytest.mark.parametrize(
    ("what", "hole", "code"),
    [
        ("What the DUT forwarded", 40.0, "value-gap"),
        ("What the DUT forwarded", 3.0, "gap"),
        ("What the DUT took in", 40.0, "gap"),
        ("The offered load", 40.0, "gap"),
    ],
)
def test_a_time_without_the_counter_of_what_was_forwarded_is_one_of_that_rate(
    what: str, hole: float, code: str, tmp_path: Path
) -> None:
    text = f"{what} is not known for {hole} s of the blast (no counter); its rate is of the rest."
    path = with_a_gap(tmp_path, text)
    for metric, expected in (("forwarded", code), ("received", "gap")):
        (side,) = in_metric.in_metric(load_sides([str(path)]), metric)
        (told,) = [one for one in side.cases["inet4"].result.cautions if "is not known for" in one.text]
        assert told.code == expected
        assert ("covers only 21 samples" in told.text) == (metric == "forwarded" and "forwarded" in what)


@pytest.mark.parametrize("code", ["value-gap", "gap"])
@pytest.mark.parametrize("metric", ["forwarded", "cpu-per-packet"])
def test_a_hole_of_the_receivers_samples_is_none_of_what_the_dut_counted(
    metric: str, code: str, tmp_path: Path
) -> None:
    text = "12.0 s of the blast have no samples (late); the value covers the rest."
    one = msgspec.structs.replace(
        iteration(2.0),
        metrics={"received": summary(480e3), "forwarded": summary(480e3)},
        warnings=(Caution(code, text),),
    )
    path = recorded(tmp_path / "a", "a", {"inet4": [one] * 3})
    for wanted, told in ((metric, False), ("received", True)):
        (side,) = in_metric.in_metric(load_sides([str(path)]), wanted)
        assert (code in {one.code for one in side.cases["inet4"].result.cautions}) is told
    # without a receiver it is the DUT's
    alone = msgspec.structs.replace(one, metrics={"forwarded": summary(480e3)})
    path = recorded(tmp_path / "b", "b", {"inet4": [alone] * 3})
    (side,) = in_metric.in_metric(load_sides([str(path)]), metric)
    assert code in {one.code for one in side.cases["inet4"].result.cautions}
