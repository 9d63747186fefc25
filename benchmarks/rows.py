"""What a benchmark found: our figure beside a peer's that ran in the same call, and what is to be reached.

Each script of `SCRIPTS` prints its rows as text, and with `--json FILE` also writes them there. `make bench`
(this file as a program) runs all scripts one after the other and writes docs/performance.md: ratios only,
because the machine that it runs on is shared with other work. Within a script the peers run in turns, so
other work affects them equally, and CPU time is compared instead of wall-clock time if it is known for both.

    python benchmarks/rows.py [--only NAME]... [--into docs/performance.md]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# in the order of the page; each takes `--json FILE` and needs no other argument
SCRIPTS: tuple[str, ...] = (
    "compare_start",
    "compare_matrix",
    "ministat_large",
    "report_charts",
    "sampling_cost",
    "sampling_bytes",
    "first_frame",
    "idle",
    "browser",
    "live_screen",
    "hundred_hertz",
    "import_tree",
    "replay",
    "long_run",
)


@dataclass(frozen=True)
class Row:
    """One comparison. `ours` and `theirs` are in `unit`; less is better.

    `reach` is the ratio ours / theirs that is the goal; without a peer it is the goal for the figure itself.
    """

    what: str
    unit: str
    ours: float
    reach: float
    peer: str = ""
    theirs: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.theirs else None

    @property
    def reached(self) -> bool:
        return (self.ours if self.ratio is None else self.ratio) <= self.reach

    def told(self) -> str:
        against = f"{self.ratio:.3g} x {self.peer} ({self.theirs:.4g})" if self.ratio is not None else ""
        goal = f"to reach: {self.reach:g}" + ("" if self.reached else ", NOT reached")
        return "  ".join(
            part for part in (f"{self.what}: {self.ours:.4g} {self.unit}", against, goal, self.note) if part
        )


def tell(rows: Sequence[Row], into: Path | None = None) -> int:
    """Prints the rows and returns the exit status: 1 if one of them misses its goal."""
    for row in rows:
        print(row.told(), flush=True)
    if into is not None:
        into.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0 if all(row.reached for row in rows) else 1


def page(found: dict[str, list[Row] | str]) -> str:
    """The text of docs/performance.md, from each script's rows or the reason why there are none."""
    lines = [HEAD]
    for script, rows in found.items():
        if isinstance(rows, str):
            lines.append(f"| `{script}` | {rows} | | | | |")
            continue
        for row in rows:
            ratio = f"{row.ratio:.3g}" if row.ratio is not None else f"({row.ours:.3g} {row.unit})"
            reach = f"{row.reach:.3g}" + ("" if row.ratio is not None else f" {row.unit}")
            cells = (row.what, row.peer or "-", ratio, reach, "yes" if row.reached else "no", row.note)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


HEAD = """# Performance

Written by `make bench`. Each line is one comparison: what fwdtui needed, divided by what the peer needed for
the same work in the same run, so less is better. The machine is shared with other work and noisy: ratios mean
something, times do not, and a ratio may move by a fifth from run to run. Lines without a peer have the figure
itself.

| what | peer | ratio | to reach | reached | |
| --- | --- | ---: | ---: | --- | --- |"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="this script (several times)")
    parser.add_argument("--into", type=Path, default=HERE.parent / "docs" / "performance.md")
    args = parser.parse_args()
    found: dict[str, list[Row] | str] = {}
    for name in SCRIPTS:
        if args.only and name not in args.only:
            continue
        print(f"== {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            into = Path(folder) / "rows.json"
            subprocess.run([sys.executable, str(HERE / f"{name}.py"), "--json", str(into)], check=False)
            found[name] = (
                [Row(**row) for row in json.loads(into.read_text())] if into.exists() else "it failed"
            )
    if args.only is None:
        args.into.write_text(page(found))
    missed = [row for rows in found.values() if not isinstance(rows, str) for row in rows if not row.reached]
    return 1 if missed or any(isinstance(rows, str) for rows in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
