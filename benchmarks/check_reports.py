"""Counts how often `fwdtui check` errs on the tables of `fwdtui report`, whose every cell is true.

    python benchmarks/check_reports.py [--reports 40] [--seed 1]

Sessions with drawn names, cases, values, margins and confidences are reported and checked, alone and with the
report's own value files. Then one figure at a time is made false. Prints every false alarm and every figure
whose fault was not found; exits with status 1 if there is any.
"""

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from fwdtui.check import check_text
from fwdtui.check.cells.files import data_of
from fwdtui.core.model import Iteration
from fwdtui.report import bundle
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter
from fwdtui.store.value_folder import read_value_folder

# names that are parts of each other, and names that look like revisions, switches and numbers
LABELS = (
    ("r1", "r2"), ("r296935", "r296935D4306"), ("stock", "patched", "patched v2"), ("LRO on", "LRO off"),
    ("15.0-p1", "15.0-p2", "main n311215"), ("no-rules", "rules-100"), ("pf", "ipfw", "nopf"),
    ("D1", "D1v2", "D2"), ("4 queues", "8 queues", "16 queues"), ("without pf", "with pf"),
    ("head", "stable"), ("fbsd13-r357572", "fbsd13-r357572.D1"), ("r1 off", "D1 off", "r1 on", "D1 on"),
)  # fmt: skip
CASES = (
    "forwarding.inet4", "forwarding.inet6", "pf-statefull", "ipfw-statefull", "vpn aes-128", "64", "1518",
    "inet4", "inet6", "frame 64 inet4", "frame 64 inet6", "tcp", "udp", "rules 10", "rules 100",
)  # fmt: skip
PLANTED = 4  # false figures in each report


def session(folder: Path, label: str, cases: dict[str, list[float]]) -> str:
    """A session on disk."""
    with SessionWriter.create(folder, label=label, created="2026-01-02T03:04:05+00:00") as writer:
        for case, values in cases.items():
            for value in values:
                iteration = writer.begin(case)
                iteration.commit(Iteration(index=0, value=value))
                iteration.close()
    return str(folder)


def drawn_report(chance: random.Random, folder: Path) -> Path:
    """A report on drawn sessions."""
    labels, cases = chance.choice(LABELS), chance.sample(CASES, k=chance.choice([1, 3, 7]))
    size = chance.choice([3, 5, 10])
    specs = []
    for place, label in enumerate(labels):
        values = {}
        for at, case in enumerate(cases):
            mean = 1e6 * (1 + 0.3 * at) * (1 + 0.004 * place * chance.choice([0, 1, 5]))
            values[case] = [chance.gauss(mean, 3000) for _ in range(size)]
        specs.append(session(folder / f"session{place}", label, values))
    out = folder / "report.md"
    margin, confidence = chance.choice([0.5, 1.0, 2.0]), chance.choice([90.0, 95.0, 99.0])
    compared = judge_sides(load_sides(specs), margin=margin, confidence=confidence)
    bundle.write(out, compared, Choices(without=frozenset({"charts"})))
    return out


def planted(chance: random.Random, text: str) -> tuple[str, int, str]:
    """The report with one digit of a median or a percentage changed, the line, and the cell's text there."""
    lines = text.split("\n")
    rows = [at for at, line in enumerate(lines) if re.match(r"\| .* \| \d+/\d+ \|", line)]
    at = chance.choice(rows)
    cells = lines[at].split(" | ")
    place = chance.choice([-5, -4, -3])  # both medians and the difference; then p and the verdict
    figure = re.split("[±[]", cells[place])[0]
    digits = [match.start() for match in re.finditer("[0-9]", figure)]
    digit = digits[min(1, len(digits) - 1)]
    old = cells[place]
    cells[place] = f"{old[:digit]}{(int(old[digit]) + 3) % 10}{old[digit + 1 :]}"
    said = f"{' | '.join(cells)} (was {old})"
    lines[at] = " | ".join(cells)
    return "\n".join(lines), at + 1, said


def main() -> int:
    """Count the errors and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reports", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    counts: Counter[str] = Counter()
    for _ in range(args.reports):
        with tempfile.TemporaryDirectory() as name:
            out = drawn_report(chance, Path(name))
            text = out.read_text()
            beside = data_of(read_value_folder(out.with_suffix(".d")), "report.d", (), None)
            for data in (None, beside):
                found = check_text(out.name, text, data)
                counts["cells checked"] += found.cells
                counts["cells not checked"] += len(found.unchecked)
                counts["false alarms"] += len(found.findings)
                for one in found.findings:
                    print(f"false alarm: {one.text}\n    {one.message}")
                unread = {one.line for one in found.unchecked}
                for _ in range(PLANTED):
                    changed, line, said = planted(chance, text)
                    if line in unread:
                        continue
                    counts["planted"] += 1
                    if any(one.line == line for one in check_text(out.name, changed, data).findings):
                        counts["planted and found"] += 1
                    else:
                        print(f"not found: {said}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["false alarms"] or counts["planted"] > counts["planted and found"] else 0


if __name__ == "__main__":
    sys.exit(main())
