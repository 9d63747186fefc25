"""Small genuine outputs of Debian's ministat, for reports in tests."""

_HEADER = "    N           Min           Max        Median           Avg        Stddev\n"
_BASE = "x   5        998000       1003000       1000500       1000400     1850.6756\n"
_FRAME = "+----------------------------------------+\n"

# what follows the first set's row
SETS = {
    "up3": (
        "+   5       1028000       1032500       1030400       1030280      1728.294\n"
        "Difference at 95.0% confidence\n"
        "\t29880 +/- 2611.39\n"
        "\t2.98681% +/- 0.261034%\n"
        "\t(Student's t, pooled s = 1790.53)\n"
    ),
    "down3": (
        "+   5        968500        972300        970100        970380      1636.154\n"
        "Difference at 95.0% confidence\n"
        "\t-30020 +/- 2547.48\n"
        "\t-3.0008% +/- 0.254646%\n"
        "\t(Student's t, pooled s = 1746.71)\n"
    ),
    "down2": (
        "+   5        979392        983192        981492        981392     1537.8556\n"
        "Difference at 95.0% confidence\n"
        "\t-19008 +/- 2481.5\n"
        "\t-1.90004% +/- 0.24805%\n"
        "\t(Student's t, pooled s = 1701.47)\n"
    ),
    "down2more": (
        "+   5        976891        980691        978991        978891     1537.8556\n"
        "Difference at 95.0% confidence\n"
        "\t-21509 +/- 2481.5\n"
        "\t-2.15004% +/- 0.24805%\n"
        "\t(Student's t, pooled s = 1701.47)\n"
    ),
    "small": (
        "+   5       1003500       1006400       1005200       1005000     1193.7336\n"
        "Difference at 95.0% confidence\n"
        "\t4600 +/- 2271.15\n"
        "\t0.459816% +/- 0.227024%\n"
        "\t(Student's t, pooled s = 1557.24)\n"
    ),
    # +0.15 % +/- 0.70 % (a verdict that ministat does not print)
    "none": (
        "+   5        994500       1012000       1001000       1001900     6551.7173\n"
        "No difference proven at 95.0% confidence\n"
    ),
    # +0.71 % +/- 1.07 % pooled, but +/- 0.58 % by Welch: twenty scattered values against five steady ones
    "welch": (
        "+  20        989300       1036100       1008200       1007540     11780.823\n"
        "No difference proven at 95.0% confidence\n"
    ),
    "half": (
        "+   5        498000        503000        501000        500600     2073.6441\n"
        "Difference at 95.0% confidence\n"
        "\t-499800 +/- 2866.31\n"
        "\t-49.96% +/- 0.286517%\n"
        "\t(Student's t, pooled s = 1965.32)\n"
    ),
    "double": (
        "+   5       1995000       2010000       2002000       2002200     5718.3914\n"
        "Difference at 95.0% confidence\n"
        "\t1.0018e+06 +/- 6198.38\n"
        "\t100.14% +/- 0.61959%\n"
        "\t(Student's t, pooled s = 4250)\n"
    ),
    "onehalf": (
        "+   5       1490000       1512000       1503000       1502000     8746.4278\n"
        "Difference at 95.0% confidence\n"
        "\t501600 +/- 9219.68\n"
        "\t50.1399% +/- 0.921599%\n"
        "\t(Student's t, pooled s = 6321.59)\n"
    ),
    # without a verdict, as -n prints it
    "tenfold": "+   5       9980000      10030000      10005000      10004000     18506.756\n",
    "tenth": "+   5         99800        100300        100050        100040     185.06756\n",
}


def block(*sets: str, names: tuple[str, ...] = ("base pps", "patched pps"), fence: str = "```") -> str:
    """ministat's output for the base and the given sets, in a fence (or in none: fence="")."""
    symbols = "x+*%#@O"
    labels = "".join(f"{symbol} {name}\n" for symbol, name in zip(symbols, names, strict=False))
    rows = "".join(symbols[place] + SETS[name][1:] for place, name in enumerate(sets, start=1))
    text = f"{labels}{_FRAME}|x xx  x                           ++ +++|\n{_FRAME}{_HEADER}{_BASE}{rows}"
    return f"{fence}\n{text}{fence}\n" if fence else text


def report(text: str) -> str:
    """A report in which "[[up3]]" or "[[down3 | old name | new name]]" stands for a block in a fence."""
    out = []
    for part in text.split("[["):
        kind, closed, rest = part.partition("]]\n")
        if not closed:
            out.append(part)
            continue
        sets, *names = (field.strip() for field in kind.split("|"))
        out.append(block(*sets.split(), names=tuple(names) or ("base pps", "patched pps")) + rest)
    return "".join(out)
