"""xdp-bench and xdp-trafficgen: one line per interval with packets, errors and transmits per second.

Source: xdp-bench(8), xdp-trafficgen(8); lib/util/xdp_sample.c of xdp-tools. Rates, not counters: the tool
divides by its own interval (2 s, or 1 s for the generator). Banners and libbpf's warnings go to stderr.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, lines, phrase, whole

# "Summary 1000 rx/s 0 err/s", "eth0->eth1 1,420,505 rx/s 0 err,drop/s 0 xmit/s"; the locale groups the
# digits; with -s there is also a column "redir/s"
_SAMPLE = re.compile(
    r"(?P<label>Summary|[^\s>]{1,40}->[^\s>]{1,40})"
    r"(?P<rest>(?:\s+[0-9][0-9,.'\u00a0\u202f]{0,30}\s(?:rx|redir|err|err,drop|xmit)/s)+)\s*"
)
_VALUE = re.compile(r"([0-9][0-9,.'\u00a0\u202f]{0,30})\s(rx|redir|err|err,drop|xmit)/s")
_GROUPS = str.maketrans("", "", ",.'\u00a0\u202f")
_TOTAL = re.compile(r"\s*(Packets received|Rx dropped|Duration)\s*: ([0-9][0-9,.'\u00a0\u202f]{0,30})(s?)\s*")


@dataclass(frozen=True, slots=True)
class XdpSample:
    """One interval: packets per second in, not passed on, and out; None: not printed in this mode.

    `partial`: the last line, printed after a blank one when the tool stops. Its interval is shorter, and
    with ``xdp-trafficgen -n`` it is not a rate but a count.
    """

    label: str
    rx: int | None = None
    errors: int | None = None
    xmit: int | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class XdpRun:
    """Samples in order, and the closing totals if the version prints them."""

    samples: tuple[XdpSample, ...] = ()
    received: int | None = None
    dropped: int | None = None


def parse_xdp_bench(text: str) -> Parsed[XdpRun]:
    """Standard output of xdp-bench or xdp-trafficgen; indented detail (-e) and banners are ignored."""
    skipped = Skipped()
    samples: list[XdpSample] = []
    totals: dict[str, int] = {}
    after_blank = False
    for number, line in enumerate(lines(text), 1):
        if match := _SAMPLE.fullmatch(line):
            values = {unit: whole(value.translate(_GROUPS)) for value, unit in _VALUE.findall(match["rest"])}
            errors = values.get("err", values.get("err,drop"))
            label = phrase(match["label"]) or ""
            samples.append(XdpSample(label, values.get("rx"), errors, values.get("xmit"), after_blank))
        elif match := _TOTAL.fullmatch(line):
            amount = whole(match[2].translate(_GROUPS)) if not match[3] else None
            if amount is not None:
                totals[match[1]] = amount
        elif line.startswith(("Summary", "Packets ")):
            skipped.line(number, "no rates", line)
        after_blank = not line.strip()
    # the long form also has blank lines between intervals: only the last sample can be partial
    samples = [
        XdpSample(item.label, item.rx, item.errors, item.xmit, item.partial and at == len(samples))
        for at, item in enumerate(samples, 1)
    ]
    run = XdpRun(tuple(samples), totals.get("Packets received"), totals.get("Rx dropped"))
    return Parsed(run, skipped.done())
