"""Lines that say where packets are lost: drops by stage, and the NIC drivers' own counters."""

from collections.abc import Iterable, Mapping, Sequence

from fwdtui.core.drop_reasons_text import named, percent
from fwdtui.core.drop_stages import STAGES, listed
from fwdtui.core.host_evidence import NicRate
from fwdtui.core.units import si
from fwdtui.monitor.live.reasons import ReasonShares
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, length
from fwdtui.ui.draw.view import NONE, View, lost_figure

_DROPS = " drops "
_WHY = " why   "
_SHORT_BELOW = 84  # columns of the panel
_SHORT = {
    "frame check": "check",
    "card filter": "filter",
    "input errors": "errors",
    "rx ring": "ring",
    "input queue": "input",
    "tx soft queue": "tx soft",
    "output": "out",
}


def nic_line(rows: Sequence[NicRate], view: View, colors: Palette, width: int) -> Line:
    """The NIC drivers' counters of losses, errors and pauses, under their own names; empty if none moves.

    They repeat what the stages show. Counters that do not fit are left out, those of losses last.
    """
    moving = [row for row in rows if (row.per_second or 0.0) >= 1.0]
    if view.interfaces is not None:
        moving = [row for row in moving if f"{view.lab.dut.host} {row.interface}" in view.interfaces]
    moving.sort(key=lambda row: (row.kind != "drops", -(row.per_second or 0.0)))
    line: Line = [(" nic  ", colors["dim"])]
    for row in moving:
        lost = row.kind == "drops"
        name = f"{row.interface} {row.name.rpartition('.')[2] if row.name.count('.') == 1 else row.name} "
        often = f"{'✕ ' if lost else ''}{si(row.per_second or 0.0, 3)}{'' if lost else '/s'}  "
        if length(line) + len(f"{name}{often.rstrip()}") <= width:
            line += [(name, colors["dim"]), (often, colors.bold("drops") if lost else colors["text"])]
    return line if len(line) > 1 else []


def unexplained(reasons: ReasonShares, drops: Mapping[str, float]) -> list[str]:
    """The stages that drop packets now and for which no reason was counted: the shares leave them out."""
    losing = [stage for stage in STAGES if lost_figure(drops.get(stage, 0.0)) != "0"]
    return [stage for stage in losing if stage not in reasons.stages]


def reasons_line(reasons: ReasonShares, drops: Mapping[str, float], colors: Palette, width: int) -> Line:
    """Why packets were dropped in the last seconds: the share of each of the DUT's drop reasons.

    The largest comes first, and what does not fit is left out. `drops`: per second, by stage. Stages without
    a reason are always named, as "100.0 %" would else be read as all that is lost, and so is a whole machine.
    """
    line: Line = [(_WHY, colors["dim"])]
    if not reasons.drops:
        return [*line, ("no drops counted by reason", colors["dim"])]
    silent = ", ".join(_name(stage, width) for stage in unexplained(reasons, drops))
    notes = [f"{silent}: reason unknown"] * bool(silent) + ["of the whole machine"] * reasons.machine
    rest: Line = [("  ".join(notes), colors["dim"])] if notes else []
    width -= length(rest)
    for row in reasons.rows:
        share, name = f"{percent(reasons.share(row))} ", named(row)
        room = width - length(line) - len(share)
        if len(line) == 1 and len(name) > room:
            name = f"{name[: max(room - 1, 1)]}…"
        if len(name) <= room:
            line += [(share, colors.bold("drops")), (f"{name}  ", colors["text"])]
    return [*line, *rest]


def drops_rows(
    drops: Mapping[str, float],
    colors: Palette,
    width: int,
    unread: Mapping[str, str] | None = None,
    most: int = 1,
    *,
    none: str = "this host reports no drop counters",
) -> list[Line]:
    """The drop stages in the order in which a packet passes them, each with its drops per second.

    A stage that the host does not report has a dash. There are at most `most` rows; if not all stages fit,
    those with losses come first, the largest before the others. `unread`: stages with a counter that could
    not be read, and why; their number is a lower bound and marked as such. `none`: why no stage is known.
    """
    if not _told(drops, unread):
        return [[(_DROPS, colors["dim"]), (f"{NONE} {none}", colors["dim"])]]
    stages = _stages(drops, colors, width, unread)
    rows = _packed([line for _, _, line in stages], width, colors)
    if len(rows) > most:
        stages.sort(key=lambda stage: (not stage[0], -stage[1]))
        rows = _packed([line for _, _, line in stages], width, colors)[:most]
    return rows


def drops_cells(
    drops: Mapping[str, float], colors: Palette, unread: Mapping[str, str], *, none: str
) -> Iterable[Sequence[str]]:
    """The same as rows to copy, one for each stage."""
    if not _told(drops, unread):
        yield "drops", f"{NONE} {none}"
        return
    for _, _, line in _stages(drops, colors, _SHORT_BELOW, unread):
        stage, *lost = (text for text, _ in line)
        yield f"drops: {stage.strip()}", "".join(lost).strip()


def _told(drops: Mapping[str, float], unread: Mapping[str, str] | None) -> bool:
    """Whether any stage is known, or why it is not."""
    return bool(unread) or any(stage in drops for stage in STAGES)


def _packed(stages: Sequence[Line], width: int, colors: Palette) -> list[Line]:
    rows: list[Line] = []
    for line in stages:
        more = _joined(line, not rows, colors)
        if rows and length(rows[-1]) + length(more) <= width:
            rows[-1] += more
        elif not rows:
            rows.append(more)
        else:
            rows.append([(" " * len(_DROPS), colors["dim"]), *line])
    return rows


def _joined(line: Line, first: bool, colors: Palette) -> Line:
    return [(_DROPS if first else "  ", colors["dim"]), *line]


def _name(stage: str, width: int) -> str:
    return _SHORT.get(stage, stage) if width < _SHORT_BELOW else stage


def _stages(
    drops: Mapping[str, float], colors: Palette, width: int, unread: Mapping[str, str] | None
) -> list[tuple[bool, float, Line]]:
    """For each stage: whether it drops packets or may do so unseen, its known drops per second, its text."""
    gaps = unread or {}
    lines: list[tuple[bool, float, Line]] = []
    for stage in listed(drops, gaps):
        lost, why = drops.get(stage), gaps.get(stage, "")
        line: Line = [(f"{_name(stage, width)} ", colors["dim"])]
        if lost is None or (lost < 1.0 and why):
            line.append((NONE, colors["dim"]))
            if why:
                line.append((f" {why}", colors["warning"]))
        elif (figure := lost_figure(lost, 3)) == "0":
            line.append((figure, colors["text"]))
        else:
            line.append((f"✕ {'≥ ' if why else ''}{figure}", colors.bold("drops")))
        lines.append((bool(why) or lost_figure(lost or 0.0) != "0", lost or 0.0, line))
    return lines
