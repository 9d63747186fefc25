"""Which columns of the table of sessions fit, the important ones first, and how wide they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fwdtui.report.cells import columns_of
from fwdtui.ui.sessions.row import Row

PADDING = 2  # cells that a column needs in addition to its content
_MARK_WORD = 9  # "candidate"
_WIDE = 120
_AGAINST = "against baseline"
_VERDICT, _VERDICT_WIDE = 15, 19  # "▼ −66.15 % (+2)"
_COUNTS = 15  # cells of "1000000/1000001", as a table cuts off text without a mark
_MEDIAN = 24  # cells that the medians get before anything less important is shown
_LEAST = 16  # cells that they get before any such thing but the verdicts and the number of iterations


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `key` names it when sorting; `width` is in cells; `right`: it is aligned to the right."""

    key: str
    title: str
    width: int
    right: bool = False


def columns(room: int, rows: Sequence[Row], against: bool = False, labs: bool = True) -> tuple[Column, ...]:
    """The columns that fit into `room` cells, from left to right.

    Labels, labs and kernels are as wide as their longest, within limits. `against`: there is a baseline, so
    the verdicts against it are wanted. `labs`: the labs are wanted.
    """
    label = _longest((row.label for row in rows), 12, 40 if room < _WIDE else 60)
    lab = _longest((row.lab for row in rows), 3, 24)
    kernel = _longest((row.kernel for row in rows), 6, 32)
    most = max((len(row.cases) for row in rows), default=1)
    median = max(_MEDIAN, min(26 * most, 78))
    enough = min(40, median)
    date = _longest((row.date for row in rows), 7, 16)
    warned = _longest((str(row.warnings) for row in rows), 1, 3)
    chosen = {"label": min(label, max(room // 4, 6)), "median": 0}
    left = room - chosen["label"] - 2 * PADDING
    word = "mark", _MARK_WORD - 1, 40
    # (key, cells, rest): what is added if the medians keep at least `rest` cells beside it
    for key, wanted, beside in (
        ("mark", 1, _LEAST),
        *([("against", _VERDICT if room < _WIDE else _VERDICT_WIDE, 12)] if against else []),
        ("iterations", _longest((row.told for row in rows), 5, _COUNTS), 8),
        ("date", date, _LEAST + (warned + PADDING if any(row.warnings for row in rows) else 0)),
        ("warnings", 4, _MEDIAN),
        ("warnings", warned, _LEAST),  # rather than none
        ("date", date, _MEDIAN),
        *([word] if against else []),
        *([("lab", lab, enough)] if labs else []),
        ("kernel", kernel, enough),
        *([] if against else [word]),
        ("cases", 6, enough),
        *([("label", label - chosen["label"], median)] if room < _WIDE else []),
    ):
        grows = key in chosen and key in ("mark", "label")
        cost = wanted if grows else wanted + PADDING
        if (grows or key not in chosen) and left - cost >= beside:
            chosen[key] = chosen.get(key, 0) + wanted
            left -= cost
    grown = min(label - chosen["label"], left - _MEDIAN)
    if room >= _WIDE and grown > 0:  # whole names matter more than a second case's median
        chosen["label"] += grown
        left -= grown
    chosen["median"] = max(left, 1)
    titles = {
        "mark": "",
        "label": "session",
        "date": "date",
        "lab": "lab",
        "kernel": "kernel",
        "cases": "cases",
        "iterations": "iter",
        "median": "median of each case, pps" if chosen["median"] >= 26 else "median, pps",
        "against": _AGAINST if room >= _WIDE else "against base",
        "warnings": "!" if room < _WIDE else "warn",
    }
    right = "cases", "iterations", "warnings"
    return tuple(
        Column(key, title, chosen[key], key in right) for key, title in titles.items() if key in chosen
    )


def _longest(texts: Iterable[str], least: int, most: int) -> int:
    return max([least, *(min(columns_of(text), most) for text in texts)])
