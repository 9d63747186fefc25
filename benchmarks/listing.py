"""Measures listing 10,000 iterations: how soon the first session is listed, and how soon all are.

    python benchmarks/listing.py [--sessions 200] [--iterations 50]

A browser needs its first rows within 0.3 s, whatever the folder contains.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from fwdtui.core.model import Caution, Iteration, Summary, Window
from fwdtui.store import list_headers, list_sessions
from fwdtui.store.schema import SessionFile, encode_iteration, encode_session

RATE = Summary(1.4e6, 1.39e6, 1e6, 1.5e6, 60)
NOTE = "3 samples before the steady window were left out."


def iteration(index: int) -> Iteration:
    return Iteration(
        index,
        1.4e6 + index,
        source="receiver.log",
        window=Window("steady", 3.0, 63.0, 60, head=3, tail=2, notes=(NOTE,)),
        metrics=dict.fromkeys(("offered", "forwarded", "received"), RATE),
        warnings=(Caution("in-run-variation", "The rate varies by 1.8 % within the run."),),
        files=dict.fromkeys(("generator.log", "receiver.log"), "sha256:" + "0" * 64),
    )


def make(folder: Path, sessions: int, iterations: int) -> None:
    for number in range(sessions):
        session = folder / f"s{number:04d}"
        session.mkdir()
        facts = {"imported_from": f"tree {number % 20}", **{f"sysctl.{key}": "1" for key in range(60)}}
        header = SessionFile(1, f"label {number}", "2026-01-02T03:04:05+00:00", facts=facts)
        (session / "session.toml").write_bytes(encode_session(header))
        for index in range(1, iterations + 1):
            place = session / "inet4" / f"{index:03d}"
            place.mkdir(parents=True)
            (place / "iteration.json").write_bytes(encode_iteration("inet4", iteration(index)))


def measured(listing: Callable[[Path], Iterable[object]], folder: Path) -> str:
    started = time.perf_counter()
    first, count = 0.0, 0
    for _ in listing(folder):
        count += 1
        first = first or time.perf_counter() - started
    return f"first {first * 1e3:6.1f} ms   all {(time.perf_counter() - started) * 1e3:7.1f} ms   ({count})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--iterations", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        make(folder, args.sessions, args.iterations)
        for listing in (list_headers, list_sessions, list_headers, list_sessions):
            print(f"{listing.__name__:14} {measured(listing, folder)}")


if __name__ == "__main__":
    main()
