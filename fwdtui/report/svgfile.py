"""How our SVG charts look; the same chart is always the same bytes. matplotlib is imported late."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from fwdtui.report.cells import columns_of, shorten_apart

# Okabe and Ito's palette: distinguishable with every kind of colour vision
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
SHAPES = ("o", "s", "^", "D", "v", "P", "X")
_THREE, _TWO = 34, 54  # columns of a name where three or two names of a legend are beside each other


def available() -> bool:
    """Whether matplotlib is installed (it is not imported to find out)."""
    return find_spec("matplotlib") is not None


@contextmanager
def style() -> Iterator[None]:
    """matplotlib's own defaults, whatever the user's matplotlibrc says, and ours on top."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # a label in a script that the measuring font lacks: the reader's own font draws it, see fonttype
        warnings.simplefilter("ignore")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "svg.hashsalt": "fwdtui",  # ids from the content, not from a random number
                "svg.fonttype": "none",  # text stays text: searchable, and any script shows
                "text.parse_math": False,  # a $ in a label is a $
                "axes.unicode_minus": True,
                "font.family": ["DejaVu Sans"],
                "font.size": 9,
                "axes.titlesize": 9,
                "axes.titlelocation": "left",
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.grid": True,
                "axes.axisbelow": True,
                "grid.color": "#dddddd",
                "grid.linewidth": 0.6,
            }
        )
        yield


def figure(width: float, height: float) -> Any:
    """A figure of that many inches that is in no global list, on white: it is read on dark pages too."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasSVG(made)
    return made


def rates(axis: Any, largest: float, unit: str | None = None) -> None:
    """Packets per second in one decimal multiple along an axis, named in its label; another unit as it is."""
    from matplotlib.ticker import FuncFormatter

    scales = ((1e12, "Tpps"), (1e9, "Gpps"), (1e6, "Mpps"), (1e3, "kpps"), (1.0, "pps"))
    scale, name = next((s for s in scales if abs(largest) >= s[0]), scales[-1])
    if unit not in (None, "", "pps"):
        scale, name = 1.0, str(unit)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:.10g}".replace("-", "−")))
    axis.set_label_text(name)


def legend(made: Any, labels: list[str]) -> None:
    """The colour and mark of each session, above the axes: in two columns if a name is long."""
    from matplotlib.lines import Line2D

    keys = [
        Line2D(
            [],
            [],
            color=COLOURS[i % len(COLOURS)],
            marker=SHAPES[i % len(SHAPES)],
            lw=5,
            mec="black",
            mew=0.5,
        )
        for i in range(len(labels))
    ]
    long = max(map(columns_of, labels), default=0) > _THREE
    names = shorten_apart(labels, _TWO if long else _THREE)
    many = min(len(labels), 2 if long else 3)
    made.legend(keys, names, loc="outside upper left", ncols=many, frameon=False)


def svg(made: Any, title: str) -> bytes:
    """The figure as an SVG document without date and version. Call it within `style`."""
    out = io.BytesIO()
    made.savefig(out, format="svg", metadata={"Date": None, "Creator": "fwdtui", "Title": title})
    return out.getvalue()
