"""The queues and cores panels: a card's own drops, interrupts, softnet, and stages that could not be read."""

from itertools import product

import msgspec
import pytest
from rich.cells import cell_len
from textual.color import Color
from textual.geometry import Size

from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import CpuShare, HostRates, InterfaceRate, QueueRate
from fwdtui.core.lab import parse
from fwdtui.core.reason_counts import ReasonRow
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.reasons import ReasonShares
from fwdtui.monitor.live.snapshot import HostView
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, length
from fwdtui.ui.draw.view import View
from fwdtui.ui.live.cores import KINDS, _bar, _heat, _legend, kinds_of
from fwdtui.ui.live.drops import drops_rows, nic_line, reasons_line
from fwdtui.ui.live.interfaces import _row
from fwdtui.ui.live.queue_groups import Group, grouped
from fwdtui.ui.live.queue_lines import group_lines, queue_cells
from fwdtui.ui.live.queues import Queues, _why_none, irq_lines

COLORS = Palette({"foreground": "#cccccc", "error": "#ff0000", "warning": "#ffff00"}, Color(0, 0, 0))
VIEW = View(
    parse('[generator]\nhost = "gen"\ninterface = "g0"\n[dut]\nhost = "dut"\nin = "ix0"\nout = "ix1"\n')
)
MISSED = NicRate("ix0", "rx", "drops", "mac_stats.rx_missed_packets", 8.41e6)
PAUSES = NicRate("ix0", "tx", "events", "mac_stats.xoff_txd", 120.0)
NOTHING = NicRate("ix0", "rx", "errors", "mac_stats.crc_errs", 0.0)


def text(line: Line) -> str:
    return "".join(part for part, _ in line)


def test_where_there_is_no_rate_the_imbalance_is_a_dash():
    idle = grouped([QueueRate("ix0", "rx", number, pps=0.0) for number in range(4)], VIEW)
    lines = [text(line) for line in group_lines(idle[0], 2, 58, COLORS, {})]
    assert lines[0].startswith(" ix0 rx") and lines[1].startswith(" imbal – ")


def test_what_queues_drop_has_a_unit_and_a_blank_before_it():
    lossy = grouped([QueueRate("ix1", "tx", number, pps=9e3, drops=150.0) for number in range(31)], VIEW)
    assert "✕ 4.65 kpps" in " ".join(text(line) for line in group_lines(lossy[0], 1, 118, COLORS, {}))
    few = grouped([QueueRate("ix1", "tx", number, pps=9e3, drops=2.0) for number in range(31)], VIEW)
    assert "✕ 62 pps" in " ".join(text(line) for line in group_lines(few[0], 1, 118, COLORS, {}))


@pytest.mark.parametrize("queues", [4, 11, 16, 32])
def test_a_row_of_queues_with_marks_is_never_wider_than_the_panel(queues):
    lossy = grouped(
        [QueueRate("ix1", "rx", number, pps=17_100.0, drops=150.0) for number in range(queues)], VIEW
    )
    for width in range(60, 300):
        for line in group_lines(lossy[0], 1, width, COLORS, {}):
            assert len(text(line)) <= width, (width, text(line))


TWO_WAYS = (
    '[generator]\nhost = "gen"\ninterface = "g0"\n'
    '[dut]\nhost = "dut"\nin = ["ix0", "ix1"]\nout = ["ix2", "ix3"]\n'
)


def two_ways(rows: int, width: int = 80, dropped: float = 0.0) -> list[str]:
    """The panel of a DUT with two inputs and two outputs of four queues each; the last queue drops these."""
    lab = parse(TWO_WAYS)
    queues = [
        QueueRate(name, way, number, pps=1e5, drops=dropped if (name, number) == ("ix3", 3) else 0.0)
        for name, way in (("ix0", "rx"), ("ix1", "rx"), ("ix2", "tx"), ("ix3", "tx"))
        for number in range(4)
    ]
    rates = HostRates("dut", 1.0, 1.0, queues=tuple(queues), drops={"rx ring": 0.0})
    dut = HostView("dut", ("dut",), True, 0.0, rates=rates)
    snapshot = msgspec.structs.replace(Monitor(lab).snapshot(0), dut=dut)
    return [text(line) for line in Queues().draw(snapshot, View(lab), Size(width, rows), COLORS)]


def test_directions_that_have_no_room_are_counted_and_said_to_drop():
    """A terminal of 80x24 has rows for two: of four ports, all outputs would be missing without a word."""
    assert [line[:7] for line in two_ways(5)[:4]] == [" ix0 rx", " ix1 rx", " ix2 tx", " ix3 tx"]
    assert not any("more" in line for line in two_ways(5))
    first, second, drops = two_ways(3)
    assert first.startswith(" ix0 rx") and "more" not in first and drops.startswith(" drops")
    assert second.startswith(" ix1 rx") and "imbal" in second
    assert second.endswith("  +2 more: tab, m") and len(second) == 80
    assert two_ways(3, dropped=150.0)[1].endswith("  +2 more ✕: tab, m")
    narrow = two_ways(3, 40)[1]
    assert narrow.endswith("  +2 more") and len(narrow) == 40
    assert two_ways(2)[0].endswith("  +3 more: tab, m")


def irqs(interface: str, *rates: float, cores: bool = True, direction: str = "rxtx") -> list[InterruptRate]:
    return [
        InterruptRate(interface, n, direction, rate, ((n, rate),) if cores else ())
        for n, rate in enumerate(rates)
    ]


def test_what_the_card_counts_itself_stands_under_the_drivers_names_losses_marked():
    line = text(nic_line([NOTHING, PAUSES, MISSED], VIEW, COLORS, 80))
    assert line.rstrip() == " nic  ix0 rx_missed_packets ✕ 8.41 M  ix0 xoff_txd 120/s"
    assert nic_line([NOTHING], VIEW, COLORS, 80) == []


@pytest.mark.parametrize("width", [20, 38, 39, 40, 58, 118])
def test_a_counter_without_room_is_left_out_whole_and_losses_come_first(width: int):
    line = nic_line([PAUSES, MISSED], VIEW, COLORS, width)
    shown = text(line).rstrip()
    assert len(shown) <= width
    assert "xoff" not in shown or "rx_missed_packets ✕ 8.41 M" in shown


def test_a_stage_that_few_drivers_show_takes_room_only_where_it_is_known():
    (without,) = drops_rows({"rx ring": 0.0}, COLORS, 118)
    assert "filter" not in text(without) and "check" not in text(without) and "errors" not in text(without)
    (known,) = drops_rows({"card filter": 5e6, "rx ring": 0.0}, COLORS, 118)
    assert "card filter ✕ 5.00 M  rx ring 0" in text(known)


def test_drops_of_a_stage_that_was_not_read_whole_are_a_lower_bound_and_an_unread_one_says_why():
    (row,) = drops_rows(
        {"rx ring": 5e6, "netisr": 0.0, "output": 0.0},
        COLORS,
        120,
        {"rx ring": "reset", "tx soft queue": "ambiguous", "output": "missing"},
        most=2,
    )
    line = text(row)
    assert "rx ring ✕ ≥ 5.00 M" in line
    assert "input queue –  netisr 0  tx soft queue – ambiguous  output – missing" in line


def test_less_than_a_packet_a_second_that_is_lost_is_not_called_none():
    """One in two seconds; what rounding leaves of zero is none."""
    lossy, clean = ({"rx ring": lost, "output": 0.0} for lost in (0.5, 1e-9))
    assert "ring ✕ <1" in text(drops_rows(lossy, COLORS, 78)[0])
    assert "ring 0" in text(drops_rows(clean, COLORS, 78)[0])
    port = InterfaceRate("ix0", 1e6, 0.0, rx_dropped=0.4, rx_errors=0.0)
    shown = text(_row("dut ix0", port, VIEW, 10, 9, COLORS))
    assert shown.split()[-2:] == ["<1", "0"] and "✕ <1" in shown
    group = Group("ix0 rx", (QueueRate("ix0", "rx", 0, pps=5.0, drops=0.5),))
    assert next(iter(queue_cells(group)))[2] == "<1"
    lost = [QueueRate("ix0", "rx", number, pps=5.0, drops=each) for number, each in enumerate((0.5, 1e-9))]
    assert [one.marks for one in grouped(lost, VIEW)] == [("✕<1", "")]


@pytest.mark.parametrize("host", ["dut", "測定機", "測定機" * 9, "dut" * 9])
def test_the_figures_of_a_port_are_in_their_columns_whatever_its_host_is_called(host: str):
    shown = text(_row(f"{host} ix0", InterfaceRate("ix0", 1e6, 0.0, rx_dropped=0.0), VIEW, 14, 9, COLORS))
    assert cell_len(shown) == 1 + 14 + 4 * 9
    assert shown[: -4 * 9].rstrip().endswith(" ix0")


def test_where_not_all_losses_fit_the_largest_is_not_left_out():
    drops = {"rx ring": 120.0, "input queue": 35.0, "netisr": 7.0, "tx soft queue": 2.0, "output": 455_210.0}
    (line,) = drops_rows(drops, COLORS, 38)
    assert text(line).startswith(" drops out ✕ 455 k  ring ✕ 120")
    (line,) = drops_rows(drops, COLORS, 38, {"netisr": "reset"})
    assert text(line).startswith(" drops out ✕ 455 k  ring ✕ 120"), "what may be lost unseen does not hide it"


def test_a_full_drops_line_fits_the_panel_of_a_120_column_screen():
    drops = {"rx ring": 8.41e6, "netisr": 0.0, "tx soft queue": 0.0, "output": 0.0}
    (line,) = drops_rows(drops, COLORS, 58, most=2)
    assert length(line) <= 58


def test_where_rows_are_left_each_queues_interrupts_are_shown_with_their_cores():
    queues = [QueueRate(name, way, 0, pps=1.0) for name, way in (("ix0", "rx"), ("ix1", "tx"))]
    rows = [*irqs("ix0", 8000.0, 7000.0), *irqs("ix1", 381.0, cores=False)]
    lines = [text(line) for line in irq_lines(rows, grouped(queues, VIEW, rows), COLORS, 60)]
    assert lines == [" ix0 irq/s   q0 8.00 k  q1 7.00 k  on cores 0-1", " ix1 irq/s   q0 381  "]
    (all_of_64,) = irq_lines(irqs("ix0", *[1000.0] * 64), grouped(queues[:1], VIEW), COLORS, 60)
    assert text(all_of_64) == " ix0 irq/s   all 64.0 k  on cores 0-63"


def test_where_a_queue_has_an_interrupt_for_each_direction_they_are_told_apart():
    """virtio's ``input.0`` and ``output.0``: both were "q0"."""
    groups = grouped([QueueRate("eth1", "rx", 0, pps=1.0)], VIEW)
    rows = [
        *irqs("eth1", 17e3, cores=False, direction="rx"),
        *irqs("eth1", 12.0, cores=False, direction="tx"),
    ]
    (line,) = irq_lines(rows, groups, COLORS, 60)
    assert text(line) == " eth1 irq/s  rx0 17.0 k  tx0 12  "


def test_interrupts_stand_in_for_queues_whose_packets_the_driver_does_not_count():
    silent = [QueueRate("ix0", "rx", n, pps=None) for n in range(2)]
    (first, second) = grouped(silent, VIEW, [*irqs("ix0", 900.0, 100.0), *irqs("ix1", 5.0)])
    assert first.name == "ix0 irq" and [queue.pps for queue in first.queues] == [900.0, 100.0]
    assert first.by_interrupts and first.imbalance == pytest.approx(1.8)
    assert second.name == "ix1 irq"
    counted = [QueueRate("ix0", "rx", n, pps=5.0) for n in range(2)]
    assert [group.name for group in grouped(counted, VIEW, irqs("ix0", 900.0, 100.0))] == ["ix0 rx"]


def test_a_queue_that_is_shown_by_its_interrupts_shows_what_it_drops_and_that_it_is_stalled():
    """A driver may count a queue's losses and not its packets: newer virtio_net, iflib's soft rings."""
    counted = [
        QueueRate("ix1", "tx", 0, drops=0.0, state="IDLE"),
        QueueRate("ix1", "tx", 1, drops=4650.0, state="STALLED"),
    ]
    (group,) = grouped(counted, VIEW, irqs("ix1", 900.0, 100.0, direction="tx"))
    assert group.by_interrupts and [queue.pps for queue in group.queues] == [900.0, 100.0]
    assert group.marks == ("", "✕4.65 k stalled") and group.drops == 4650.0


def softnet(cpu: int, dropped: float, squeezed: float, limited: float = 0.0) -> SoftnetRate:
    return SoftnetRate(cpu, 1e6, dropped, squeezed, limited)


def test_the_cores_panel_says_which_backlog_drops_and_how_often_the_budget_was_used_up():
    rows = [softnet(0, 0.0, 12.0), softnet(1, 120_000.0, 18.0), softnet(3, 5.0, 0.0, limited=5.0)]
    wide = text(_legend(COLORS, rows, 120, compact=False))
    assert "cores 1, 3 backlog ✕ 120 k  flow limit ✕ 5  budget used up 30/s" in wide
    narrow = _legend(COLORS, rows, 64, compact=False)
    assert length(narrow) <= 64
    assert "backlog" not in text(_legend(COLORS, [softnet(0, 0.0, 0.0)], 120, compact=False))


def test_the_rows_of_many_cores_are_named_by_their_own_numbers_where_others_are_offline():
    cores = [CpuShare(number, 0.5, 0.0, 0.5, 0.0, 0.0) for number in range(0, 128, 2)]
    for width, names in ((60, ["0", "mostly", "102", "mostly"]), (118, ["0-126", "mostly"])):
        rows = [text(line)[:8].strip() for line in _heat(cores, 9, width, COLORS)]
        assert rows[-len(names) :] == names


def test_queues_that_tell_nothing_have_a_sentence_and_no_row_of_dashes():
    silent = [QueueRate("ix0", "rx", number, pps=None) for number in range(4)]
    for rows, width in ((1, 118), (2, 58), (4, 78)):
        lines = [text(line) for line in group_lines(grouped(silent, VIEW)[0], rows, width, COLORS, {})]
        assert lines == [" ix0 rx      – no packet counts of its 4 queues"]
    one = grouped(silent[:1], VIEW)[0]
    assert (
        text(next(iter(group_lines(one, 1, 58, COLORS, {}))))
        == " ix0 rx      – no packet counts of its queue"
    )


@pytest.mark.parametrize("name", ["ix0", "enp65s0f0np0", "enp129s0f1np1"])
@pytest.mark.parametrize("by_interrupts", [False, True])
def test_no_figure_is_cut_beside_a_long_name(name, by_interrupts):
    """Of ``17.1…`` nobody can say whether it is thousands or millions."""
    for count, width, rows in product((4, 8, 12, 32, 128), (58, 78, 80, 100), (1, 2, 3, 4, 8)):
        queues = tuple(
            QueueRate(name, "rx", number, pps=17_100.0 + 1000 * number, drops=float(number == 0) * 1234.0)
            for number in range(count)
        )
        marks = ("✕1.23 k", *[""] * (count - 1))
        group = Group(f"{name} {'irq' if by_interrupts else 'rx'}", queues, by_interrupts, marks)
        for line in group_lines(group, rows, width, COLORS, {}):
            assert length(line) <= width, (count, width, rows, text(line))
        first = text(next(iter(group_lines(group, rows, width, COLORS, {}))))
        assert first.startswith(f" {group.name} "), first


def test_no_driver_is_blamed_where_interfaces_without_queues_were_chosen():
    chosen = msgspec.structs.replace(VIEW, interfaces=("gen g0",))
    rates = HostRates("dut", 1.0, 1.0, queues=(QueueRate("ix0", "rx", 0, pps=5.0),))
    assert grouped(rates.queues, chosen) == []
    assert _why_none(rates, chosen) == "no queues of the interfaces that are shown"
    assert _why_none(HostRates("dut", 1.0, 1.0), VIEW) == "this driver does not report its queues"
    once = HostRates("dut", 1.0, 1.0, awaits_queues=True)
    assert _why_none(once, VIEW) == "waiting for the queues to be read again"


@pytest.mark.parametrize("known", [{"pps": 0.0}, {"drops": 5.0}, {"state": "STALLED"}])
def test_a_row_with_one_thing_to_tell_is_shown(known):
    queues = [QueueRate("ix0", "rx", 0), QueueRate("ix0", "rx", 1, **known)]
    lines = [text(line) for line in group_lines(grouped(queues, VIEW)[0], 1, 78, COLORS, {})]
    assert "q0" in lines[0] and "no packet counts" not in lines[0]


def test_a_host_without_drop_counters_has_a_sentence_and_one_with_a_cause_has_its_stages():
    told = [text(row) for row in drops_rows({}, COLORS, 78)]
    assert told == [" drops – this host reports no drop counters"]
    assert text(drops_rows({}, COLORS, 78, none="no sample (reboot)")[0]) == " drops – no sample (reboot)"
    assert "ring – reset" in text(drops_rows({}, COLORS, 78, {"rx ring": "reset"})[0])
    assert "ring 0" in text(drops_rows({"rx ring": 0.0}, COLORS, 78)[0])


BACKLOG = ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", 970, "ix0")
RULE = ReasonRow("NETFILTER_DROP", "nft_do_chain", 30, "ix0")


def test_why_packets_are_dropped_is_told_in_shares_the_largest_first():
    both = ReasonShares((BACKLOG, RULE), 1000)
    line = text(reasons_line(both, {}, COLORS, 118)).rstrip()
    assert line == " why   97.0 % CPU_BACKLOG at enqueue_to_backlog  3.0 % NETFILTER_DROP at nft_do_chain"
    few = msgspec.structs.replace(RULE, count=3)
    line = text(reasons_line(ReasonShares((BACKLOG, few), 10_000), {}, COLORS, 118)).rstrip()
    assert line.endswith("  <0.1 % NETFILTER_DROP at nft_do_chain")
    short = text(reasons_line(both, {}, COLORS, 58)).rstrip()
    assert short == " why   97.0 % CPU_BACKLOG at enqueue_to_backlog"
    assert length(reasons_line(both, {}, COLORS, 30)) <= 32
    assert text(reasons_line(ReasonShares((), 0), {}, COLORS, 58)) == " why   no drops counted by reason"


def test_a_stage_that_drops_without_a_reason_is_named_beside_the_shares_of_the_others():
    found = ReasonShares((BACKLOG,), 970, frozenset({"input queue"}))
    drops = {"rx ring": 0.0, "input queue": 4_400.0, "output": 7_770.0}
    line = text(reasons_line(found, drops, COLORS, 78))
    assert line == " why   100.0 % CPU_BACKLOG at enqueue_to_backlog  out: reason unknown"
    assert "  output: reason unknown" in text(reasons_line(found, drops, COLORS, 118))
    narrow = reasons_line(found, drops, COLORS, 58)
    assert text(narrow).endswith("…  out: reason unknown") and length(narrow) <= 60
    explained = msgspec.structs.replace(found, stages=frozenset({"input queue", "output"}))
    assert "unknown" not in text(reasons_line(explained, drops, COLORS, 78))
    machine = msgspec.structs.replace(found, machine=True)
    told = "  output: reason unknown  of the whole machine"
    assert text(reasons_line(machine, drops, COLORS, 118)).endswith(told)
    assert text(reasons_line(machine, {}, COLORS, 58)).endswith("  of the whole machine")


STOLEN = CpuShare(0, 1.0, 0.0, 0.05, 0.0, 0.55, 0.4)


def test_what_a_hypervisor_took_has_its_own_part_of_a_full_bar_and_of_the_legend():
    bar = text(_bar(STOLEN, 32, "", COLORS))
    assert (bar.count("▓"), bar.count("▒"), bar.count("╱"), bar.count("·")) == (12, 1, 8, 0)
    for width, name in ((120, "steal (h)"), (64, "steal")):
        legend = _legend(COLORS, (), width, False, [STOLEN])
        assert f"╱╱ {name}  " in text(legend) and length(legend) <= width
    mostly = msgspec.structs.replace(STOLEN, softirq=0.05, steal=0.9)
    rows = [text(line) for line in _heat([mostly] * 40, 2, 90, COLORS)]
    assert " mostly " + "h" * 40 in rows[1] and rows[1].endswith(" u user h steal")


@pytest.mark.parametrize("heat", [False, True])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("cpu", [STOLEN, msgspec.structs.replace(STOLEN, steal=0.0)])
def test_the_legend_of_the_cores_has_whole_names_on_every_width(cpu, compact, heat):
    all_names = [name for name, _, _ in kinds_of([cpu])]
    for width in range(20, 120):
        legend = _legend(COLORS, (), width, compact, [cpu], heat=heat)
        names = [word for word in text(legend).split() if word.isalpha() and word.islower() and len(word) > 1]
        assert length(legend) <= width and names == all_names[: len(names)], width
        assert width < 45 or names == all_names
        signs = [sign if not heat or width >= 70 else letter for _, sign, letter in KINDS]
        assert all(sign in text(legend) for sign, _ in zip(signs, names, strict=False))


def test_the_letters_of_many_cores_are_explained_by_whole_names_the_ones_that_are_shown_first():
    soft, user = CpuShare(0, 1.0, 0.0, 0.0, 0.0, 0.9), CpuShare(0, 1.0, 0.9, 0.0, 0.0, 0.0)
    assert text(list(_heat([soft, user] * 8, 2, 80, COLORS))[1]).endswith("  i irq s softirq k sys u user")
    for width in range(40, 100):
        row = text(list(_heat([soft, user] * 32, 2, width, COLORS))[1])
        assert len(row) <= width and row.partition("  ")[2] in (
            "",
            "s softirq",
            "s softirq u user",
            "i irq s softirq k sys u user",
        )


def test_where_nothing_is_taken_by_a_hypervisor_nothing_is_said_of_it():
    for cpu in (msgspec.structs.replace(STOLEN, steal=none) for none in (0.0, 0.0049, None)):
        assert kinds_of([cpu]) == KINDS[:-1]
        assert "steal" not in text(_legend(COLORS, (), 120, False, [cpu]))
