"""Why packets were dropped, in comparisons: shares of what was offered, of what was counted whole."""

import json
from pathlib import Path

import msgspec
from rich.style import Style

from fwdtui.core.drop_reasons import joined
from fwdtui.core.drop_reasons_text import why_lost
from fwdtui.core.model import Iteration, Packets
from fwdtui.core.reason_counts import OTHER, DropReasons, ReasonRow
from fwdtui.report import comparison, drop_reasons, json_format, markdown
from fwdtui.report.comparison import Compared
from fwdtui.report.document import Document
from fwdtui.store import SessionWriter, read_session
from fwdtui.ui.compare.reasons import reasons
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.iteration_text import packets_text

BACKLOG, RULE = "CPU_BACKLOG at enqueue_to_backlog", "NETFILTER_DROP at nft_do_chain"


def packets(backlog: int, rule: int, *, whole: bool = True, left: int = 0) -> Packets:
    """Of 100 000 packets the backlog lost so many, a rule so many, and what is left is in no counter."""
    rows = (
        ReasonRow("NETFILTER_DROP", "nft_do_chain", 90_000, "sink0", OTHER),
        ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", backlog, "dut0", stage="input queue"),
        ReasonRow("NETFILTER_DROP", "nft_do_chain", rule, "dut0", stage="in no counter"),
    )
    forwarded = 100_000 - backlog - rule - left
    account = Packets(100_000, 100_000 - backlog, forwarded, forwarded, {"input queue": backlog}, rule + left)
    return joined(account, DropReasons("bpftrace", "namespace", 10.0 if whole else 8.0, whole, rows))


def recorded(folder: Path, label: str, *accounts: Packets | None) -> Path:
    with SessionWriter.create(folder / label, label=label, created="2026-01-02T03:04:05+00:00") as writer:
        for number, account in enumerate(accounts):
            writer.begin("x").commit(Iteration(0, 1000.0 + number, source="log", packets=account))
    return folder / label


def judged(tmp_path: Path) -> Compared:
    old = recorded(tmp_path, "old", packets(4_000, 0), packets(6_000, 0), packets(1, 0, whole=False))
    new = recorded(tmp_path, "new", packets(1_000, 20_000, left=500), None, packets(1_000, 10_000))
    return comparison.judge(comparison.load([old, new]), 1.0, 95.0)


def test_iterations_of_which_a_sender_is_unknown_are_left_out_and_it_is_told() -> None:
    """The attacker's host was lost: what was dropped of its packets is no share of the wanted ones."""
    known, unknown = packets(4_000, 0), msgspec.structs.replace(packets(90_000, 0), unaccounted=None)
    side = drop_reasons.side_of(
        "new", [Iteration(n, 1.0, packets=one) for n, one in enumerate((known, unknown))]
    )
    assert (side.lost, side.counted, side.of) == (0.04, 1, 2)
    assert drop_reasons.UNKNOWN in side.notes
    alone = drop_reasons.side_of("new", [Iteration(1, 1.0, packets=unknown)])
    assert (alone.shares, alone.counted, alone.notes) == ({}, 0, (drop_reasons.UNKNOWN,))


def test_a_session_keeps_its_reasons(tmp_path: Path) -> None:
    account = packets(4_000, 20_000)
    (case,) = read_session(recorded(tmp_path, "s", account)).cases
    assert case.iterations[0].packets == account


def test_the_reasons_that_are_not_listed_are_one_row_that_counts_them() -> None:
    def last(count: int) -> str:
        shares = {f"reason {n:02}": (100 - n) / 1000 for n in range(count)}
        side = drop_reasons.SideReasons("a", shares, sum(shares.values()), 1, 1)
        return drop_reasons.rows(side, side)[-1][0]

    assert [last(count) for count in (12, 13, 14)] == ["reason 11", "1 other", "2 others"]


def test_a_share_of_few_packets_does_not_look_like_none() -> None:
    shares = [drop_reasons.percent(share) for share in (None, 0.0, 4e-6, 6e-6, 0.04204)]
    assert shares == ["–", "0.000 %", "<0.001 %", "0.001 %", "4.204 %"]


def test_shares_are_sums_over_the_iterations_that_were_counted_whole(tmp_path: Path) -> None:
    compared = judged(tmp_path)
    old, new = drop_reasons.sides(compared, compared.judged[0])
    assert (old.counted, old.of, new.counted, new.of) == (2, 3, 2, 3)
    assert old.shares == {f"{BACKLOG} (input queue)": 0.05}
    assert new.shares == {
        RULE: 0.15,
        f"{BACKLOG} (input queue)": 0.01,
        "in no counter, without a reason": 0.0025,
    }
    assert (old.lost, new.lost) == (0.05, 0.1625)
    assert sum(new.shares.values()) == new.lost
    assert old.notes == ("Counted during only 8.0 s of the blast, so not compared with the counters.",)
    assert drop_reasons.rows(old, new)[0] == (RULE, 0.0, 0.15)


def test_a_reason_that_dropped_nothing_is_no_share_and_no_error(tmp_path: Path) -> None:
    account = packets(4_000, 0)
    assert why_lost(account) == "4.0 % lost: 100.0 % of it CPU_BACKLOG at enqueue_to_backlog."
    edited = msgspec.structs.replace(
        account, reasons=msgspec.structs.replace(account.reasons, explained={"in no counter": 5})
    )
    assert "NETFILTER" not in why_lost(edited)
    assert drop_reasons.side_of("old", [Iteration(1, 1.0, packets=edited)]).lost == 0.04


def test_json_and_report_have_the_same_numbers(tmp_path: Path) -> None:
    compared = judged(tmp_path)
    found = drop_reasons.compared_json(compared)
    told = json.loads(json_format.render([one.comparison for one in compared.judged], drop_reasons=found))
    (one,) = told["drop_reasons"]
    assert (one["case"], [side["label"] for side in one["sides"]]) == ("x", ["old", "new"])
    assert one["sides"][1]["reasons"][RULE] == 0.15
    text = markdown.render(Document(compared))
    assert f"| `{RULE}` | 0.000 % | 15.000 % |" in text
    assert "| all lost packets | 5.000 % | 16.250 % |" in text
    assert "Counted in 2 of 3 iterations of old and 2 of 3 iterations of new." in text


def test_the_tab_has_them_too_and_a_side_that_counted_none_has_dashes(tmp_path: Path) -> None:
    styles = Styles({})
    sets = [[Iteration(1, 1.0, packets=packets(1_000, 20_000))], [Iteration(1, 1.0)]]
    text = reasons(("old", "new"), sets, 100, styles)
    assert text is not None
    lines = [" ".join(line.split()) for line in text.plain.splitlines()]
    assert lines == [
        "why dropped, of what was offered baseline candidate",
        f"{RULE} 20.000 % –",
        f"{BACKLOG} (input queue) 1.000 % –",
        "all lost packets 21.000 % –",
        "Counted in 1 of 1 iteration of old and 0 of 1 iteration of new.",
    ]
    assert reasons(("old", "new"), [[Iteration(1, 1.0)]] * 2, 100, styles) is None
    assert isinstance(styles["drops"], Style)


def test_under_an_attack_the_shares_are_said_to_be_of_all_that_was_sent(tmp_path: Path) -> None:
    plain = packets(4_000, 0)
    attacked = msgspec.structs.replace(plain, offered=60_000, attack=40_000)
    sets = [[Iteration(1, 1.0, packets=attacked)]] * 2
    tab = reasons(("old", "new"), sets, 100, Styles({}))
    assert tab is not None
    assert tab.plain.startswith("why dropped, of all that was sent, the attack too ")
    sides = [recorded(tmp_path, label, attacked) for label in ("old", "new")]
    text = markdown.render(Document(comparison.judge(comparison.load(sides), 1.0, 95.0)))
    assert "dropped by the DUT, of all that was sent, the attack too |" in text
    assert "| all lost packets | 4.000 % | 4.000 % |" in text
    text = markdown.render(Document(judged(tmp_path / "plain")))
    assert "dropped by the DUT, of what was offered |" in text


def test_an_iteration_says_what_each_reason_explains_and_what_has_none() -> None:
    text = packets_text(packets(4_000, 20_000, left=500))
    lines = [" ".join(line.split()) for line in text.plain.splitlines()]
    start = lines.index(
        f"24.5 % lost: 81.6 % of it {RULE}, 16.3 % {BACKLOG}, 2.0 % in no counter and without a reason."
    )
    assert lines[start + 1 :] == [
        "drop reason packets explains",
        f"{RULE} 90 000 in another network namespace on sink0",
        f"{BACKLOG} 4 000 input queue on dut0",
        f"{RULE} 20 000 in no counter on dut0",
        "no reason 500 in no counter",
    ]
    hostile = msgspec.structs.replace(packets(1, 1), offered=None)
    assert "packets lost" in packets_text(hostile).plain
