"""The SVG documents. The same profiles always give the same bytes.

They are written as the charts are (`report/svgfile.py`): no maintained library draws flame graphs
(docs/flame-graphs.md).
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from zlib import crc32

from fwdtui.core.profile.call_tree import CallTree, Frame, IsIdle, call_tree
from fwdtui.core.profile.cut_stacks import mend
from fwdtui.core.profile.scale import SHARE, Scale
from fwdtui.core.profile.suffixes import aligned
from fwdtui.report.cells import ELLIPSIS, columns_of, wrap
from fwdtui.report.flame import words
from fwdtui.report.flame.layout import Box, Layout, Taken, layout, scale_of
from fwdtui.report.svgfile import add, document, px, written
from fwdtui.stats.figures import number

WIDTH, SIDE = 1200, 10  # pixels: the picture, and its margins
_FULL = WIDTH - 2 * SIDE
_ROW = 17  # pixels from one frame to the one on it
_LETTER = 6.7  # pixels of a character of _FONT at 11 pixels, in the widest of the usual fonts
_LINE = 15
_WRAPPED = 170  # columns of a line above the frames
_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_WARM = ("#ffd9a0", "#ffe0b0", "#ffcf8f", "#f9e3a6", "#ffe8c2", "#fbd58a")
_GROWS = ("#fff0e0", "#ffd3a6", "#ffb066", "#f58a2b")
_SHRINKS = ("#e6f1fa", "#bfddf3", "#93c6ea", "#5faae0")
_HATCH = "#0072b2"
_LIKE = "#ededed"
_STYLE = f"""
text {{ font: 11px {_FONT}; fill: #000; }}
.f text {{ pointer-events: none; paint-order: stroke; stroke: #fff; stroke-width: 2px; stroke-opacity: .6; }}
.f rect {{ stroke: #fff; stroke-width: .6; }}
.f:hover rect {{ stroke: #000; stroke-width: 1.2; }}
.f {{ cursor: pointer; }}
.head {{ font-size: 15px; font-weight: bold; }}
.said {{ fill: #333; }}
.under {{ opacity: .55; }}
.searched .f {{ opacity: .35; }}
.searched .hit {{ opacity: 1; }}
.hit rect {{ stroke: #000; stroke-width: 1.6; }}
.hit text {{ font-weight: bold; }}
#back {{ display: none; cursor: pointer; font-weight: bold; text-decoration: underline; }}
@media print {{ .control, #back {{ display: none; }} }}
"""

Fill = Callable[[Box], tuple[str, str]]
"""Gives a frame's colour or pattern, and the text that follows its name."""


def flame_graph(one: Taken, idle: IsIdle, title: str = "") -> bytes:
    """The flame graph of a profile. `title`: what was measured; the profile's label follows it."""
    mended = mend(one.folded, idle, one.depth)
    tree = call_tree([mended.folded], idle)
    scale = scale_of(tree, [one])
    placed = layout(tree, scale)
    heading = ": ".join(words.plain(part, 120) for part in (title, one.label) if part)
    document = _Document(heading or "flame graph", words.of_one(tree, one, mended, placed))

    def fill(box: Box) -> tuple[str, str]:
        return _WARM[crc32(box.frame.name.encode("utf-8", "surrogatepass")) % len(_WARM)], ""

    return document.finished(tree, placed, lambda frame, name: words.title_of_one(frame, scale, name), fill)


def differential(base: Taken, other: Taken, idle: IsIdle, title: str = "") -> bytes:
    """The differential flame graph: both profiles' frames, in the colour of what `other` has more or less."""
    named = aligned([base.folded, other.folded])
    depths = (base.depth, other.depth)
    mended = [mend(folded, idle, depth) for folded, depth in zip(named.profiles, depths, strict=True)]
    tree = call_tree([one.folded for one in mended], idle)
    scale = scale_of(tree, [base, other])
    placed = layout(tree, scale)
    heading = " against ".join(words.plain(one.label, 60) for one in (other, base))
    heading = f"{words.plain(title, 120)}: {heading}" if title else heading
    said = words.of_two(tree, [base, other], mended, scale, placed)
    document = _Document(heading, [*said, *words.renamed(named)])
    moved = [box.frame.samples for box in placed.boxes if scale.differs(box.frame.samples)]
    most = max((abs(scale.difference(samples)) for samples in moved), default=0.0)
    document.hatched()
    document.legend(most, scale)

    def fill(box: Box) -> tuple[str, str]:
        difference = scale.difference(box.frame.samples)
        if not most or not scale.differs(box.frame.samples):
            return _LIKE, ""
        return _colour(difference, most), f" {_signed(difference, scale)}"

    return document.finished(tree, placed, lambda frame, name: words.title_of_two(frame, scale, name), fill)


def _colour(difference: float, most: float) -> str:
    """Growing is plain and orange, shrinking hatched and blue; the more, the darker."""
    level = min(int(abs(difference) / most * len(_GROWS)), len(_GROWS) - 1)
    return _GROWS[level] if difference > 0 else f"url(#less{level})"


def _signed(difference: float, scale: Scale) -> str:
    return number(difference, 2 if scale.unit == SHARE else words.decimals(difference), sign=True)


class _Document:
    """An SVG from its top to its bottom."""

    def __init__(self, heading: str, said: list[str]) -> None:
        self.svg = document(heading)
        for name, figure in (("left", SIDE), ("full", _FULL), ("letter", _LETTER)):
            self.svg.set(f"data-{name}", str(figure))
        add(self.svg, "desc", " ".join(said))
        add(self.svg, "style", _STYLE)
        add(self.svg, "rect", width="100%", height="100%", fill="#fff")
        self._top = 24
        add(self.svg, "text", heading, {"class": "head"}, x=SIDE, y=self._top)
        for line in (part for sentence in said for part in wrap(sentence, _WRAPPED)):
            self._top += _LINE
            add(self.svg, "text", line, {"class": "said"}, x=SIDE, y=self._top)

    def hatched(self) -> None:
        """Add the patterns of what shrinks: lines that can be seen in print and without colours."""
        defs = add(self.svg, "defs")
        for level, colour in enumerate(_SHRINKS):
            pattern = add(
                defs,
                "pattern",
                id=f"less{level}",
                width=6,
                height=6,
                patternUnits="userSpaceOnUse",
                patternTransform="rotate(45)",
            )
            add(pattern, "rect", width=6, height=6, fill=colour)
            add(pattern, "rect", width=0.9, height=6, fill=_HATCH, opacity=0.7)

    def legend(self, most: float, scale: Scale) -> None:
        """Add the legend: which colour stands for how much."""
        self._top += 10
        left = float(SIDE)
        unit = "percentage points" if scale.unit == SHARE else scale.unit
        swatches = [(_LIKE, "within counting noise")]
        for word, sign in (("less in B, up to", -1), ("more in B, up to", 1)) if most else ():
            many = len(_GROWS)
            swatches += [(_colour(sign * most * (level + 0.5) / many, most), "") for level in range(many - 1)]
            swatches.append((_colour(sign * most, most), f"{word} {_signed(sign * most, scale)} {unit}"))
        for colour, text in swatches:
            add(self.svg, "rect", x=px(left), y=self._top, width=16, height=12, fill=colour, stroke="#999")
            left += 17
            if text:
                add(self.svg, "text", text, {"class": "said"}, x=px(left + 4), y=self._top + 10)
                left += 4 + columns_of(text) * _LETTER + 20
        self._top += 12

    def finished(
        self, tree: CallTree, placed: Layout, title: Callable[[Frame, str], str], fill: Fill
    ) -> bytes:
        """Draw the frames below everything that was added, and return the whole."""
        top = self._top + 12
        base = top + placed.depth * _ROW
        root = Box(tree.root, -1, 0.0, 1.0)
        if placed.boxes:
            for box in (root, *placed.boxes):
                colour, more = (_LIKE, "") if box is root else fill(box)
                name = words.ALL if box is root else words.plain(box.frame.name)
                self._frame(box, base - (box.depth + 1) * _ROW, name, more, title(box.frame, name), colour)
        else:
            add(self.svg, "text", "No sample of this profile is of a busy core.", x=SIDE, y=base + 12)
        add(self.svg, "text", id="detail", x=SIDE, y=base + _ROW + 18)
        add(
            self.svg,
            "text",
            "show all again (Esc)",
            {"id": "back", "class": "control"},
            x=SIDE,
            y=base + _ROW + 34,
        )
        add(
            self.svg,
            "text",
            {"id": "found", "text-anchor": "end"},
            x=WIDTH - SIDE,
            y=base + _ROW + 34,
        )
        high = base + _ROW + 44
        self.svg.set("viewBox", f"0 0 {WIDTH} {high}")
        self.svg.set("width", str(WIDTH))
        self.svg.set("height", str(high))
        add(self.svg, "script", _script())
        return written(self.svg)

    def _frame(self, box: Box, top: int, name: str, more: str, title: str, colour: str) -> None:
        left, width = SIDE + box.left * _FULL, box.width * _FULL
        group = add(self.svg, "g", {"class": "f", "data-name": name})
        if more:
            group.set("data-more", more)
        add(group, "title", title)
        add(group, "rect", x=px(left), y=top, width=px(width), height=_ROW - 1, fill=colour)
        if text := _fitting(name, more, int((width - 6) / _LETTER)):
            add(group, "text", text, x=px(left + 3), y=top + 12)


def _fitting(name: str, more: str, columns: int) -> str:
    """As much of name and difference as fits: all, the name, its beginning, or nothing."""
    if columns < 3:
        return ""
    if columns_of(name + more) <= columns:
        return name + more
    if columns_of(name) <= columns:
        return name
    kept = name[: columns - 1]
    while columns_of(kept) > columns - 1:
        kept = kept[:-1]
    return kept + ELLIPSIS


@cache
def _script() -> str:
    return files("fwdtui.report.flame").joinpath("script.js").read_text("utf-8")
