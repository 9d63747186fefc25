"""The frames and the link of a cell: what is said counts, and nothing is guessed."""

from dataclasses import replace

import msgspec
import pytest
from swept import case, session

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Case, Fact, Iteration, Session
from fwdtui.report.cells_of import Cell, cells, trials
from fwdtui.report.link import (
    Link,
    frame_of,
    frame_of_all,
    line_rate_of,
    parse_frame,
    parse_link,
    parse_speed,
)
from fwdtui.report.sides import case_on_boots


def cell(facts: dict[str, Fact] | None = None, imported: str = "", **factors: FactorValue) -> Cell:
    (made,) = cells(trials([session("s", case("c", [1e6]), facts=facts, imported=imported, **factors)]), [])
    return made


def test_the_factor_says_the_length_then_the_recorded_lab_then_the_user() -> None:
    lab: dict[str, Fact] = {"generator.frame": 128}
    assert frame_of(cell(lab, frame_size="64 B"), Link(frame=256)) == 64
    assert frame_of(cell(lab), Link(frame=256)) == 128
    assert frame_of(cell(), Link(frame=256)) == 256
    assert frame_of(cell(), Link()) is None


@pytest.mark.parametrize("size", ["imix", "", 63, 65_536, 64.5])
def test_a_factor_that_is_no_length_is_not_replaced_by_another_length_if_it_is_known(
    size: FactorValue,
) -> None:
    assert frame_of(cell(frame_size=size), Link()) is None
    if size != "":
        assert frame_of(cell(frame_size=size), Link(frame=64)) is None


def test_an_imports_only_command_is_not_that_of_all_its_cases() -> None:
    assert frame_of(cell({"generator.frame": 128}, imported="2026-01-01T00:00:00+00:00"), Link()) is None


def test_line_rate_is_that_of_the_speed_that_the_user_gives() -> None:
    assert line_rate_of(cell(frame_size=64), Link(10e9)) == pytest.approx(14_880_952, abs=1)
    assert line_rate_of(cell(), Link(10e9)) is None, "frames of an unknown length have no line rate"


def test_else_of_the_ports_if_all_have_the_same_speed() -> None:
    ports: dict[str, Fact] = {
        "dut.in": ["ix0"],
        "dut.out": ["ix1"],
        "r.ix0.speed": 10**10,
        "r.ix1.speed": 10**10,
    }
    assert line_rate_of(cell(ports, frame_size=64), Link()) == pytest.approx(14_880_952, abs=1)
    assert line_rate_of(cell({**ports, "r.ix1.speed": 10**9}, frame_size=64), Link()) is None
    assert line_rate_of(cell({**ports, "r.mgmt.speed": 10**9}, frame_size=64), Link()) is not None


@pytest.mark.parametrize(
    ("inputs", "outputs", "roles", "links"),
    [
        ("ix0 ix2", "ix1 ix3", ["wanted", "wanted"], 2),
        ("ix0 ix2", "ix1 ix3", ["wanted", "attack"], 1),
        ("ix0 ix2", "ix1", ["wanted", "wanted"], 1),
        ("ix0", "ix1", ["wanted", "wanted"], 1),
        ("ix0 ix2", "ix1 ix3", [], 1),
        ("ix0 ix2", "ix1 ix3", ["wanted"], 1),
    ],
)
@pytest.mark.parametrize("link", [Link(), Link(10e9)])
def test_the_lines_of_several_generators_are_several_links(
    inputs: str, outputs: str, roles: list[str], links: int, link: Link
) -> None:
    """As many as the wanted traffic can come in and leave by, as its generators' own line rates add up."""
    facts: dict[str, Fact] = {"dut.in": inputs.split(), "dut.out": outputs.split()}
    facts |= {f"r.{port}.speed": 10**10 for port in (*inputs.split(), *outputs.split())}
    for number, role in enumerate(roles, 1):
        name = "generator" if number == 1 else f"generator{number}"
        facts |= {f"{name}.host": "g"} | ({f"{name}.role": role} if role != "wanted" else {})
    assert line_rate_of(cell(facts, frame_size=64), link) == pytest.approx(links * 14_880_952, abs=2)


def test_the_frames_are_those_of_the_wanted_traffic_on_all_of_its_generators() -> None:
    """An attack of 64 bytes beside wanted traffic of 1518 does not make the line rate 14.88 Mpps."""
    facts: dict[str, Fact] = {"generator.host": "a", "generator.role": "attack", "generator.frame": 64}
    facts |= {"generator2.host": "g", "generator2.frame": 1518}
    facts |= {"dut.in": ["ix0"], "dut.out": ["ix1"], "r.ix0.speed": 10**10}
    assert frame_of(cell(facts), Link()) == 1518
    assert line_rate_of(cell(facts), Link()) == pytest.approx(812_744, abs=1)
    assert frame_of_all(case_on_boots(*_whole(cell(facts)))) == 1518
    facts |= {"generator3.host": "h", "generator3.frame": 64}
    assert frame_of(cell(facts), Link()) is None, "of two lengths"
    assert frame_of_all(case_on_boots(*_whole(cell(facts)))) is None


def _whole(made: Cell) -> tuple[Session, Case, str]:
    return made.session, made.case, "c"


def test_an_interface_of_another_host_with_the_name_of_a_port_is_none_of_the_ports() -> None:
    facts: dict[str, Fact] = {"dut.in": ["eth1"], "dut.out": ["eth2"], "gen.eth1.speed": 10**9}
    made = Cell({}, {}, session("s", facts=facts), case("c", [1e6]))
    assert line_rate_of(made, Link(frame=64)) == pytest.approx(1_488_095, abs=1), "an older session"
    told = msgspec.structs.replace(made.session, lab={"dut": {"host": "r"}})
    assert line_rate_of(replace(made, session=told), Link(frame=64)) is None
    both = msgspec.structs.replace(told, facts={**facts, "r.eth1.speed": 10**10})
    assert line_rate_of(replace(made, session=both), Link(frame=64)) == pytest.approx(14_880_952, abs=1)


def test_virtual_ports_have_no_line_rate_whatever_speed_their_driver_states() -> None:
    """A veth states 10 Gb/s, and passes on as much as the machine can copy."""
    facts: dict[str, Fact] = {"dut.in": ["eth1"], "dut.out": ["eth2"], "r.eth1.speed": 10**10}
    assert line_rate_of(cell({**facts, "r.eth1.driver": "ixgbe"}, frame_size=64), Link()) is not None
    assert line_rate_of(cell({**facts, "r.eth1.driver": "veth"}, frame_size=64), Link()) is None
    assert line_rate_of(cell({**facts, "r.eth1.driver": "veth"}, frame_size=64), Link(10e9)) is not None


def test_a_port_that_was_slower_in_some_of_the_iterations_has_no_speed() -> None:
    facts: dict[str, Fact] = {"dut.in": ["eth1"], "dut.out": ["eth2"], "r.eth1.speed": 10**10}
    speeds: list[dict[str, Fact]] = [{}, {"r.eth1.speed": 10**9}, {"r.eth1.speed": "–"}]

    def rate(*own: dict[str, Fact]) -> float | None:
        some = [Iteration(number, 1e6, facts=one) for number, one in enumerate(own, 1)]
        return line_rate_of(Cell({}, {}, session("s", facts=facts), case("c", some)), Link(frame=64))

    fast, slow, unknown = speeds
    assert rate(fast) == pytest.approx(14_880_952, abs=1) and rate(slow) == pytest.approx(1_488_095, abs=1)
    assert rate(fast, slow) is None and rate(unknown) is None and rate(fast, unknown) is None


def test_else_it_is_what_lab_toml_says_but_only_for_the_labs_own_frames() -> None:
    lab: dict[str, Fact] = {"line_rate": 14.88e6, "generator.frame": 64}
    assert line_rate_of(cell(lab), Link()) == 14.88e6
    assert line_rate_of(cell(lab, frame_size=64), Link()) == 14.88e6
    assert line_rate_of(cell(lab, frame_size=128), Link()) is None
    attacked: dict[str, Fact] = {**lab, "generator.host": "a", "generator.role": "attack"}
    attacked |= {"generator2.host": "g", "generator2.frame": 512}
    assert line_rate_of(cell(attacked, frame_size=64), Link()) is None
    assert line_rate_of(cell(attacked, frame_size=512), Link()) == 14.88e6


def test_cells_of_an_experiment_have_the_frames_of_their_own_commands() -> None:
    lab: dict[str, Fact] = {"generator.command": "pkt-gen -f tx -i g0 -l 60", "generator.frame": 64}

    def of(*commands: str, frame: Fact | None = None) -> Cell:
        own: list[dict[str, Fact]] = [{"generator.command": command} for command in commands]
        if frame is not None:
            own = [one | {"generator.frame": frame} for one in own]
        some = [Iteration(number, 1e6, facts=facts) for number, facts in enumerate(own, 1)]
        return Cell({}, {}, session("s", facts=lab), case("c", some))

    assert frame_of(of("pkt-gen -f tx -i g0 -l 1514"), Link()) == 1518
    assert frame_of(of("pkt-gen -f tx -i g0 -l 60 -n 9"), Link(frame=256)) == 64
    assert frame_of(of("trafgen --in udp.cfg"), Link()) is None
    assert frame_of(of("trafgen --in udp.cfg"), Link(frame=256)) == 256
    assert frame_of(of("trafgen --in udp.cfg", frame=512), Link()) == 512
    assert frame_of(of("pkt-gen -f tx -i g0 -l 60", frame="–"), Link()) is None, "it was not known any more"
    assert frame_of(of("pkt-gen -f tx -i g0 -l 1514", "pkt-gen -f tx -i g0 -l 60"), Link()) is None


@pytest.mark.parametrize("begun", [14.88e6, None])
def test_iterations_with_frames_of_their_own_have_their_own_line_rate_as_in_a_comparison(
    begun: float | None,
) -> None:
    facts: dict[str, Fact] = {"generator.host": "g", "generator.frame": 64}
    facts |= {} if begun is None else {"generator.line_rate": begun}
    own: dict[str, Fact] = {"generator.frame": 512, "generator.line_rate": 2.35e6}
    some = [Iteration(number, 1e6, facts=own) for number in (1, 2)]
    lab = session("s", case("c", some, frame_size=512), facts=facts)
    (made,) = cells(trials([lab]), [])
    assert line_rate_of(made, Link()) == 2.35e6 == case_on_boots(lab, lab.cases[0], "s").result.line_rate


def test_a_recording_tells_that_by_its_generators() -> None:
    lab: dict[str, Fact] = {"generator.host": "g", "generator.line_rate": 14.88e6, "generator.frame": 64}
    assert line_rate_of(cell(lab), Link()) == 14.88e6
    assert line_rate_of(cell(lab, frame_size=64), Link()) == 14.88e6
    assert line_rate_of(cell(lab, frame_size=128), Link()) is None


@pytest.mark.parametrize(("text", "speed"), [("10G", 1e10), ("2.5Gb/s", 2.5e9), ("100 M", 1e8)])
def test_a_speed_is_a_number_with_its_multiple(text: str, speed: float) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["", "10", "0G", "-1G", "10Gpps", "1e9G", "ten"])
def test_anything_else_is_no_speed(text: str) -> None:
    with pytest.raises(FwdtuiError, match=r"--link: .* is not the speed of a link: write it as 10G"):
        parse_speed(text)


def test_a_length_is_from_64_to_65535_bytes() -> None:
    assert [parse_frame(text) for text in ("64", "1518 B", "65535")] == [64, 1518, 65535]
    for text in ("63", "65536", "64.0", "", "-64"):
        with pytest.raises(FwdtuiError, match="--frame: "):
            parse_frame(text)


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("10G 64", Link(10e9, 64)),
        ("64 B 2.5 Gb/s", Link(2.5e9, 64)),
        ("100M", Link(100e6)),
        ("1518", Link(frame=1518)),
        ("  ", Link()),
    ],
)
def test_link_and_frames_are_read_from_one_text_and_written_as_the_commands_options(
    text: str, link: Link
) -> None:
    assert parse_link(text) == link
    assert parse_link(link.given) == link
    given = dict(zip(link.options[::2], link.options[1::2], strict=True))
    assert given.get("--link") is None or parse_speed(given["--link"]) == link.speed
    assert given.get("--frame") is None or parse_frame(given["--frame"]) == link.frame


@pytest.mark.parametrize("text", ["10G 1G", "64 128", "63", "fast", "10", "10GB", "0G", "64 B B"])
def test_what_is_no_link_is_refused(text: str) -> None:
    with pytest.raises(FwdtuiError):
        parse_link(text)
