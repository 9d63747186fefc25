"""What is made of the logs of one run: its series by generator, its value, and its warnings."""

from pathlib import Path

import pytest

from fwdtui.core.model import Caution, Iteration, RateSample
from fwdtui.core.parse.netmap_pktgen import IntervalLine, PktGenLog
from fwdtui.store.benchlab_run import RunFiles, iteration, raw_name, read
from fwdtui.store.benchlab_tree import Run
from fwdtui.store.benchlab_values import Published

FOLDER = Path("/lab/may")
RATE = 1_000_000.0


def log(*rates: float, **more: object) -> PktGenLog:
    lines = (IntervalLine(n, float(n), rate, rate, None, 1_000_000) for n, rate in enumerate(rates, 1))
    return PktGenLog(tuple(lines), command="pkt-gen", lines=len(rates), **more)  # type: ignore[arg-type]


def made(
    receiver: PktGenLog | None = None,
    senders: dict[str, PktGenLog] | None = None,
    *,
    raw: bytes = b"x",
    roles: dict[str, str] | None = None,
    trim: str = "steady",
    others: tuple[str, ...] = (),
) -> tuple[Iteration, tuple[RateSample, ...]]:
    logs = senders or {}
    run = Run(3, FOLDER / "r" if receiver else None, (), tuple(FOLDER / name for name in others))
    files = RunFiles({raw_name(kind): raw for kind in logs}, receiver, logs)
    return iteration(run, files, trim, FOLDER, roles)


def codes(one: Iteration) -> list[str]:
    return [caution.code for caution in one.warnings]


STEADY = log(*[RATE] * 60)


def test_the_receivers_log_gives_the_value_and_is_named() -> None:
    one, samples = made(STEADY)
    assert (one.index, one.value, one.source, one.origin) == (3, RATE, "receiver.log", "may/r")
    assert codes(one) == [] and one.metrics.keys() == {"received"} and len(samples) == 60
    one, samples = made(None, {"sender": STEADY})
    assert (one.value, one.source, one.origin, one.window) == (None, "", "", None)
    assert codes(one) == ["no-receiver"] and {sample.role for sample in samples} == {"generator"}


def test_samples_name_their_generator_only_where_there_are_several() -> None:
    def of(*kinds: str) -> set[tuple[str, str, bool]]:
        _, samples = made(STEADY, dict.fromkeys(kinds, STEADY), roles={"sender_2": "attack"})
        return {(sample.role, sample.interface, sample.attack) for sample in samples}

    receiver = ("receiver", "", False)
    assert of("sender") == {receiver, ("generator", "", False)}
    assert of("sender_2") == {receiver, ("generator", "", True)}
    assert of("sender", "sender_2") == {
        receiver, ("generator", "sender", False), ("generator", "sender_2", True),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sender", "started"),
    [
        (PktGenLog(), False),
        (PktGenLog(command=""), False),
        (PktGenLog(command="pkt-gen"), True),
        (PktGenLog(crash="ouch"), True),
        (log(RATE), True),
    ],
)
def test_a_log_without_command_rates_and_crash_is_of_a_generator_that_was_not_started(
    sender: PktGenLog, started: bool
) -> None:
    _, samples = made(STEADY, {"sender": STEADY, "sender_2": sender}, raw=b"")
    ports = {sample.interface for sample in samples if sample.role == "generator"}
    # alone it needs no name, beside another that was started it has one
    assert ("sender" in ports, "" in ports) == (started, not started)


@pytest.mark.parametrize(
    ("sender", "raw", "unread"),
    [
        (PktGenLog(command="pkt-gen"), b"x", True),
        (PktGenLog(), b"x", True),
        (PktGenLog(), b" \n", False),
        (PktGenLog(command=""), b"x", False),
        (PktGenLog(command="pkt-gen", nothing=True), b"x", False),
        (PktGenLog(command="pkt-gen", packets_total=0), b"x", False),
        (PktGenLog(command="pkt-gen", packets_total=1), b"x", True),
        (PktGenLog(command="pkt-gen", crash="ouch"), b"x", False),
    ],
)
def test_a_generators_log_that_gives_no_rate_and_no_reason_is_told(
    sender: PktGenLog, raw: bytes, unread: bool
) -> None:
    one, _ = made(STEADY, {"sender": sender}, raw=raw)
    assert ("sender-unread" in codes(one)) is unread


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"crash": "ouch"}, Caution("crashed", "The receiver crashed (ouch); repeat this iteration.")),
        (
            {"truncated": True},
            Caution("truncated-log", "The receiver's log ends inside a line; its end is missing."),
        ),
        (
            {"skipped": ("line 1: x",)},
            Caution("damaged-log", "Parts of the receiver's log could not be read: line 1: x."),
        ),
        (
            {"skipped": ("line 1: x", "line 2: y", "line 3: z")},
            Caution("damaged-log", "Parts of the receiver's log could not be read: line 1: x and 2 more."),
        ),
        (
            {"skipped": ("a", "b")},
            Caution("damaged-log", "Parts of the receiver's log could not be read: a and 1 more."),
        ),
    ],
)
def test_trouble_that_a_log_shows_is_told(more: dict[str, object], told: Caution) -> None:
    one, _ = made(log(*[RATE] * 60, **more))
    assert one.warnings == (told,)
    one, _ = made(STEADY, {"sender": log(*[RATE] * 60, **more)})
    assert [w.text for w in one.warnings] == [told.text.replace("receiver", "generator")]


@pytest.mark.parametrize(
    ("receiver", "told"),
    [
        (PktGenLog(command="pkt-gen", waiting=12, killed=True), ["no-traffic"]),
        (PktGenLog(command="pkt-gen", nothing=True), ["no-traffic"]),
        (PktGenLog(command="pkt-gen", packets_total=0), ["no-traffic"]),
        (PktGenLog(command="pkt-gen", packets_total=9), ["no-value"]),
        (PktGenLog(command="pkt-gen", killed=True), ["no-value"]),  # its interface was busy
        (PktGenLog(lines=60), ["no-value"]),  # another tool's log
        (PktGenLog(command="pkt-gen", crash="ouch"), ["no-value", "crashed"]),
    ],
)
@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_nothing_arrived_only_if_the_receivers_log_says_so(
    receiver: PktGenLog, told: list[str], trim: str
) -> None:
    one, _ = made(receiver, {"sender": STEADY}, trim=trim)
    assert one.value is None and codes(one) == told


def test_of_a_dut_that_stopped_it_is_not_said_that_nothing_arrived() -> None:
    one, _ = made(log(*[RATE] * 20, *[0.0] * 40), {"sender": STEADY})
    assert one.value is None and codes(one) == ["no-traffic", "ended-early"]
    assert "though 1.000 Mpps arrived at times" in one.warnings[0].text


@pytest.mark.parametrize(("trim", "value"), [("steady", None), ("netbenches", 1.0)])
def test_next_to_nothing_is_a_value_only_where_it_was_published(trim: str, value: float | None) -> None:
    one, _ = made(log(*[1.0] * 60), {"sender": STEADY}, trim=trim)
    assert one.value == value and codes(one) == ["no-traffic"]


@pytest.mark.parametrize(("seconds", "early"), [(60, False), (48, False), (47, True), (0, False)])
def test_a_receiver_that_saw_traffic_for_less_than_four_fifths_of_the_time_ended_early(
    seconds: int, early: bool
) -> None:
    one, _ = made(log(*[RATE] * seconds, *[0.0] * (60 - seconds)), {"sender": log(*[RATE] * 60)})
    assert ("ended-early" in codes(one)) is early
    (text,) = (w.text for w in one.warnings if w.code == "ended-early") if early else ("",)
    assert not early or text.startswith("The receiver saw traffic for 47 s of the 60 s that the generator")


def test_the_longest_of_several_generators_says_how_long_it_was() -> None:
    senders = {"sender": log(*[RATE] * 90), "sender_2": log(*[RATE] * 60)}
    for logs in (senders, dict(reversed(senders.items()))):
        assert "ended-early" in codes(made(log(*[RATE] * 60), logs)[0])


@pytest.mark.parametrize(
    ("roles", "early"),
    [
        (None, True),
        ({"sender": "wanted", "sender_2": "attack"}, False),  # it outlasts what is measured, and is dropped
        ({"sender": "attack", "sender_2": "wanted"}, True),
    ],
)
def test_an_attack_does_not_say_how_long_traffic_was_to_arrive(
    roles: dict[str, str] | None, early: bool
) -> None:
    senders = {"sender": log(*[RATE] * 60), "sender_2": log(*[RATE] * 90)}
    one, _ = made(log(*[RATE] * 60), senders, roles=roles)
    assert ("ended-early" in codes(one)) is early


@pytest.mark.parametrize(
    ("seconds", "trim", "told"),
    [
        (60, "netbenches", ""),
        (45, "netbenches", ""),  # of 15 to 50 s
        (30, "netbenches", "For about 21 s of the 35 s that the value covers not all generators sent"),
        (30, "steady", ""),  # its window ends with it
        (4, "steady", "For about 56 s of the 58 s that"),  # which is too short for a window
    ],
)
def test_a_value_of_a_time_in_which_a_generator_had_ended_says_so(seconds: int, trim: str, told: str) -> None:
    received = log(*[RATE / 2] * seconds, *[RATE] * (60 - seconds))
    senders = {"sender": log(*[RATE] * 60), "sender_2": log(*[RATE] * seconds)}
    one, _ = made(received, senders, roles={"sender": "wanted", "sender_2": "attack"}, trim=trim)
    texts = [caution.text for caution in one.warnings if caution.code == "ended-early"]
    assert texts[0].startswith(told) if told else not texts


@pytest.mark.parametrize(
    ("name", "told"),
    [("bench.a.3.receiver_2", True), ("a.3.receiver", False), ("a.3.receiver_2.gz", False)],
)
def test_a_further_receiver_is_told(name: str, told: bool) -> None:
    one, _ = made(STEADY, others=(name, "a.3.graph"))
    assert codes(one) == (["receivers-several"] if told else [])
    assert not told or f"only receiver.log gives the value; not counted: {name};" in one.warnings[0].text


@pytest.mark.parametrize("maximum", [None, 9.0])
def test_a_published_value_is_one_and_says_that_it_cannot_be_checked(maximum: float | None) -> None:
    run = Run(2, published=Published(FOLDER / "a.equilibrium", 7.0, "Mb/s", maximum))
    one, samples = iteration(run, RunFiles({}), "steady", FOLDER)
    assert (one.index, one.value, one.unit, one.source) == (2, 7.0, "Mb/s", "a.equilibrium")
    assert one.origin == "may/a.equilibrium, value 2" and samples == ()
    assert codes(one) == ["value-only"] and one.window is not None
    assert (one.window.method, one.window.start, one.window.kept) == ("published", None, 0)
    assert {name: s.median for name, s in one.metrics.items()} == ({"highest": 9.0} if maximum else {})


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("sender", "generator.log"),
        ("sender_gen2", "generator_gen2.log"),
        ("sender_sender", "generator_sender.log"),
    ],
)
def test_a_senders_log_is_kept_as_that_of_a_generator(kind: str, name: str) -> None:
    assert raw_name(kind) == name


def test_a_file_beside_the_logs_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("CMD: pkt-gen -f rx\n")
    (tmp_path / "good").write_text("profile")
    found = read(Run(1, tmp_path / "r", (), (tmp_path / "gone", tmp_path / "good")))
    assert found.raw.keys() == {"receiver.log", "good"} and found.senders == {} and found.search is None
    assert found.notes == (f"{tmp_path / 'gone'}: No such file or directory: not imported",)
    with pytest.raises(FileNotFoundError):
        read(Run(1, tmp_path / "gone"))


def test_of_very_many_files_beside_the_logs_the_first_are_kept_and_that_is_told(tmp_path: Path) -> None:
    """iteration.json, which names them all, would be larger than is read of it."""
    paths = [tmp_path / f"bench.a.1.{number}.txt" for number in range(1002)]
    for path in paths:
        path.touch()
    files = read(Run(1, others=tuple(paths)))
    assert len(files.raw) == 1000
    assert files.notes == (f"{paths[1000]} and 1 more: too many further files: not imported",)


def test_of_two_files_of_one_name_the_first_is_kept_and_the_other_told(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "bench.a.1.vmstat" for folder in ("may", "may/RAW")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.parent.name)
    found = read(Run(1, others=tuple(paths)))
    assert found.raw == {"bench.a.1.vmstat": b"may"}
    assert found.notes == (f"{paths[1]}: a second file of this name for the same run: not imported",)
