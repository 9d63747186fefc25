"""What is known of one profile, besides its stacks: key ``profile`` of iteration.json."""

from collections.abc import Mapping

import msgspec


class Profile(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a profile was taken. "" or None: not known.

    `start` and `end` are seconds on the recording's axis (`at` of its samples), `rate` samples per second and
    CPU, `period` events between two samples: a profiler is given one of the two. `per_cpu`: samples of each
    CPU by its number, or by ``#1``, ``#2`` in the profiler's order where it does not name them. `idle`:
    samples in idle functions, by the list at that time. `packets`: forwarded from `start` to `end`.
    `depth`: frames of a stack that the profiler keeps.
    `rejected`: why it says nothing about the blast; "": it does. `notes`: what was skipped as it was read.
    """

    samples: int
    tool: str = ""  # "pmcstat", "perf"
    event: str = ""  # as the tool names it: "cpu-clock", "BU_CPU_CLK_UNHALTED"
    host: str = ""  # as in lab.toml
    start: float | None = None
    end: float | None = None
    rate: float | None = None
    period: int | None = None
    per_cpu: Mapping[str, int] = {}
    idle: int | None = None
    packets: int | None = None
    depth: int | None = None
    rejected: str = ""
    source: str = ""  # the raw file that it was folded from, beside iteration.json
    notes: tuple[str, ...] = ()
