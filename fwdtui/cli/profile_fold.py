"""`fwdtui profile fold FILE`: a profiler's output as folded stacks, which flamegraph.pl and others read."""

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add FILE."""
    parser.add_argument("file", metavar="FILE", type=Path, help="pmcstat -G, perf script, or folded stacks")


def run(args: argparse.Namespace) -> int:
    """Print the stacks. stderr says what is not among them. Raises FwdtuiError."""
    from fwdtui.core.text import clean
    from fwdtui.core.units import grouped
    from fwdtui.report import terminal
    from fwdtui.store.profiles import read_file

    reading = read_file(args.file)
    sys.stdout.write(reading.folded.text())
    sys.stdout.flush()
    for note in reading.skipped:
        terminal.write(f"fwdtui: {clean(note)}\n", sys.stderr)
    event = f" of {reading.event}" if reading.event else ""
    stacks = f"{grouped(len(reading.folded.stacks))} stacks"
    told = f"{reading.form}: {grouped(reading.folded.samples)} samples{event} in {stacks}"
    terminal.write(f"{told}\n", sys.stderr)
    return 0
