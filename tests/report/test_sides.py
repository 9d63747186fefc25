"""What BASE and OTHER may be, and by which labels the sides are told apart."""

from pathlib import Path
from typing import Any

import pytest
from hand_made import BASE, recorded, value_file

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.framing import line_rate
from fwdtui.core.model import Fact, Iteration, Summary
from fwdtui.report.sides import labelled, load_sides
from fwdtui.stats.verdict import judge

GENERATOR: dict[str, Fact] = {
    "generator.host": "gen",
    "generator.command": "pkt-gen -f tx -i g0 -l 60",
    "generator.line_rate": 14.88e6,
}
"""As collectors/facts.py records lab.toml's generator."""


def test_a_session_folder_gives_all_its_cases_in_order(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "s", "r1", {"inet6": [1.0, 2.0], "inet4": [3.0, 4.0, 5.0]})
    (side,) = load_sides([str(folder)])
    assert side.label == "r1"
    assert {case: found.result.values for case, found in side.cases.items()} == {
        "inet4": (3.0, 4.0, 5.0),
        "inet6": (1.0, 2.0),
    }
    assert list(side.cases) == ["inet4", "inet6"]
    assert not side.chosen


@pytest.mark.parametrize("case", ["forwarding.inet4", "pf:stateful", "a case", "日本"])
def test_a_case_is_chosen_after_a_colon_and_may_hold_dots_and_colons(tmp_path: Path, case: str) -> None:
    folder = recorded(tmp_path / "s", "r1", {case: [1.0], "other": [2.0]})
    (side,) = load_sides([f"{folder}:{case}"])
    assert list(side.cases) == [case]
    assert side.chosen


def test_a_case_may_be_given_by_the_name_of_its_folder(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "s", "r1", {"a case": [1.0]})
    (slugged,) = (p.name for p in folder.iterdir() if p.is_dir())
    assert slugged != "a case"
    (side,) = load_sides([f"{folder}:{slugged}"])
    assert list(side.cases) == ["a case"]


def test_a_path_that_exists_wins_over_splitting_at_the_colon(tmp_path: Path) -> None:
    recorded(tmp_path / "s", "r1", {"inet4": [1.0]})
    recorded(tmp_path / "s:inet4", "r2", {"inet6": [2.0]})
    (side,) = load_sides([str(tmp_path / "s:inet4")])
    assert side.label == "r2"


def test_the_path_of_the_session_may_hold_colons_too(tmp_path: Path) -> None:
    recorded(tmp_path / "s", "short", {"x": [1.0]})
    recorded(tmp_path / "s:12", "long", {"pf:4": [2.0]})
    (side,) = load_sides([str(tmp_path / "s:12:pf:4")])
    assert (side.label, list(side.cases)) == ("long", ["pf:4"])


def test_a_case_that_does_not_exist_is_an_error_that_names_those_that_do(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "s", "r1", {"inet4": [1.0], "inet6": [1.0]})
    with pytest.raises(FwdtuiError, match=r"s: no case 'inet5'; it has inet4, inet6"):
        load_sides([f"{folder}:inet5"])


def test_what_does_not_exist_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FwdtuiError, match="nowhere: no such value file or session"):
        load_sides([str(tmp_path / "nowhere")])


def test_a_folder_that_is_no_session_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(FwdtuiError, match=r"a folder, but not a session \(it has no session.toml\)"):
        load_sides([str(tmp_path)])


def test_a_value_file_is_named_after_its_file(tmp_path: Path) -> None:
    (side,) = load_sides([str(value_file(tmp_path / "r1.inet4.pps"))])
    assert side.label == "r1.inet4.pps"
    assert [found.result.values for found in side.cases.values()] == [BASE]


def test_columns_and_delimiters_are_those_of_ministat(tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_text("a,1\nb,2\nc,3\n")
    (side,) = load_sides([str(path)], column=2, delimiters=",")
    assert [list(found.result.values) for found in side.cases.values()] == [[1.0, 2.0, 3.0]]


def test_standard_input_is_read_once_only() -> None:
    with pytest.raises(FwdtuiError, match="standard input can be read only once"):
        load_sides(["-", "-"])


class TestLabels:
    def test_given_labels_replace_the_own_ones_in_order(self, tmp_path: Path) -> None:
        files = [str(value_file(tmp_path / name)) for name in "abc"]
        sides = load_sides(files, ["base", "first"])
        assert [side.label for side in sides] == ["base", "first", "c"]
        assert [found.result.label for side in sides for found in side.cases.values()] == [
            "base",
            "first",
            "c",
        ]

    def test_given_labels_that_are_alike_are_numbered(self, tmp_path: Path) -> None:
        files = [str(value_file(tmp_path / name)) for name in "abc"]
        assert [side.label for side in load_sides(files, ["x", "x"])] == ["x", "x (2)", "c"]

    def test_more_labels_than_sides_are_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(FwdtuiError, match=r"--label is given 2 times for 1 file or session$"):
            load_sides([str(value_file(tmp_path / "a"))], ["x", "y"])

    def test_files_of_the_same_name_are_told_apart_by_their_paths(self, tmp_path: Path) -> None:
        files = [str(value_file(tmp_path / folder / "inet4.pps")) for folder in ("r1", "r2")]
        assert [side.label for side in load_sides(files)] == files

    def test_sessions_of_the_same_label_are_told_apart_by_their_folders(self, tmp_path: Path) -> None:
        folders = [str(recorded(tmp_path / name, "r1", {"inet4": [1.0]})) for name in ("mon", "tue")]
        assert [side.label for side in load_sides(folders)] == ["r1 (mon)", "r1 (tue)"]

    def test_two_cases_of_one_session_are_told_apart_by_their_cases(self, tmp_path: Path) -> None:
        folder = recorded(tmp_path / "s", "r1", {"inet4": [1.0], "inet6": [1.0]})
        sides = load_sides([f"{folder}:inet4", f"{folder}:inet6"])
        assert [side.label for side in sides] == ["r1:inet4", "r1:inet6"]

    def test_the_very_same_side_twice_is_numbered(self, tmp_path: Path) -> None:
        path = str(value_file(tmp_path / "a"))
        assert [side.label for side in load_sides([path, path])] == [path, f"{path} (2)"]

    def test_in_another_order_sides_have_the_labels_that_they_would_be_read_with(
        self, tmp_path: Path
    ) -> None:
        folders = [str(recorded(tmp_path / day / "s", "r1", {"inet4": [1.0]})) for day in ("mon", "tue")]
        sides = load_sides(folders)
        assert [side.label for side in sides] == ["r1 (s)", "r1 (s) (2)"]
        assert labelled(sides[::-1]) == load_sides(folders[::-1])

    def test_control_characters_never_reach_a_label(self, tmp_path: Path) -> None:
        path = value_file(tmp_path / "a\x1b[31mb")
        (side,) = load_sides([str(path)])
        assert side.label == "a[31mb"
        (side,) = load_sides([str(path)], ["x\x1b]0;y\x07\n"])
        assert side.label == "x]0;y"


class TestOfferedLoad:
    def test_comes_from_each_iterations_own_median(self, tmp_path: Path) -> None:
        offered = {"offered": Summary(median=1.488e6, mean=1.4e6, min=1.0, max=2e6, n=60)}
        iterations = [Iteration(index=0, value=1e6, metrics=offered), Iteration(index=0, value=1.1e6)]
        (side,) = load_sides([str(recorded(tmp_path / "s", "r1", {"inet4": iterations}))])
        assert side.cases["inet4"].result.offered == (1.488e6, None)

    def test_is_empty_where_no_iteration_knows_it(self, tmp_path: Path) -> None:
        (side,) = load_sides([str(recorded(tmp_path / "s", "r1", {"inet4": [1.0, 2.0]}))])
        assert side.cases["inet4"].result.offered == ()

    @pytest.mark.parametrize(
        ("fact", "rate"),
        [("1.488M", 1.488e6), (14880000, 14.88e6), ("fast", None), (True, None), (-1, None), ("0", None)],
    )
    def test_line_rate_is_the_labs_fact_where_it_is_a_rate(self, tmp_path: Path, fact, rate) -> None:
        folder = recorded(tmp_path / "s", "r1", {"inet4": [1.0]}, {"line_rate": fact})
        (side,) = load_sides([str(folder)])
        assert side.cases["inet4"].result.line_rate == rate

    @pytest.mark.parametrize(
        ("facts", "rate"),
        [
            ({}, 14.88e6),
            ({"generator2.host": "gen2", "generator2.line_rate": 1e6}, 15.88e6),
            ({"generator2.host": "gen2"}, None),
            ({"generator2.host": "gen2", "generator2.role": "attack"}, 14.88e6),
            ({"generator.line_rate": 0}, None),
            ({"line_rate": 7e6}, 7e6),
        ],
    )
    def test_line_rate_is_else_that_of_the_recorded_labs_generators(
        self, tmp_path: Path, facts: dict[str, Fact], rate: float | None
    ) -> None:
        folder = recorded(tmp_path / "s", "r1", {"inet4": [1.0]}, GENERATOR | facts)
        (side,) = load_sides([str(folder)])
        assert side.cases["inet4"].result.line_rate == rate

    @pytest.mark.parametrize(
        ("own", "rate"),
        [
            ({}, 14.88e6),
            ({"facts": {"generator.command": "pkt-gen -f tx -i g0 -l 60 -n 9"}}, 14.88e6),
            ({"facts": {"generator.command": "pkt-gen -f tx -i g0 -l 508"}}, None),
            ({"facts": {"generator.command": "trafgen --in large.cfg"}}, None),
            ({"factors": {"frame_size": 64}}, 14.88e6),
            ({"factors": {"frame_size": "512 B"}}, None),
            ({"factors": {"frame_size": ""}}, None),
        ],
    )
    def test_and_only_of_frames_that_are_as_long_as_the_labs(
        self, tmp_path: Path, own: dict[str, Any], rate: float | None
    ) -> None:
        iterations = [Iteration(index=0, value=1e6, **own), Iteration(index=0, value=1e6, **own)]
        (side,) = load_sides([str(recorded(tmp_path / "s", "r1", {"inet4": iterations}, GENERATOR))])
        assert side.cases["inet4"].result.line_rate == rate

    @pytest.mark.parametrize(("size", "rate"), [(None, 7e6), (64, 7e6), (512, None), ("imix", None)])
    def test_nor_has_a_fact_that_was_written_by_hand_any_other(
        self, tmp_path: Path, size: str | int | None, rate: float | None
    ) -> None:
        own: dict[str, Any] = {} if size is None else {"factors": {"frame_size": size}}
        iterations = [Iteration(index=0, value=1e6, **own), Iteration(index=0, value=1e6, **own)]
        folder = recorded(tmp_path / "s", "r1", {"inet4": iterations}, GENERATOR | {"line_rate": 7e6})
        (side,) = load_sides([str(folder)])
        assert side.cases["inet4"].result.line_rate == rate

    @pytest.mark.parametrize(
        ("own", "facts", "frame"),
        [
            ({"factors": {"frame_size": 512}}, {}, 512),
            ({"factors": {"frame_size": "imix"}}, {}, None),
            ({"factors": {"frame_size": ""}}, {}, None),
            ({"factors": {"frame_size": 512}}, {"dut.ix1.speed": 10**9}, None),
            ({"facts": {"generator.command": "pkt-gen -f tx -i g0 -l 508"}}, {}, 512),
            ({"facts": {"generator.command": "trafgen --in large.cfg"}}, {}, None),
            (
                {"facts": {"generator.command": "pkt-gen -f tx -i g0 -l 508"}},
                {"generator2.host": "g2", "generator2.frame": 64},
                None,
            ),
            ({"factors": {"frame_size": 512}, "unit": "us"}, {}, None),
        ],
    )
    def test_of_other_frames_it_is_that_of_the_ports_as_in_a_sweep(
        self, tmp_path: Path, own: dict[str, Any], facts: dict[str, Fact], frame: int | None
    ) -> None:
        ports: dict[str, Fact] = {
            "dut.in": ["ix0"], "dut.out": ["ix1"], "dut.ix0.speed": 10**10, "dut.ix1.speed": 10**10
        }  # fmt: skip
        iterations = [Iteration(index=0, value=1e6, **own), Iteration(index=0, value=1e6, **own)]
        folder = recorded(tmp_path / "s", "r1", {"inet4": iterations}, GENERATOR | ports | facts)
        (side,) = load_sides([str(folder)])
        assert side.cases["inet4"].result.line_rate == (None if frame is None else line_rate(10e9, frame))

    @pytest.mark.parametrize(("outputs", "links"), [(["ix2"], 1), (["ix2", "ix3"], 2)])
    def test_what_two_generators_send_into_one_output_is_limited_by_that(
        self, tmp_path: Path, outputs: list[str], links: int
    ) -> None:
        facts: dict[str, Fact] = GENERATOR | {
            "generator.frame": 64, "generator2.host": "gen", "generator2.frame": 64,
            "generator2.command": "pkt-gen -f tx -i g1 -l 60", "generator2.line_rate": 14.88e6,
            "dut.in": ["ix0", "ix1"], "dut.out": outputs,
            **{f"dut.ix{port}.speed": 10**10 for port in range(4)},
        }  # fmt: skip
        values = [14_880_000.0 * links - n for n in range(5)]
        (side,) = load_sides([str(recorded(tmp_path / "s", "r1", {"inet4": values}, facts))])
        found = side.cases["inet4"].result
        assert found.line_rate == pytest.approx(14.88e6 * links, rel=1e-3)
        (judged,) = judge([("inet4", found, found)])
        assert "at line rate" in judged.sentence

    def test_frames_of_several_lengths_have_no_line_rate(self, tmp_path: Path) -> None:
        sizes = [Iteration(index=0, value=1e6, factors={"frame_size": size}) for size in (64, 128)]
        ports: dict[str, Fact] = {"dut.in": ["ix0"], "dut.out": ["ix1"], "dut.ix0.speed": 10**10}
        (side,) = load_sides([str(recorded(tmp_path / "s", "r1", {"inet4": sizes}, GENERATOR | ports))])
        assert side.cases["inet4"].result.line_rate is None

    def test_what_is_at_the_line_rate_of_other_frames_is_capped_in_a_comparison_as_in_a_sweep(
        self, tmp_path: Path
    ) -> None:
        ports: dict[str, Fact] = {
            "dut.in": ["ix0"], "dut.out": ["ix1"], "dut.ix0.speed": 10**10, "dut.ix1.speed": 10**10
        }  # fmt: skip
        values = {
            "old": [2_349_624.0, 2_349_534.0, 2_349_594.0, 2_349_564.0, 2_349_614.0],
            "new": [2_349_500.0, 2_349_410.0, 2_349_470.0, 2_349_440.0, 2_349_490.0],
        }
        folders = []
        for name, some in values.items():
            iterations = [Iteration(0, value, factors={"frame_size": 512}) for value in some]
            folders.append(recorded(tmp_path / name, name, {"large": iterations}, GENERATOR | ports))
        old, new = (side.cases["large"].result for side in load_sides([str(one) for one in folders]))
        (judged,) = judge([("large", old, new)])
        assert judged.comparison.verdict == "capped" and "at line rate" in judged.sentence

    @pytest.mark.parametrize(
        ("own", "rate"),
        [
            ([{"generator.line_rate": 1.488e6}] * 2, 1.488e6),  # lab.toml was corrected since
            ([{"generator.command": "pkt-gen -f tx -l 508", "generator.line_rate": 2.35e6}] * 2, 2.35e6),
            ([{"generator.line_rate": "–"}] * 2, None),
            ([{}, {"generator.line_rate": 1.488e6}], None),
        ],
    )
    def test_an_iteration_may_have_one_of_its_own(
        self, tmp_path: Path, own: list[dict[str, Fact]], rate: float | None
    ) -> None:
        iterations = [Iteration(index=0, value=1e6, facts=one) for one in own]
        without = {key: one for key, one in GENERATOR.items() if key != "generator.line_rate"}
        for facts in (GENERATOR, without):
            folder = recorded(tmp_path / str(len(facts)), "r1", {"inet4": iterations}, facts)
            (side,) = load_sides([str(folder)])
            assert side.cases["inet4"].result.line_rate == rate

    @pytest.mark.parametrize("begun", [14.88e6, None])
    def test_what_is_at_its_own_line_rate_is_never_equivalent(
        self, tmp_path: Path, begun: float | None
    ) -> None:
        facts = {key: one for key, one in (GENERATOR | {"generator.line_rate": begun}).items() if one}
        values = {"old": 1.4871e6, "new": 1.4872e6}
        folders = []
        for name, value in values.items():
            own = {"generator.line_rate": 1.488e6}
            some = [Iteration(0, value + 100 * n, facts=own) for n in range(5)]
            folders.append(str(recorded(tmp_path / name, name, {"inet4": some}, facts)))
        old, new = (side.cases["inet4"].result for side in load_sides(folders))
        (judged,) = judge([("inet4", old, new)])
        assert judged.comparison.verdict == "capped" and "at line rate" in judged.sentence

    def test_what_is_at_the_recorded_line_rate_is_never_equivalent(self, tmp_path: Path) -> None:
        values = {
            "old": [14.871e6, 14.870e6, 14.869e6, 14.872e6, 14.868e6],
            "new": [14.8705e6, 14.8712e6, 14.869e6, 14.8715e6, 14.8695e6],
        }
        folders = [
            str(recorded(tmp_path / name, name, {"inet4": some}, GENERATOR)) for name, some in values.items()
        ]
        old, new = (side.cases["inet4"].result for side in load_sides(folders))
        (judged,) = judge([("inet4", old, new)])
        assert judged.comparison.verdict == "capped" and "at line rate" in judged.sentence
