"""Logs of a bench-lab tree with one case, as a receiver and its senders write them."""

from pathlib import Path

from fwdtui.store import read_session
from fwdtui.store.benchlab import import_tree

HEADER = "CMD: pkt-gen -N -f rx -i igb3 -w 2\n1.0 main [1] interface is igb3\n"


def line(second: int, pps: int) -> str:
    return (
        f"{second}.000000 main_thread [1] {pps} pps ({pps} pkts {pps * 480} bps in 1000000 usec) "
        "3.00 avg_batch 1 min_space\n"
    )


def only(tree: Path, into: Path, trim: str = "steady"):
    (imported,) = import_tree(tree, into, trim)
    return imported, read_session(imported.path).cases[0].iterations


def codes(iteration) -> set[str]:
    return {caution.code for caution in iteration.warnings}


def run(tree: Path, *rates: int, kind: str = "receiver", begin: int = 10, host: str = "") -> None:
    """The log of run 1: a line a second from `begin` on, by the clock of its machine."""
    mode, on = "rx" if kind == "receiver" else "tx", f" on {host}" if host else ""
    body = "".join(line((begin + second) % 1000, rate) for second, rate in enumerate(rates))
    path = tree / f"bench.n1.D2.off.v4.1.{kind}"
    path.write_text(f"CMD{on}: pkt-gen -N -f {mode} -i igb3 -w 2\n" + body + "Terminated\n")


SENT = [14_880_000] * 60 + [2_000_000]
