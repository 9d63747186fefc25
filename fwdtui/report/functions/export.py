"""The tables of a profile as JSON and CSV, for programs: every function, and numbers that are not rounded."""

from collections.abc import Sequence
from typing import Any

import msgspec

from fwdtui.core.profile.functions import Row
from fwdtui.core.profile.scale import Scale
from fwdtui.report.functions.tables import Shown
from fwdtui.report.json_format import document
from fwdtui.report.plotting import as_csv

SCHEMA = 1
_SIDES = ("base", "other")


def json(listings: Sequence[Shown], notes: Sequence[str] = ()) -> str:
    """A JSON document with "comparisons" of two profiles each, or else with "profiles" (docs/profiles.md)."""
    two = any(len(one.sides) > 1 for one in listings)
    key = "comparisons" if two else "profiles"
    return document({"schema": SCHEMA, key: [_plain(one) for one in listings], "notes": list(notes)})


def csv(listings: Sequence[Shown]) -> str:
    """A line for each function of each table. An empty field: not known."""
    head = ["case", "table", "function"]
    two = any(len(one.sides) > 1 for one in listings)
    sides = _SIDES if two else ("profile",)
    for what in ("samples", "share_percent", "per_million_packets"):
        head += [f"{side}_{what}" for side in sides]
    head += ["difference_points", "difference_per_million_packets", "shares_of"] if two else ["shares_of"]
    rows = []
    for listing in listings:
        for table in listing.tables:
            for row in (*table.rows, *([table.others] if table.others else [])):
                cells = [
                    listing.case,
                    table.kind,
                    row.name or f"({row.others} others)",
                    *map(str, row.samples),
                ]
                none = [""] * len(row.samples)
                for scale in (listing.share, listing.packets):
                    cells += none if scale is None else map(_exact, scale.values(row.samples))
                if two:
                    moved = (_moved(listing.share, row), _moved(listing.packets, row))
                    cells += ["" if value is None else _exact(value) for value in moved]
                rows.append([*cells, listing.basis])
    return as_csv(head, rows).decode().replace("\r\n", "\n")  # line ends of a terminal, not of RFC 4180


def _plain(one: Shown) -> dict[str, Any]:
    two = len(one.sides) > 1
    sides = {}
    for n, (side, functions) in enumerate(zip(one.sides, one.functions, strict=True)):
        cut = functions.mended.depth
        sides[_SIDES[n] if two else "profile"] = {
            "label": side.label,
            "case": side.case,
            "iteration": side.index,
            "samples": functions.busy + functions.idle,
            "idle": functions.idle,
            "idle_share": functions.idle_share,
            "tool": side.profile.tool,
            "event": side.profile.event,
            "packets": side.profile.packets,
            "profile": msgspec.to_builtins(side.profile),
            "cut_at_frames": cut and cut.frames,
            "cut_assumed": (cut and cut.assumed) or None,
        }
    tables = {table.kind: [_row(one, row) for row in table.rows] for table in one.tables}
    others = {table.kind: _row(one, table.others) for table in one.tables if table.others}
    return {
        "case": one.case,
        **sides,
        "shares_of": one.basis,
        **tables,
        "others": others,
        "notes": list(one.notes),
    }


def _row(one: Shown, row: Row) -> dict[str, Any]:
    two = len(one.sides) > 1
    entry: dict[str, Any] = {"function": row.name or None}
    if row.others:
        entry["functions"] = row.others
    shares = one.share.values(row.samples)
    rates = one.packets.values(row.samples) if one.packets else (None,) * len(row.samples)
    for n, samples in enumerate(row.samples):
        values = {"samples": samples, "share_percent": shares[n], "per_million_packets": rates[n]}
        if not two:
            return entry | values
        entry[_SIDES[n]] = values
    order = one.packets or one.share
    entry["difference"] = {
        "points": _moved(one.share, row),
        "per_million_packets": _moved(one.packets, row),
        "beyond_counting": None if row.others else order.differs(row.samples),
    }
    return entry


def _moved(scale: Scale | None, row: Row) -> float | None:
    return None if scale is None else scale.difference(row.samples)


def _exact(value: float) -> str:
    return repr(value)
