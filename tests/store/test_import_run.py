"""What an imported run was, by its receiver and its senders: its value, its load, its warnings."""

import pytest
from bench_logs import SENT, codes, only, run

from fwdtui.cli import main
from fwdtui.monitor.replay.iteration_series import read_series
from fwdtui.report.bearing import MEANING, UNSOUND
from fwdtui.store import read_session
from fwdtui.store.benchlab import import_tree


@pytest.mark.parametrize("first", [28, 32])
@pytest.mark.parametrize("hosts", [("", ""), ("gen", "gen"), ("gen", "sink")])
def test_half_a_run_at_another_level_stays_in_the_window_and_is_told(tree, tmp_path, first, hosts):
    run(tree, 0, 0, 0, *[1_000_000] * first, *[800_000] * (60 - first), 100_000, host=hosts[0])
    run(tree, *SENT, kind="sender", begin=13 if hosts[0] == hosts[1] else 700, host=hosts[1])
    _, iterations = only(tree, tmp_path / "s")
    assert codes(iterations[0]) >= {"level-shift", "mean-differs"}
    assert iterations[0].window.kept >= 57
    assert iterations[0].value == (1_000_000 if first > 30 else 800_000)


def test_the_marks_of_such_a_run_reach_the_verdict(tree, tmp_path, capsys):
    for index in range(1, 6):
        run(tree, *[1_000_000 + index] * 32, *[800_000] * 28, 100_000)
        (tree / "bench.n1.D2.off.v4.1.receiver").rename(tree / f"bench.n2.D2.off.v4.{index}.receiver")
    for index in range(1, 6):
        run(tree, *[1_000_100 + index] * 60, 100_000)
        (tree / "bench.n1.D2.off.v4.1.receiver").rename(tree / f"bench.n1.D2.off.v4.{index}.receiver")
    base, other = import_tree(tree, tmp_path / "s")
    main(["compare", str(base.path), str(other.path)])
    shown = capsys.readouterr().out
    assert "equivalent !" in shown and "level-shift" in shown and "mean-differs" in shown


@pytest.mark.parametrize(
    ("rates", "value", "told"),
    [
        # ten seconds at each level in turn: netbenches' trimming keeps 17 s of one and 20 s of the other
        ([1_000_000, 800_000] * 3, 1_000_000, "is 10.0 % below the median of its window, 1.000 Mpps"),
        ([800_000, 1_000_000] * 3, 800_000, "is 12.5 % above the median of its window, 800.0 kpps"),
    ],
)
def test_the_mean_of_a_run_is_held_against_the_median_of_netbenches_window(
    tree, tmp_path, rates, value, told
):
    run(tree, *(rate for rate in rates for _ in range(10)))
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == 900_000 and "mean-differs" not in codes(iterations[0])
    _, iterations = only(tree, tmp_path / "n", "netbenches")
    (mean,) = [warning for warning in iterations[0].warnings if warning.code == "mean-differs"]
    assert iterations[0].value == value and told in mean.text


def test_a_mean_that_agrees_with_netbenches_median_is_not_said_to_differ(tree, tmp_path):
    run(tree, *[1_000_000] * 33, *[800_000] * 28)
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == 1_000_000 and "mean-differs" in codes(iterations[0])
    _, iterations = only(tree, tmp_path / "n", "netbenches")
    assert iterations[0].value == 900_000
    assert "level-shift" in codes(iterations[0]) and "mean-differs" not in codes(iterations[0])


@pytest.mark.parametrize(("missing", "code"), [(1, "gap"), (5, "gap"), (6, "value-gap"), (25, "value-gap")])
@pytest.mark.parametrize("sender", [False, True])
@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_lines_that_a_receivers_log_lacks_are_told_with_their_length(
    tree, tmp_path, missing, code, sender, trim
):
    run(tree, *[1_000_000] * 60)
    if sender:
        run(tree, *SENT, kind="sender")
    path = tree / "bench.n1.D2.off.v4.1.receiver"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:21] + lines[21 + missing :]))
    _, iterations = only(tree, tmp_path / "s", trim)
    told = [one for one in iterations[0].warnings if one.code in ("gap", "value-gap")]
    assert [(one.code, one.text.partition(" of")[0]) for one in told] == [(code, f"{missing:.1f} s")]
    assert iterations[0].value == 1_000_000


def test_a_log_without_a_hole_is_not_said_to_have_one(tree, tmp_path):
    run(tree, *[1_000_000] * 60, begin=970)  # its clock begins again at 1000 s
    _, iterations = only(tree, tmp_path / "s")
    assert not codes(iterations[0]) & {"gap", "value-gap"}


@pytest.mark.parametrize(("size", "length", "told"), [(128, 60, True), (64, 60, False), (64, 64, True)])
def test_a_frame_size_that_the_generator_did_not_send_is_told(tree, tmp_path, size, length, told):
    run(tree, *[1_000_000] * 60)
    run(tree, *SENT, kind="sender")
    log = tree / "bench.n1.D2.off.v4.1.sender"
    log.write_text(log.read_text().replace("-w 2", f"-w 2 -l {length}"))
    (tree / "factors.toml").write_text(f"[factors]\nframe_size = {size}\n")
    _, iterations = only(tree, tmp_path / "s")
    assert ("frame-differs" in codes(iterations[0])) == told


@pytest.mark.parametrize(("old", "new"), [(" pps (", " packets/s ("), ("in 1000000 usec", "in 0 usec")])
def test_rates_that_cannot_be_read_are_not_said_to_be_none(tree, tmp_path, old, new):
    run(tree, *[1_000_000] * 60)
    log = tree / "bench.n1.D2.off.v4.1.receiver"
    waited = "9.0 receiver_body [1] waiting for initial packets, poll returns 0 0\n"
    log.write_text(waited + log.read_text().replace(old, new))
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value is None and codes(iterations[0]) == {"no-value", "damaged-log"}


def test_what_a_receiver_misses_at_the_end_while_the_sender_sends_is_an_outage(tree, tmp_path):
    run(tree, *[1_000_000] * 45, *[0] * 15)
    run(tree, *SENT, kind="sender")
    _, iterations = only(tree, tmp_path / "s")
    assert "outage" in codes(iterations[0]) and iterations[0].window.kept >= 58


def test_a_sender_log_that_tells_of_a_part_of_the_run_does_not_shorten_the_window(tree, tmp_path):
    run(tree, *[1_000_000] * 60, 100_000)
    run(tree, *[14_880_000] * 20, kind="sender")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].window.kept >= 57 and "logs-differ" in codes(iterations[0])


@pytest.mark.parametrize("again", [600, 859, 900])  # the second run's first stamp
@pytest.mark.parametrize("both", [False, True], ids=["receiver's log", "both logs"])
def test_a_log_that_holds_two_runs_marks_the_verdict(tree, tmp_path, again, both):
    kinds = {"receiver": 1, "sender": 2}
    logs = {kind: tree / f"bench.n1.D2.off.v4.1.{kind}" for kind in kinds}
    first = {}
    for kind, times in kinds.items():
        run(tree, *[times * 700_000] * 60, kind=kind, begin=800)
        first[kind] = logs[kind].read_text() if both or kind == "receiver" else ""
        run(tree, *[times * 705_000] * 60, kind=kind, begin=again)
        logs[kind].write_text(first[kind] + logs[kind].read_text())
    _, iterations = only(tree, tmp_path / "s")
    told = [one.text for one in iterations[0].warnings if one.code == "several-runs"]
    assert len(told) == 1 + both and "receiver's log shows 2 starts" in told[0]
    assert "several-runs" in UNSOUND


def test_without_command_lines_the_stamps_of_two_runs_show_the_time_between_them(tree, tmp_path):
    path = tree / "bench.n1.D2.off.v4.1.receiver"
    run(tree, *[700_000] * 60, begin=800)
    first = path.read_text()
    run(tree, *[705_000] * 60, begin=600)
    path.write_text("".join(text.partition("\n")[2] for text in (first, path.read_text())))
    _, iterations = only(tree, tmp_path / "s")
    assert any("740.0 s of the run have no lines" in one.text for one in iterations[0].warnings)


def test_a_receiver_that_reads_one_packet_per_second_received_nothing(tree, tmp_path):
    run(tree, *[1] * 60)
    run(tree, *SENT, kind="sender")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value is None and codes(iterations[0]) == {"no-traffic"}
    assert iterations[0].metrics["received"].median == 1
    # a value that was published stays what it is
    _, iterations = only(tree, tmp_path / "n", "netbenches")
    assert iterations[0].value == 1 and codes(iterations[0]) == {"no-traffic"}


def test_few_packets_per_second_are_a_value_where_no_more_are_offered(tree, tmp_path):
    run(tree, *[50] * 60, 10)
    run(tree, *[60] * 60, 12, kind="sender")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == 50 and not codes(iterations[0])


@pytest.mark.parametrize("rate", [1, 99])
@pytest.mark.parametrize("sent", [[], [0] * 61], ids=["no sender's log", "none offered"])
def test_next_to_nothing_is_no_value_where_no_load_is_known_either(tree, tmp_path, rate, sent):
    run(tree, *[rate] * 60)
    if sent:
        run(tree, *sent, kind="sender")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value is None and codes(iterations[0]) == {"no-traffic"}
    _, iterations = only(tree, tmp_path / "n", "netbenches")
    assert iterations[0].value == rate and codes(iterations[0]) == {"no-traffic"}


def test_a_slow_rate_without_a_sender_log_is_a_value(tree, tmp_path):
    run(tree, *[100] * 60)
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == 100 and not codes(iterations[0])


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_a_load_that_was_measured_as_zero_is_not_missing(tree, tmp_path, trim):
    run(tree, *[1_000_000] * 60, 100_000)
    run(tree, *[0] * 61, kind="sender")
    _, iterations = only(tree, tmp_path / "s", trim)
    assert iterations[0].metrics["offered"].median == 0
    assert codes(iterations[0]) == {"received-above-offered"}


def test_more_received_than_offered_is_told(tree, tmp_path):
    run(tree, *[1_900_000] * 60, 100_000)
    run(tree, *[1_000_000] * 60, 100_000, kind="sender")
    _, iterations = only(tree, tmp_path / "s")
    assert codes(iterations[0]) == {"received-above-offered"}


def test_the_load_of_several_senders_is_their_sum_and_that_is_told(tree, tmp_path):
    run(tree, 0, *[2_500_000] * 60, 100_000, host="sink")
    run(tree, 0, *[1_000_000] * 60, 100_000, kind="sender", host="gen1", begin=400)
    run(tree, 0, 0, *[600_000] * 60, 50_000, kind="sender_gen2", host="gen2", begin=800)
    run(tree, 0, 0, *[700_000] * 60, 50_000, kind="sender_gen2_2", host="gen2", begin=800)
    run(tree, *[900_000] * 70, 50_000, kind="sender_2", host="gen1", begin=400)
    imported, iterations = only(tree, tmp_path / "s")
    assert iterations[0].metrics["offered"].median == 3_200_000
    assert codes(iterations[0]) == {"senders-summed"}
    folder = imported.path / "off.v4" / "001"
    assert {"generator.log", "generator_2.log", "generator_gen2.log", "generator_gen2_2.log"} <= {
        path.name for path in folder.iterdir()
    }
    series = read_series(folder, read_session(imported.path))
    assert max(point.value or 0.0 for point in series.flows["offered"]) == 3_200_000


def test_a_sender_that_was_never_started_offers_nothing(tree, tmp_path):
    run(tree, *[900_000] * 60, 100_000)
    run(tree, *[1_000_000] * 60, 100_000, kind="sender")
    (tree / "bench.n1.D2.off.v4.1.sender_gen2").write_text("CMD on gen2: \nWarning: no access to tty\n")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].metrics["offered"].median == 1_000_000 and not codes(iterations[0])


@pytest.mark.parametrize("kinds", [("sender", "sender_2"), ("sender_2", "sender"), ("sender", "")])
def test_a_senders_log_that_cannot_be_read_leaves_the_load_unknown_and_is_told(tree, tmp_path, kinds):
    run(tree, *[1_000_000] * 60, 100_000)
    garbage, whole = kinds
    (tree / f"bench.n1.D2.off.v4.1.{garbage}").write_bytes(bytes(range(128, 256)) * 40)
    if whole:
        run(tree, *[1_000_000] * 60, 100_000, kind=whole)
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == 1_000_000 and "offered" not in iterations[0].metrics
    assert codes(iterations[0]) == {"sender-unread"} <= MEANING.keys()
    assert garbage.replace("sender", "generator") + ".log" in iterations[0].warnings[0].text


@pytest.mark.parametrize(
    "end", ["", "Killed\n", "Sent 60000000 packets, 3600000000 bytes each, in 60.00 seconds.\n"]
)
@pytest.mark.parametrize("several", [False, True])
def test_a_senders_log_without_rates_leaves_the_load_unknown_and_is_told(tree, tmp_path, end, several):
    run(tree, *[900_000] * 60, 100_000)
    if several:
        run(tree, *[1_000_000] * 60, 100_000, kind="sender")
    name = "sender_2" if several else "sender"
    (tree / f"bench.n1.D2.off.v4.1.{name}").write_text(f"CMD: pkt-gen -i ix0 -f tx\n{end}")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == 900_000 and "offered" not in iterations[0].metrics
    assert codes(iterations[0]) == {"sender-unread"}
    (told,) = iterations[0].warnings
    assert told.text.startswith(
        f"A generator's log has no rate (generator{name.removeprefix('sender')}.log), "
    )


def test_a_sender_that_says_it_sent_nothing_is_read(tree, tmp_path):
    run(tree, *[900_000] * 60, 100_000)
    (tree / "bench.n1.D2.off.v4.1.sender").write_text("CMD: pkt-gen -i ix0 -f tx\nSent nothing.\n")
    _, iterations = only(tree, tmp_path / "s")
    assert "sender-unread" not in codes(iterations[0])


def test_an_empty_log_is_of_no_sender(tree, tmp_path):
    run(tree, *[900_000] * 60, 100_000)
    run(tree, *[1_000_000] * 60, 100_000, kind="sender")
    (tree / "bench.n1.D2.off.v4.1.sender_2").write_text("\n")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].metrics["offered"].median == 1_000_000 and not codes(iterations[0])


def test_a_second_receiver_is_kept_and_named_and_does_not_count(tree, tmp_path):
    run(tree, *[500_000] * 60, 100_000)
    run(tree, *[400_000] * 60, 100_000, kind="receiver_2")
    _, iterations = only(tree, tmp_path / "s")
    assert iterations[0].value == 500_000
    assert codes(iterations[0]) == {"receivers-several"} <= MEANING.keys()
    (told,) = iterations[0].warnings
    assert "bench.n1.D2.off.v4.1.receiver_2" in told.text
    assert "bench.n1.D2.off.v4.1.receiver_2" in iterations[0].files
