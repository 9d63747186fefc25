"""``perf script``: a line that begins a sample, then its frames from the leaf up, then an empty line.

Source: perf-script(1), tools/perf/builtin-script.c of Linux. Without ``-g`` a sample is one line with its
frame at the end. Lines with ``#`` are the header of ``--header``. Each sample is one, whatever its period.
Where perf has debug symbols, it also prints inlined functions, marked ``(inlined)``, below the function that
contains them. They are left out: a profile of another kernel may have been printed without these symbols.

    ksoftirqd/1    21 [001]  1516.960978:    5025125 cpu-clock:
            ffffffff821f2c2b __netif_receive_skb_core+0xb ([kernel.kallsyms])
"""

import re
from dataclasses import dataclass, field

from fwdtui.core.parse.fields import Parsed, Skipped, lines
from fwdtui.core.profile.folded import DEPTH_MOST, Folded, Stack, frame
from fwdtui.core.units import counted

_TIME = re.compile(r"\s([0-9]{1,12}\.[0-9]{1,9}):(?:\s+|$)")
_CPU = re.compile(r"\[([0-9]{1,4})\]")
_PID = re.compile(r"-?[0-9]{1,10}(?:/-?[0-9]{1,10})?")
_NUMBER = re.compile(r"[0-9]{1,18}")
_BEFORE_PERIOD = re.compile(rf"{_CPU.pattern}|{_PID.pattern}")
_EVENT = re.compile(r"(?:([0-9]{1,18})\s+)?(\S{1,200}):(?:\s+|$)")
_COLON = re.compile(r":(?=\s|$)")
_COLUMN = 16  # characters to which perf pads the address of a frame that is in the sample's own line
_ADDRESS = re.compile(r"\s*([0-9a-f]{1,16})(?:\s+(\S.*))?")
_OFFSET = re.compile(r"\+0x[0-9a-f]{1,16}$")
_LOST = re.compile(r".*PERF_RECORD_LOST(?:_SAMPLES)? lost ([0-9]{1,15}).*")
# threads that exist once for each CPU, queue or device: what follows the slash only says which one
# (kernel/, net/core/dev.c; those of the second line are of PREEMPT_RT)
_PER_CPU = (
    *("ksoftirqd", "kworker", "migration", "cpuhp", "rcuop", "rcuos", "rcuog", "rcuc", "irq", "napi"),
    *("backlog_napi", "ktimers", "irq_work", "rcub", "posixcputmr", "idle_inject"),
)
_VHOST = re.compile(r"vhost-[0-9]{1,10}")  # of a virtual machine; the number is that of its process
_UNKNOWN = "[unknown]"
_INLINED = " (inlined)"
_DELETED = " (deleted))"  # the kernel's mark on a file that was replaced while it ran, or never had a name


@dataclass(frozen=True, slots=True)
class PerfEvent:
    """The samples of one event. `start`, `end`: the first and the last one, seconds on perf's clock.

    `cpus` counts the samples of each CPU. `periods` are the least and the most events between two samples.
    None: not printed.
    """

    event: str
    folded: Folded
    cpus: dict[int, int] = field(default_factory=dict)
    start: float | None = None
    end: float | None = None
    periods: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PerfScript:
    """The events in the order of their first samples. `lost`: samples that perf says it lost."""

    events: tuple[PerfEvent, ...] = ()
    lost: int = 0


@dataclass(slots=True)
class _Gathered:
    counted: dict[Stack, int] = field(default_factory=dict)
    cpus: dict[int, int] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)  # the first and the last
    periods: list[int] = field(default_factory=list)  # the least and the most


@dataclass(slots=True)
class _Sample:
    """A sample whose frames are being read, leaf first."""

    comm: str
    event: str
    cpu: int | None
    time: float | None
    period: int | None
    frames: list[str]


def parse_perf_script(text: str) -> Parsed[PerfScript]:
    """Reads the text of ``perf script``. A stack's root is the command's name, as in stackcollapse-perf.pl.

    A function without a symbol is named after its module, ``[nf_tables]``.
    """
    skipped = Skipped()
    gathered: dict[str, _Gathered] = {}
    sample: _Sample | None = None
    lost = deep = inlined = 0
    timeless = False  # whether the samples so far have no times
    given = lines(text)
    for number, (line, following) in enumerate(zip(given, [*given[1:], ""], strict=True), 1):
        if not line.strip():
            deep += _end(sample, gathered)
            sample = None
        elif line.startswith("#"):
            continue
        elif match := _LOST.fullmatch(line):
            lost += int(match[1])
        elif sample is not None and line[0].isspace() and not _TIME.search(line) and (name := _frame(line)):
            if line.rstrip().endswith(_INLINED):
                inlined += 1
            elif len(sample.frames) <= DEPTH_MOST:
                sample.frames.append(name)
        elif begun := _begun(line, following, timeless=timeless):
            timeless = begun.time is None
            deep += _end(sample, gathered)
            sample = begun
        else:
            skipped.line(number, "neither a sample nor a frame", line)
    deep += _end(sample, gathered)
    if lost:
        skipped.note(f"perf lost {counted(lost, 'sample')}: it could not keep up")
    if deep:
        skipped.note(f"{deep} samples have {DEPTH_MOST} frames or more: the outermost callers are left out")
    if inlined:
        skipped.note(f"{counted(inlined, 'inlined function')} left out: each counts as what contains it")
    events = tuple(_event(name, one) for name, one in gathered.items())
    return Parsed(PerfScript(events, lost), skipped.done())


def _begun(line: str, following: str, *, timeless: bool) -> _Sample | None:
    """The sample that begins with this line; None if none does.

    Without a time it may be the text of any program. Only a frame, in it or in the `following` line, shows
    that it begins a sample, unless the sample before it was like that (`timeless`).
    """
    time = _TIME.search(line)
    before, after = (line[: time.start()], line[time.end() :]) if time else ("", "")
    if time is None:  # -F -time: COMM PID [CPU] PERIOD EVENT:
        name = line.lstrip().partition(" ")[0]
        end = _COLON.search(line, line.index(name) + len(name))
        if end is None or not _is_followed(line[end.end() :], following, timeless):
            return None
        before, _, event_name = line[: end.end()].rpartition(" ")
        after = event_name + line[end.end() :]
    event = _EVENT.match(after)
    words = before.split()
    if event is None or not words:
        return None
    period = event[1]
    if (
        time is None
        and len(words) > 2
        and _NUMBER.fullmatch(words[-1])
        and _BEFORE_PERIOD.fullmatch(words[-2])
    ):
        period = words.pop()
    cpu = None
    for place in range(len(words) - 1, 0, -1):  # "[001]", and after it the flags of a tracepoint
        if match := _CPU.fullmatch(words[place]):
            cpu = int(match[1])
            words = words[:place]
            break
        if _PID.fullmatch(words[place]):
            break
    if len(words) > 1 and _PID.fullmatch(words[-1]):
        words.pop()
    leaf = _frame(after[event.end() :])
    return _Sample(
        comm=command_name(" ".join(words)),
        event=frame(event[2].rstrip(":")),
        cpu=cpu,
        time=float(time[1]) if time else None,
        period=int(period) if period else None,
        frames=[leaf] if leaf else [],
    )


def _is_followed(rest: str, following: str, timeless: bool) -> bool:
    """Whether a frame follows a line without a time, or its `rest` is one; of a guest there is none."""
    if rest.strip():
        address = rest.lstrip().partition(" ")[0]
        return rest.index(address) + len(address) >= _COLUMN and bool(_frame(rest))
    return timeless or (following[:1].isspace() and bool(_frame(following)))


def command_name(name: str) -> str:
    """The command's name, without a number that differs in each profile or only names its CPU."""
    if _VHOST.fullmatch(name):
        return "vhost"
    kind, slash, _ = name.partition("/")
    return frame(kind if slash and kind in _PER_CPU else name)


def _frame(line: str) -> str:
    """The function of a frame, ``ADDRESS FUNCTION+OFFSET (MODULE)``; "" if the line is not a frame."""
    match = _ADDRESS.fullmatch(line)
    if match is None:
        return ""
    name, module = (match[2] or "").rstrip(), ""
    if name.endswith(_DELETED):
        name = f"{name.removesuffix(_DELETED)})"
    if name.endswith(")"):
        name, _, module = name[:-1].rpartition("(")
    name = _OFFSET.sub("", name.strip())
    if name and name != _UNKNOWN:
        return frame(name)
    module = module.strip().strip("[]").rpartition("/")[2]
    return frame(f"[{module}]" if module and module != "unknown" else _UNKNOWN)


def _end(sample: _Sample | None, gathered: dict[str, _Gathered]) -> bool:
    """Counts a sample whose frames were all read; returns whether it had too many of them."""
    if sample is None:
        return False
    into = gathered.setdefault(sample.event, _Gathered())
    stack = (sample.comm, *reversed(sample.frames[: DEPTH_MOST - 1]))
    into.counted[stack] = into.counted.get(stack, 0) + 1
    if sample.cpu is not None:
        into.cpus[sample.cpu] = into.cpus.get(sample.cpu, 0) + 1
    if sample.time is not None:
        known = [*into.times, sample.time]
        into.times = [min(known), max(known)]
    if sample.period is not None:
        into.periods = [min([*into.periods, sample.period]), max([*into.periods, sample.period])]
    return len(sample.frames) >= DEPTH_MOST


def _event(name: str, one: _Gathered) -> PerfEvent:
    start, end = one.times or (None, None)
    periods = (one.periods[0], one.periods[1]) if one.periods else None
    return PerfEvent(name, Folded(one.counted), dict(sorted(one.cpus.items())), start, end, periods)
