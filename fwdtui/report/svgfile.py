"""How our SVG charts look, and what they are made of: texts, marks and legends.

The standard library's ElementTree writes them and escapes every text. The same chart gives the same bytes.
Lengths are in points; x grows to the right and y downward.
"""

from collections.abc import Callable, Sequence
from functools import cache
from xml.etree.ElementTree import Element, SubElement, tostring

from fwdtui.core.text import clean
from fwdtui.report.cells import columns_of, shorten_apart

# Okabe and Ito's palette: distinguishable with every kind of colour vision
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
SHAPES = ("o", "s", "^", "D", "v", "P", "X")
WIDE = 691.2  # 9.6 inches: a README shows this without scaling
GREY = "#555555"
SIZE = 9.0  # of the letters
EDGE = 4.0  # between the picture's edge and what is drawn
LEGEND_ROW = 13.0
_KEY, _GAP, _BETWEEN = 20.0, 7.0, 18.0  # a key of the legend, what is beside it, and between its columns
_THREE, _TWO = 34, 54  # columns of a name where three or two names of a legend are beside each other
_UNDRAWABLE = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}  # XML 1.0 has no form for these
_FONT = "DejaVu Sans, Verdana, Bitstream Vera Sans, sans-serif"
# about how many em wide a letter is in DejaVu Sans; 0.62 for those that are not here
_EM = {
    one: em
    for em, many in ((0.33, "iIjlft.,:;|!'()[] "), (0.53, "rscvkxyzJ"), (0.92, "mwMW%@"))
    for one in many
}
# the corners of each shape, in halves of its size
_CORNERS = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "^": ((0, -1), (1, 1), (-1, 1)),
    "v": ((0, 1), (1, -1), (-1, -1)),
    "D": ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)),
    "P": (
        *((-0.35, -1), (0.35, -1), (0.35, -0.35), (1, -0.35), (1, 0.35), (0.35, 0.35)),
        *((0.35, 1), (-0.35, 1), (-0.35, 0.35), (-1, 0.35), (-1, -0.35), (-0.35, -0.35)),
    ),
    "X": (
        *((-0.5, -1), (0, -0.5), (0.5, -1), (1, -0.5), (0.5, 0), (1, 0.5)),
        *((0.5, 1), (0, 0.5), (-0.5, 1), (-1, 0.5), (-0.5, 0), (-1, -0.5)),
    ),
}

Key = Callable[[Element, float, float], object]
"""Draws the key of one entry of a legend, which is `_KEY` wide, from x on, around y."""


def drawable(text: str) -> str:
    """Text of a host or a file as XML can hold it."""
    return clean(text).translate(_UNDRAWABLE)


def document(title: str) -> Element:
    """An SVG with its title, in which nothing is drawn yet."""
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg"})
    # this comes first: by it, a report recognises what an earlier one wrote
    about = add(root, "metadata", {"xmlns:dc": "http://purl.org/dc/elements/1.1/"})
    add(about, "dc:title", "fwdtui")
    add(root, "title", title)
    return root


def chart(high: float, title: str) -> Element:
    """A picture of `WIDE` by `high` points on white: it is read on dark pages too."""
    root = document(drawable(title))
    root.set("width", f"{px(WIDE)}pt")
    root.set("height", f"{px(high)}pt")
    root.set("viewBox", f"0 0 {px(WIDE)} {px(high)}")
    root.set("font-family", _FONT)
    root.set("font-size", px(SIZE))
    add(root, "rect", width="100%", height="100%", fill="#ffffff")
    return root


def written(root: Element) -> bytes:
    """The document as a file."""
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def add(
    parent: Element, tag: str, *text_and_named: str | dict[str, str], **attributes: str | int | float
) -> Element:
    """Add a last child to `parent`, with text and attributes; names that Python forbids come in a dict.

    ``stroke_width`` is written ``stroke-width``.
    """
    element = SubElement(parent, tag)
    for one in text_and_named:
        if isinstance(one, str):
            element.text = one
        else:
            for name, value in one.items():
                element.set(name, value)
    for attribute, figure in attributes.items():
        element.set(attribute.replace("_", "-"), px(figure) if isinstance(figure, float) else str(figure))
    return element


def px(value: float) -> str:
    """A length as text, to a thousandth of a point, which is more than a zoom shows."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def text(
    parent: Element, x: float, y: float, shown: str, anchor: str = "start", turned: float = 0, fill: str = ""
) -> None:
    """Draw a line of text; `y` is the middle of its letters, `turned` the degrees clockwise around (x, y)."""
    element = add(parent, "text", drawable(shown), x=px(x), y=px(y + SIZE * 0.36))
    if anchor != "start":
        element.set("text-anchor", anchor)
    if turned:
        element.set("transform", f"rotate({px(turned)} {px(x)} {px(y)})")
    if fill:
        element.set("fill", fill)


@cache
def width_of(shown: str) -> float:
    """About how wide a text is: the reader's font is not known, and DejaVu Sans is one of the widest."""
    return SIZE * sum(_EM.get(one, 0.7 if one.isupper() else columns_of(one) * 0.62) for one in shown)


def line(
    parent: Element,
    points: Sequence[tuple[float, float]],
    colour: str = "#000000",
    width: float = 1.2,
    dash: str = "",
) -> None:
    """Draw a line through `points`; `dash`: ``dashed``, ``dotted``, or "": solid."""
    if len(points) < 2:
        return
    element = add(
        parent,
        "polyline",
        points=" ".join(f"{px(x)},{px(y)}" for x, y in points),
        fill="none",
        stroke=colour,
        stroke_width=px(width),
    )
    if dash:
        element.set("stroke-dasharray", {"dashed": "4.4 2", "dotted": "1.2 2"}[dash])


def mark(
    parent: Element,
    shape: str,
    x: float,
    y: float,
    size: float = 6.0,
    fill: str = "#ffffff",
    edge: str = "#000000",
    edge_width: float = 0.5,
) -> None:
    """Draw one of `SHAPES` around (x, y)."""
    half = size / 2
    style = {"fill": fill, "stroke": edge, "stroke-width": px(edge_width)}
    if shape == "o":
        add(parent, "circle", style, cx=px(x), cy=px(y), r=px(half))
        return
    corners = " ".join(f"{px(x + right * half)},{px(y + down * half)}" for right, down in _CORNERS[shape])
    add(parent, "polygon", style, points=corners)


def sessions_legend(labels: Sequence[str]) -> tuple[list[str], list[Key], int]:
    """The names of the sessions, their keys (colour and mark), and in how many columns they fit."""
    long = max(map(columns_of, labels), default=0) > _THREE
    return (
        shorten_apart(labels, _TWO if long else _THREE),
        [_session_key(place) for place in range(len(labels))],
        2 if long else 3,
    )


def style_of(place: int) -> tuple[str, str]:
    """Colour and shape of a line or a session: 49 of them differ in one of these or in both."""
    return COLOURS[place % len(COLOURS)], SHAPES[(place + place // len(COLOURS)) % len(SHAPES)]


def _session_key(place: int) -> Key:
    colour, shape = style_of(place)

    def drawn(parent: Element, x: float, y: float) -> None:
        line(parent, [(x, y), (x + _KEY, y)], colour, 5)
        mark(parent, shape, x + _KEY / 2, y, fill=colour)

    return drawn


def line_key(colour: str, dash: str = "", shape: str = "") -> Key:
    """The key of a line as it is in the chart, with its mark."""

    def drawn(parent: Element, x: float, y: float) -> None:
        line(parent, [(x, y), (x + _KEY, y)], colour, 1.4, dash)
        if shape:
            mark(parent, shape, x + _KEY / 2, y, fill=colour)

    return drawn


def legend_height(count: int, columns: int) -> float:
    """How many points at the top of the picture a legend takes."""
    return -(-count // columns) * LEGEND_ROW + 6 if count else EDGE


def legend(root: Element, names: Sequence[str], keys: Sequence[Key], columns: int) -> None:
    """Draw keys and names at the top, column by column."""
    rows = -(-len(names) // columns) if names else 0
    left = EDGE + 2
    for first in range(0, len(names), rows or 1):
        here = range(first, min(first + rows, len(names)))
        for row, place in enumerate(here):
            y = 9 + row * LEGEND_ROW
            keys[place](root, left, y)
            text(root, left + _KEY + _GAP, y, names[place])
        left += _KEY + _GAP + max(width_of(names[place]) for place in here) + _BETWEEN
