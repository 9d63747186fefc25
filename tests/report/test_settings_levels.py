"""What differs in settings between the levels of the factors that make the rows of a comparison."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hand_made import BASE, FASTER

from fwdtui.cli import main
from fwdtui.core.factors import FactorValue, Level
from fwdtui.core.host_settings import HostSettings, SettingsSource
from fwdtui.core.model import Iteration
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import Choices, Document
from fwdtui.report.factor_view import FactorView
from fwdtui.report.iterations import CaseSet
from fwdtui.report.markdown import render
from fwdtui.report.settings_compared import KeptOf
from fwdtui.report.settings_levels import between_levels
from fwdtui.report.sides import Side, load_sides
from fwdtui.stats.results import ResultSet
from fwdtui.store import SessionWriter
from fwdtui.ui.compare import facts_tab
from fwdtui.ui.draw.styles import Styles

ONLY = "config off -> on: The only difference found in 2 settings is net.isr.dispatch: direct -> deferred."
IMAGE = FactorView(("image",))


def session(path: Path, image: str, cases: Mapping[str, Mapping[str, FactorValue]], **dispatch: str) -> Path:
    """Five iterations of each case; `dispatch`: of each config, whose cases ran under it."""
    with SessionWriter.create(
        path, label=path.name, created="", factors={"image": image}, case_factors=cases
    ) as writer:
        for name in cases:
            for value in FASTER if image == "r2" else BASE:
                writer.begin(name).commit(Iteration(0, value))
        for config, value in dispatch.items():
            source = SettingsSource("sysctl", {"net.isr.dispatch": value, "a": "1"})
            held = tuple(name for name, factors in cases.items() if factors["config"] == config)
            writer.keep_settings(HostSettings(config, roles=("dut",), cases=held, sources=(source,)))
    return path


def crossed(configs: Sequence[str]) -> dict[str, dict[str, FactorValue]]:
    return {f"{c}.{af}": {"config": c, "af": af} for c in configs for af in ("inet4", "inet6")}


def pair(folder: Path, **dispatch: str) -> list[str]:
    return [
        str(session(folder / image, image, crossed(list(dispatch)), **dispatch)) for image in ("r1", "r2")
    ]


def compared(specs: Sequence[str], view: FactorView = IMAGE) -> Compared:
    return judge_sides(load_sides(specs), view=view)


def sentences(specs: Sequence[str], view: FactorView = IMAGE) -> list[str]:
    between = compared(specs, view).settings_between
    return [*between.sentences().values(), *between.not_told()]


def test_the_one_setting_between_two_rows_is_told_by_their_factor_and_nothing_of_the_others(
    tmp_path: Path,
) -> None:
    specs = pair(tmp_path, off="direct", on="deferred")
    assert sentences(specs) == [ONLY]
    (one,) = compared(specs).settings_between.told
    assert one.found.cases == ("r1 inet4", "r1 inet6", "r2 inet4", "r2 inet6")
    # what is compared itself is in the comparison's own sentence
    assert sentences(specs, FactorView(("config",))) == []


def test_the_order_of_levels_is_the_users(tmp_path: Path) -> None:
    specs = pair(tmp_path, off="direct", on="deferred")
    (text,) = sentences(specs, FactorView(("image",), order=("on",)))
    assert text.startswith("config on -> off: ") and text.endswith("deferred -> direct.")


def test_levels_under_the_same_settings_and_sessions_without_any_say_nothing(tmp_path: Path) -> None:
    assert sentences(pair(tmp_path / "same", off="direct", on="direct")) == []
    bare = [str(session(tmp_path / f"bare{n}", f"r{n}", crossed(["off", "on"]))) for n in (1, 2)]
    assert compared(bare).settings == () and sentences(bare) == []


def test_where_the_sides_do_not_agree_each_is_told_with_its_place(tmp_path: Path) -> None:
    one = session(tmp_path / "r1", "r1", crossed(["off", "on"]), off="direct", on="deferred")
    two = session(tmp_path / "r2", "r2", crossed(["off", "on"]), off="direct", on="hybrid")
    first, second = sentences([str(one), str(two)])
    assert first.startswith("config off -> on (r1 inet4, r1 inet6): ") and "deferred" in first
    assert second.startswith("config off -> on (r2 inet4, r2 inet6): ") and "hybrid" in second


def test_rows_whose_levels_read_alike_are_told_each() -> None:
    """One of two rows in the same words was lost, with all that differed in it alone."""
    dispatch = {"off.1": "direct", "on.1": "deferred", "off.2": "direct", "on.2": "hybrid"}
    read = {
        name: HostSettings("dut", roles=("dut",), sources=(SettingsSource("sysctl", {"dispatch": value}),))
        for name, value in dispatch.items()
    }

    class Kept(KeptOf):
        def of_case(self, cases: CaseSet) -> tuple[HostSettings, ...]:
            return (read[cases.name],)

    rest = {"1": {"config": Level("a b"), "af": Level("c")}, "2": {"config": Level("a"), "af": Level("b c")}}
    cells = {
        name: CaseSet(ResultSet("r1", ()), name=name, within={"rules": Level(rules), **rest[row]})
        for name in dispatch
        for rules, row in [name.split(".")]
    }
    side = Side("image=r1", "r1", cells, False, levels={"image": Level("r1")})
    told = between_levels([side], IMAGE, Kept()).sentences().values()
    assert [text.rpartition(" -> ")[2] for text in told] == ["deferred.", "hybrid."]


@pytest.mark.parametrize(("levels", "told"), [(4, 3), (5, 0)])
def test_many_levels_are_only_said_to_differ(tmp_path: Path, levels: int, told: int) -> None:
    found = compared(pair(tmp_path, **{f"c{n}": f"v{n}" for n in range(levels)})).settings_between
    assert len(found.told) == told
    words = "The 5 levels of config ran under different settings: compare them with --by config."
    assert found.not_told() == ([] if told else [words])


def test_table_report_json_and_screen_tell_them_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = pair(tmp_path, off="direct", on="deferred")
    found = compared(specs)
    assert main(["compare", *specs, "--by", "image"]) == 0
    assert ONLY in " ".join(capsys.readouterr().out.split())
    assert main(["compare", *specs, "--by", "image", "--format", "json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["settings_between"]
    assert (entry["factor"], entry["base"], entry["other"], entry["differing"]) == ("config", "off", "on", 1)
    text = render(Document(found))
    assert r"config off -\> on: The only difference found" in text
    assert "--- off\n+++ on\n@@ sysctl @@\n-net.isr.dispatch: direct\n+net.isr.dispatch: deferred\n" in text
    assert "off -> on" not in render(Document(found, Choices(without=frozenset(["settings"]))))
    assert ONLY in facts_tab.text(found.judged[0], found, 100, Styles({})).plain
