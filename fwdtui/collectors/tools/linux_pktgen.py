"""The Linux kernel's packet generator. It prints nothing: /proc/net/pktgen/DEVICE is read while it runs.

The start command writes to /proc/net/pktgen. ``echo start >/proc/net/pktgen/pgctrl`` returns when all threads
have ended, or on a signal, which makes it end the threads (pktgen_wait_all_threads_run() in
net/core/pktgen.c). So the traffic ends with our shell, however that ends.

In parallel with the start command a loop prints the files of the interface's devices (``eth4``, ``eth4@0``,
one per thread) once a second, before, during and after. They have counters and the kernel's own clock in
microseconds: rates are differences of both. The Result appears only after the end.

If a device could not be added, only the file of its thread (``kpktgend_N``) says so: these files are read at
the end. Seen with Linux 6.1: `sofar` of all devices is what the card's tx_packets and tx_dropped count
together, also with burst and clone_skb; ``ratep`` counts bursts, so burst 8 sends eight times as much.
"""

import re

from fwdtui.collectors.tools.base import Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.collectors.tools.shell import inner
from fwdtui.core.lab import Endpoint
from fwdtui.core.parse.fields import Skipped
from fwdtui.core.parse.linux_pktgen import PktgenStatus, parse_pktgen_device
from fwdtui.core.units import counted

FOLDER = "/proc/net/pktgen"
_MARK = "fwdtui-pktgen"
_HEADING = re.compile(rf"{_MARK} (\S{{1,200}})")
_LARGEST = 200  # lines of one device's file
_LEAST = 50_000  # microseconds; a shorter interval is added to the next one
_RUNNING = "Starting"  # the Result line of a run that has not ended (pktgen_run())
_REMARK = re.compile(rf"{_MARK}: (.{{1,300}})")
_ABSENT = "the pktgen module is not loaded"

# The last look waits for the Result, since after a signal a thread needs a moment to end. The signal is meant
# for the start command: without the trap it would end this shell before the last look.
_SCRIPT = """\
trap : INT
look() {{
  for f in {folder}/{interface} {folder}/{interface}@*; do
    [ -r "$f" ] && set -- "$@" "$f"
  done
  # one process for all devices: there may be one for each of a hundred queues
  [ $# -eq 0 ] || awk 'FNR == 1 {{ print "{mark}", FILENAME }} {{ print }}' "$@" 2>/dev/null
  echo "{mark} ."
}}
look
( trap 'exit 0' TERM; while sleep 1; do look; done ) &
looking=$!
{start}
status=$?
kill $looking 2>/dev/null
wait $looking 2>/dev/null
for again in 1 2 3; do
  grep -q '^ *Result: {running}' {folder}/{interface} {folder}/{interface}@* 2>/dev/null || break
  sleep 1
done
look
[ -d {folder} ] || echo "{mark}: {absent}"
grep -h '^Result: *ERROR' {folder}/kpktgend_* 2>/dev/null | while read -r said; do echo "{mark}: $said"; done
exit $status
"""


def script(endpoint: Endpoint, folder: str = FOLDER) -> str:
    """The start command with the loop around it."""
    return _SCRIPT.format(
        folder=folder,
        interface=endpoint.interface,
        mark=_MARK,
        absent=_ABSENT,
        running=_RUNNING,
        start=inner(endpoint.start or ""),
    )


class PktgenReader(Reader):
    """Makes a sample of each look at the files: the sum of the rates of the devices that ran."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin)
        self._skipped = Skipped()
        self._section: str | None = None
        self._lines: list[str] = []
        self._look: dict[str, PktgenStatus] = {}
        self._looks = 0
        self._before: dict[str, PktgenStatus] = {}  # each device's status when it was last counted
        self._latest: dict[str, PktgenStatus] = {}
        self._earlier: dict[str, int | None] = {}  # device -> when its run before ours began, in microseconds
        self._again = False  # whether a device ran more than once: its file then has the last run only
        self._origin_us: int | None = None
        self._remarks: list[str] = []

    def feed(self, line: str, at: float) -> list[ToolSample]:
        match = _HEADING.fullmatch(line)
        if match is None:
            if remark := _REMARK.fullmatch(line):
                self._remarks.append(remark[1])
            elif self._section is not None and len(self._lines) < _LARGEST:
                self._lines.append(line)
            return []
        if self._section is not None:
            parsed = parse_pktgen_device("\n".join(self._lines))
            for note in parsed.skipped:
                self._skipped.note(f"{self._section}: {note}")
            self._look[self._section] = parsed.value
        self._lines = []
        self._section = None if match[1] == "." else match[1]
        return self._looked(at) if self._section is None else []

    def _looked(self, at: float) -> list[ToolSample]:
        look, self._look = self._look, {}
        self._looks += 1
        self._again = self._again or any(self._ran_again(name, status) for name, status in look.items())
        self._latest |= look  # a start command may remove its devices when it is done
        if self._looks == 1:
            self._before = look
            self._earlier = {name: status.started for name, status in look.items()}
            if any(status.state == _RUNNING for status in look.values()):
                return [self.note(at, "pktgen was already running here: that run is not counted")]
            return []
        parts = [part for name, status in look.items() if (part := self._part(name, status)) is not None]
        if not parts:
            return []
        ended = max(status.stopped or 0 for status in look.values())
        if self._origin_us is None:
            self._origin_us = ended
        return [
            self.rate(
                at,
                (ended - self._origin_us) / 1e6,
                max(microseconds for microseconds, _ in parts) / 1e6,
                sum(packets / microseconds * 1e6 for microseconds, packets in parts),
                sum(packets for _, packets in parts),
            )
        ]

    def _part(self, name: str, status: PktgenStatus) -> tuple[int, int] | None:
        """One device's microseconds and packets since it was last counted."""
        before = self._before.get(name)
        if status.sofar is None or status.started is None or status.stopped is None:
            return None
        if self._is_earlier(name, status):
            return None
        if before is None or before.started != status.started:  # a run that has begun since
            microseconds, packets = status.stopped - status.started, status.sofar
        else:
            microseconds = status.stopped - (before.stopped or 0)
            packets = status.sofar - (before.sofar or 0)
        if microseconds < _LEAST or packets < 0:
            return None
        self._before[name] = status
        return microseconds, packets

    def _is_earlier(self, name: str, status: PktgenStatus) -> bool:
        """Whether this is a run that began before ours: it has finished, or we did not start it."""
        return name in self._earlier and self._earlier[name] == status.started

    def _ran_again(self, name: str, status: PktgenStatus) -> bool:
        """Whether a device is in another run than at the last look, and that was ours, too."""
        before = self._latest.get(name)
        if before is None or not before.started or self._is_earlier(name, before):
            return False
        return bool(status.started) and status.started != before.started

    def close(self) -> ToolVerdict:
        ours = [s for name, s in self._latest.items() if s.started and not self._is_earlier(name, s)]
        results = [s.result for s in ours if s.result is not None]
        refused = next(
            (s.state for s in self._latest.values() if (s.state or "").upper().startswith("ERROR")), None
        )
        failure = ""
        if self._looks and not self._latest:
            failure = self._without_device()
        elif refused and not results:
            failure = f"pktgen says {refused!r}"
        packets = sum(r.packets for r in results) if results else None
        if packets is None and ours and all(s.sofar is not None for s in ours):
            packets = sum(s.sofar or 0 for s in ours)
        packets = None if self._again else packets
        if refusals := sum(r.errors for r in results):
            self._skipped.note(f"the driver refused {counted(refusals, 'packet')}")
        return ToolVerdict(
            failure=failure,
            nothing=packets == 0,
            packets=packets,
            seconds=max((r.microseconds / 1e6 for r in results), default=None),
            pps=float(sum(r.pps for r in results)) if results else None,
            skipped=self._skipped.done(),
        )

    def _without_device(self) -> str:
        """Why there is no device. A thread's error may be an old one, so it only adds to what is certain."""
        if _ABSENT in self._remarks:
            return f"{_ABSENT} (modprobe pktgen)"
        said = next((remark.removeprefix("Result: ") for remark in self._remarks), "")
        why = f"a thread says {said!r}" if said else "does the start command use that interface?"
        return f"no device for {self.origin.interface} in {FOLDER}: {why}"


_PROBE = """\
[ -d {folder} ] || {{ echo '{absent}'; exit 1; }}
[ -w {folder}/pgctrl ] || {{ echo '{folder} is for root only'; exit 1; }}
version=$(sed -n 's/.*Version: */version /p' {folder}/pgctrl 2>/dev/null | head -n 1)
set -- {folder}/kpktgend_*
threads=$#
[ -e "$1" ] || {{ echo "pktgen ${{version:-is loaded}}, but it has no thread"; exit 1; }}
sending=$(echo $(sed -n 's/^Running: *//p' {folder}/kpktgend_* 2>/dev/null))
queues=
set -- {cards}/"$interface"/queues/tx-*
[ -e "$1" ] && queues="; $interface has $# transmit queue$([ $# = 1 ] || echo s)"
echo "${{version:-loaded}}, $threads thread$([ $threads = 1 ] || echo s)$queues\\
${{sending:+; sends already: $sending}}"
"""


def probe_script(folder: str = FOLDER, cards: str = "/sys/class/net") -> str:
    """A script that prints ``version 2.75, 2 threads; eth4 has 2 transmit queues``. A thread has one CPU."""
    return _PROBE.format(folder=folder, cards=cards, absent=_ABSENT)


TOOL = Tool(
    name="linux-pktgen",
    program="",
    counted=True,
    frames=True,
    probe=probe_script(FOLDER, "/sys/class/net"),
    install="modprobe pktgen, as root (a kernel with CONFIG_NET_PKTGEN)",
    reader=PktgenReader,
    script=script,
    label="pktgen",
)
