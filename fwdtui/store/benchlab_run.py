"""One run of a bench-lab tree: its logs read together, its value, and its warnings."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from fwdtui.core import netbenches, steady
from fwdtui.core.arrived import next_to_nothing
from fwdtui.core.interval import JOINED, MUCH
from fwdtui.core.model import Caution, Iteration, RateSample, Summary, Window
from fwdtui.core.offered import attack_received, received_above
from fwdtui.core.parse import equilibrium, netmap_pktgen
from fwdtui.core.parse.equilibrium import Search
from fwdtui.core.parse.netmap_pktgen import PktGenLog
from fwdtui.core.roles import ATTACK
from fwdtui.core.sending import Sending, sending
from fwdtui.core.text import clean, decode, slug
from fwdtui.store import benchlab_load, benchlab_search, opening
from fwdtui.store.benchlab_load import ATTACK_SENT, OFFERED, Load, Sender
from fwdtui.store.benchlab_tree import Run
from fwdtui.store.benchlab_values import Published

LOG_MOST = 16 * opening.MIB
"""Largest log of a tool, in bytes: more than a day at one line per second."""
OTHER_MOST = 64 * opening.MIB
"""Largest other file with a run's number, in bytes: profiles, mostly."""
_OTHERS_MOST = 1000  # other files of a run: iteration.json names each of them
_FURTHER = re.compile(r"\.receiver_[A-Za-z0-9_]+$")
_ENDED_EARLY = 0.8  # the receiver saw traffic for less than this share of the time that the sender sent


class RunFiles(msgspec.Struct, frozen=True):
    """The files of one run. `raw`: name of each file -> its bytes; the logs among them are also parsed.

    `senders`: kind ("sender", "sender_gen2") -> the log. `search`: kind and log of a tool that is generator
    and receiver in one. `notes`: what could not be read.
    """

    raw: Mapping[str, bytes]
    receiver: PktGenLog | None = None
    senders: Mapping[str, PktGenLog] | None = None
    search: tuple[str, Search] | None = None
    notes: tuple[str, ...] = ()


def raw_name(kind: str) -> str:
    """``sender_gen2`` -> ``generator_gen2.log``."""
    return f"{kind.replace('sender', 'generator', 1)}.log"


def read(run: Run) -> RunFiles:
    """Read all files of a run. Raises OSError if one of its logs cannot be read: the run is then unusable."""
    raw: dict[str, bytes] = {}
    receiver, senders, search, notes = None, {}, None, []
    if run.published is not None:
        path = run.published.path
        return RunFiles({path.name: opening.read(path)})
    if run.receiver is not None:
        raw["receiver.log"] = opening.read(run.receiver, LOG_MOST)
        receiver = netmap_pktgen.parse(decode(raw["receiver.log"]))
    for kind, path in run.senders:
        raw[raw_name(kind)] = opening.read(path, LOG_MOST)
        text = decode(raw[raw_name(kind)])
        senders[kind] = netmap_pktgen.parse(text)
        if receiver is None and search is None and equilibrium.is_search(text):
            search = kind, equilibrium.parse(text)
    if left := len(run.others[_OTHERS_MOST:]):
        more = f" and {left - 1} more" if left > 1 else ""
        notes.append(f"{run.others[_OTHERS_MOST]}{more}: too many further files: not imported")
    for path in run.others[:_OTHERS_MOST]:
        if path.name in raw:
            notes.append(f"{path}: a second file of this name for the same run: not imported")
            continue
        try:
            raw[path.name] = opening.read(path, OTHER_MOST)
        except OSError as error:
            notes.append(f"{path}: {error.strerror}: not imported")
    return RunFiles(raw, receiver, senders, search, tuple(notes))


def place(path: Path, folder: Path) -> str:
    """Where a log was, relative to the folder above the tree, so that no machine's path is published."""
    return clean(str(path.relative_to(folder.parent)))


def iteration(
    run: Run, files: RunFiles, trim: str, folder: Path, roles: Mapping[str, str] | None = None
) -> tuple[Iteration, tuple[RateSample, ...]]:
    """The iteration made of a run, and all its samples, each log's in time order.

    `roles`: what each generator sent, "wanted" or "attack", by the kind of its log, if that is known.
    """
    if run.published is not None:
        return _published_only(run.index, run.published, folder), ()
    if files.search is not None:
        kind, search = files.search
        origin = place(dict(run.senders)[kind], folder)
        return benchlab_search.iteration(run.index, search, raw_name(kind), origin), ()
    # a log without a command belongs to a generator that was never started: it offered nothing
    senders = {
        kind: log for kind, log in (files.senders or {}).items() if log.command or log.intervals or log.crash
    }
    sent = {
        kind: _series(log, "generator", kind if len(senders) > 1 else "", (roles or {}).get(kind) == ATTACK)
        for kind, log in senders.items()
    }
    cautions: list[Caution] = []
    metrics: dict[str, Summary] = {}
    window, value = None, None
    received: tuple[RateSample, ...] = ()
    together: Sending | None = None
    if files.receiver is not None:
        received = _series(files.receiver, "receiver")
        together = sending(files.receiver, list(senders.values())) if senders else None
        window, value = _received(files.receiver, received, together, trim, metrics, cautions)
        cautions += _log_cautions(files.receiver, "receiver")
    else:
        text = "There is no receiver log, so there is no forwarded rate; repeat this iteration."
        cautions.append(Caution("no-receiver", text))
    load = benchlab_load.load(_senders(files, senders, sent, together), roles or {}, together, window, trim)
    metrics |= load.metrics
    for log in senders.values():
        cautions += _log_cautions(log, "generator")
    cautions += load.cautions
    if files.receiver is not None:
        if further := [clean(path.name) for path in run.others[:_OTHERS_MOST] if _FURTHER.search(path.name)]:
            cautions.append(_first_receiver(further))
        highest = metrics["received"].max if "received" in metrics else None
        value, cautions = _against(value, highest, load, cautions, trim)
        # an attack may go on when the test is over, and be dropped to the last packet
        wanted = [series for kind, series in sent.items() if (roles or {}).get(kind) != ATTACK]
        cautions += _ended_early(received, wanted)
        if len(senders) > 1 and together is not None and window is not None:
            cautions += _not_all_sent(received, together, window)
    made = Iteration(
        index=run.index,
        value=value,
        source="receiver.log" if run.receiver is not None else "",
        origin=place(run.receiver, folder) if run.receiver is not None else "",
        window=window,
        metrics=metrics,
        warnings=tuple(cautions),
    )
    return made, (*received, *(sample for series in sent.values() for sample in series))


def _senders(
    files: RunFiles,
    started: Mapping[str, PktGenLog],
    sent: Mapping[str, Sequence[RateSample]],
    together: Sending | None,
) -> list[Sender]:
    """The generators that were started, and those whose logs do not say that they were not."""
    shifts = dict(zip(started, together.shifts, strict=True)) if together else {}
    senders = []
    for kind, log in (files.senders or {}).items():
        unread = _unread(log, files.raw[raw_name(kind)])
        if kind in started or unread:
            shift = shifts.get(kind, 0.0)
            senders.append(Sender(kind, log, sent.get(kind, ()), shift, unread, raw_name(kind)))
    return senders


def _series(log: PktGenLog, role: str, interface: str = "", attack: bool = False) -> tuple[RateSample, ...]:
    if role == (log.role or "receiver") and not interface and not attack:
        return log.samples()
    return tuple(
        RateSample(role, s.t, s.interval, s.pps, s.packets, s.bps, interface=interface, attack=attack)
        for s in log.samples()
    )


def _received(
    log: PktGenLog,
    samples: Sequence[RateSample],
    together: Sending | None,
    trim: str,
    metrics: dict[str, Summary],
    cautions: list[Caution],
) -> tuple[Window, float | None]:
    """Window and value from the receiver's log; adds its metric and warnings to `metrics` and `cautions`."""
    known = together is not None and not together.beyond
    part = steady.find(samples, (together.start, together.stop) if together and known else None)
    if together and not known:
        text = (
            "The receiver saw traffic at a time when the generator's log shows none, so it is not known when "
            "the generator sent; do the logs belong together?"
        )
        cautions.append(Caution("logs-differ", text))
    odd = list(part.cautions) if _says_what_arrived(log) else [_UNHEARD]
    if trim == "netbenches":
        rates, window = netbenches.kept(log)
        value = netbenches.value(rates)
        # the same warnings as under steady: what netbenches' trimming hides is still reported. Only the mean
        # is compared with the median that is the value here
        odd = [caution for caution in odd if caution.code != steady.MEAN_CODE]
        if rates and part.window.kept:
            odd += steady.mean_differs(samples[slice(*part.run)], rates)
    else:
        rates, window = [s.pps for s in samples[part.first : part.last]], part.window
        value = None
    cautions += odd + _holes(samples[slice(*part.run)])
    if summary := steady.summary(rates):
        metrics["received"] = summary
        value = summary.median if value is None else value
    return window, value


def _says_what_arrived(log: PktGenLog) -> bool:
    """Whether a receiver's log has a rate, or says that nothing arrived; any other may have been cut off.

    That it waited says nothing if there are lines of rates that cannot be read.
    """
    waited = log.waiting and not log.skipped
    return bool(log.intervals or waited or log.nothing or log.packets_total == 0)


_UNHEARD = Caution(
    "no-value",
    "The receiver's log has no rate, and does not say that nothing arrived: what was received is not known; "
    "look at the log and repeat this iteration.",
)


def _unread(log: PktGenLog, raw: bytes) -> bool:
    """Whether a sender's log gives no rate and does not say that nothing was sent: its load is not known.

    An empty log, or one whose command was never started, is not a generator's; a crash has its own warning.
    """
    known = log.intervals or log.crash or log.nothing or log.packets_total == 0 or log.command == ""
    return not known and bool(raw.strip())


def _first_receiver(names: Sequence[str]) -> Caution:
    text = (
        "There were several receivers: only receiver.log gives the value; not counted: "
        f"{', '.join(names)}; check whether the DUT forwarded to them as well."
    )
    return Caution("receivers-several", text)


def _against(
    value: float | None, highest: float | None, load: Load, cautions: list[Caution], trim: str
) -> tuple[float | None, list[Caution]]:
    """Check the value, and the `highest` rate of its window, against the offered load.

    Under netbenches the value stays as published.
    """
    medians = {name: summary.median for name, summary in load.metrics.items()}
    offered, attack = medians.get(OFFERED), medians.get(ATTACK_SENT)
    if quiet := next_to_nothing(value, offered, highest):
        kept = [one for one in cautions if one.code not in _OF_THE_WINDOW]
        return value if trim == "netbenches" else None, [quiet, *kept]
    above = attack_received(value, offered, attack) if load.attacked else received_above(value, offered)
    return value, [*cautions, above] if above else cautions


_OF_THE_WINDOW = frozenset(
    ("unsteady", "outage", "short-window", "level-shift", "in-run-variation", "in-run-drift", "mean-differs")
)
"""Warnings about a rate, meaningless if there is none."""


def _published_only(index: int, published: Published, folder: Path) -> Iteration:
    """An iteration whose logs are lost: its value counts, with a warning that it cannot be checked."""
    text = "Only the published value is left of this iteration: its window and its series are not known."
    return Iteration(
        index=index,
        value=published.value,
        unit=published.unit,
        source=slug(published.path.name),  # as it is saved beside the result
        origin=f"{place(published.path, folder)}, value {index}",
        window=Window("published", None, None, 0, notes=("The value as published; there is no log.",)),
        metrics=benchlab_search.highest(published.maximum),
        warnings=(Caution("value-only", text),),
    )


def _log_cautions(log: PktGenLog, role: str) -> list[Caution]:
    """Warnings about trouble that the log itself shows."""
    cautions = []
    if log.starts > 1:
        text = (
            f"The {role}'s log shows {log.starts} starts of pkt-gen, so its rates may be those of several "
            "runs; leave only one run in the log and import it again."
        )
        cautions.append(Caution("several-runs", text))
    if log.crash:
        cautions.append(Caution("crashed", f"The {role} crashed ({log.crash}); repeat this iteration."))
    if log.truncated:
        cautions.append(Caution("truncated-log", f"The {role}'s log ends inside a line; its end is missing."))
    if log.skipped:
        more = f" and {len(log.skipped) - 1} more" if len(log.skipped) > 1 else ""
        cautions.append(
            Caution("damaged-log", f"Parts of the {role}'s log could not be read: {log.skipped[0]}{more}.")
        )
    return cautions


def _ended_early(received: Sequence[RateSample], sent: Sequence[Sequence[RateSample]]) -> list[Caution]:
    """A warning that needs both sides' logs: the receiver stopped while the generators still sent."""
    saw = _moving(received)
    lasted = max((_moving(series) for series in sent), default=0.0)
    if not 0 < saw < _ENDED_EARLY * lasted:
        return []
    text = (
        f"The receiver saw traffic for {saw:.0f} s of the {lasted:.0f} s that the generator sent; the "
        "iteration ended early or the traffic stopped on the way."
    )
    return [Caution("ended-early", text)]


def _holes(run: Sequence[RateSample]) -> list[Caution]:
    """A warning for lines that the receiver's log lacks between those of a run."""
    apart = [(new.t - new.interval - old.t, new.interval) for old, new in pairwise(run)]
    missing = sum([seconds for seconds, interval in apart if seconds > JOINED * interval])
    if not missing:
        return []
    text = (
        f"{missing:.1f} s of the run have no lines in the receiver's log, by its stamps; the value covers "
        "the rest."
    )
    lasted = run[-1].t - run[0].t + run[0].interval
    return [Caution("gap" if missing < MUCH * lasted else "value-gap", text)]


def _not_all_sent(received: Sequence[RateSample], together: Sending, window: Window) -> list[Caution]:
    """A warning if not all generators sent for much of the time that the value covers.

    netbenches' trimming does not look at the generators.
    """
    if window.start is None or window.end is None or together.beyond:
        return []
    lasted = window.end - window.start
    alone = lasted - max(min(window.end, together.stop) - max(window.start, together.start), 0.0)
    edges = 3 * max(s.interval for s in received)  # when all of them sent is not known more exactly
    if alone <= max(edges, (1 - _ENDED_EARLY) * lasted):
        return []
    text = (
        f"For about {alone:.0f} s of the {lasted:.0f} s that the value covers not all generators sent; "
        "repeat this iteration."
    )
    return [Caution("ended-early", text)]


def _moving(samples: Sequence[RateSample]) -> float:
    return sum([s.interval for s in samples if s.pps > 0])
