"""Profiles of FreeBSD hosts, from what pmcstat prints. No FreeBSD host was at hand: see docs/limits.md."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from fwdtui.collectors.frames import Frame
from fwdtui.collectors.profile_freebsd import capture, probed, read, script
from fwdtui.core.profile.capture import Asked
from fwdtui.core.profile.comparable import alike
from fwdtui.core.profile_check import Checked
from fwdtui.monitor.run.captured import recorded
from fwdtui.transport.base import Completed

GRAPH = """\
@ unhalted-cycles [10 samples]

70.00%  [7]        ip_tryforward @ /boot/kernel/kernel
 100.0%  [7]         ip_input
  100.0%  [7]          fork_exit

30.00%  [3]        cpu_idle @ /boot/kernel/kernel
 100.0%  [3]         fork_exit

"""
ANSWER = {
    "online": "4\n",
    "depth": "32\n",
    "event": "unhalted-cycles\n",
    "period": "4809619\n",
    "before": "1789900700.500000000\n{ sec = 1789900600, usec = 0 } Sun Sep 20 10:00:00 2026\n",
    "after": "1789900710.750000000\n{ sec = 1789900600, usec = 0 } Sun Sep 20 10:00:00 2026\n",
    "record": "",
    "status": "0\n",
    "graph": GRAPH,
    "done": "whole\n",
}


def test_the_call_graph_is_the_profile_and_its_times_are_those_of_the_samplers_clock():
    capture = read(Frame(0, "F", ANSWER))
    assert dict(capture.folded.stacks) == {
        ("fork_exit", "ip_input", "ip_tryforward"): 7,
        ("fork_exit", "cpu_idle"): 3,
    }
    assert (capture.began, capture.ended) == (100.5, 110.75)
    assert (capture.depth, capture.period) == (32, 4_809_619)
    assert (capture.profiler, capture.event, capture.online) == ("pmcstat", "unhalted-cycles", 4)
    assert (capture.problem, capture.notes, capture.cores, capture.lost) == ("", (), {}, None)


@pytest.mark.parametrize(
    ("clock", "period"),
    [
        ("2394", 4_809_619),  # of two boots of one host: what the kernel measures differs by a little
        ("2401", 4_809_619),
        ("998", 2_004_008),
        ("", 2_004_008),  # it does not say
        ("3392", 6_813_627),
    ],
)
def test_a_sample_is_of_as_many_cycles_on_each_boot_of_a_host_and_on_its_like(
    clock: str, period: int
) -> None:
    lines = [line for line in script(Asked()).splitlines() if line.startswith("n=")]
    told = f"sysctl() {{ echo {clock}; }}\n" if clock else "sysctl() { return 1; }\n"
    done = subprocess.run(
        ["/bin/sh", "-c", told + "\n".join([*lines, "echo $n"])], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == period


PMCSTAT = """\
#!/bin/sh
next=65536
while getopts n:S:O:v option; do
  case $option in n) next=$OPTARG ;; S) echo "$OPTARG every $next" ;; esac
done
"""


def test_pmcstat_is_told_the_cycles_before_the_event_that_they_are_for(tmp_path: Path) -> None:
    """An event has the number of the last -n before it, else 65536 (main() of pmcstat.c)."""
    (line,) = [line for line in script(Asked(seconds=3.0)).splitlines() if "sleep 3" in line]
    pmcstat = tmp_path / "pmcstat"
    pmcstat.write_text(PMCSTAT)
    pmcstat.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec 3>&1; e=unhalted-cycles n=4809619; ({line}"],
        env={"PATH": f"{tmp_path}:/bin:/usr/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "unhalted-cycles every 4809619\n"


CORES, FUNCTIONS = 80, 1000
CALLER = " 100.0%%  [1]         fork_exit"
MANY_CORES = {
    "sysctl": "#!/bin/sh\necho 80\n",
    "pmcstat": f"""\
#!/bin/sh
[ "$1" = -R ] || exit 0
awk 'BEGIN {{
  for (core = 0; core < {CORES}; core++) {{
    print "@ unhalted-cycles [{FUNCTIONS} samples]\\n"
    for (n = 0; n < {FUNCTIONS}; n++)
      printf "00.10%%  [1]        function_of_a_router_%06d @ /boot/kernel/kernel\\n{CALLER}\\n\\n", n
  }}
}}'
""",
}


class Here:
    """This machine as a host, with programs of FreeBSD's from a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def run(self, script: str, *, limit: int = 1 << 20, **_: object) -> Completed:
        path = f"{self._folder}:/bin:/usr/bin"
        shell = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", script, env={"PATH": path}, stdout=asyncio.subprocess.PIPE
        )
        said, _none = await shell.communicate()
        return Completed(said[:limit], b"", shell.returncode, truncated=len(said) > limit)


async def test_the_call_graph_of_a_host_with_many_cores_is_read_whole(tmp_path: Path) -> None:
    for name, text in MANY_CORES.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    taken = await capture(Here(tmp_path), Asked(seconds=0.1))  # type: ignore[arg-type]
    assert (taken.problem, taken.online) == ("", 80)
    assert taken.folded.samples == CORES * FUNCTIONS and len(taken.folded.stacks) == FUNCTIONS


async def test_why_no_event_is_counted_is_told_as_of_the_first_that_was_tried(tmp_path: Path) -> None:
    """Counters that somebody else uses are no missing events."""
    programs = {
        "sysctl": "#!/bin/sh\necho 4\n",
        "kldstat": "#!/bin/sh\n",
        "pmcstat": '#!/bin/sh\n[ $3 != unhalted-cycles ] || w=busy\necho "pmcstat: ${w:-no}" >&2\nexit 71\n',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    taken = await capture(Here(tmp_path), Asked(seconds=0.1))  # type: ignore[arg-type]
    assert taken.problem.startswith("hwpmc counts none of these events (pmcstat: busy): unhalted-cycles ")


def test_two_hosts_with_other_clocks_are_not_sampled_alike() -> None:
    slow, fast = (
        recorded(read(Frame(0, "F", ANSWER | {"period": period})), Asked(), Checked(""), [])
        for period in ("2004008", "6813627")
    )
    assert (slow.period, slow.rate) == (2_004_008, None)
    assert alike(slow, slow) and not alike(slow, fast)


def test_packets_are_those_of_the_seconds_in_which_it_sampled_and_not_of_its_start_and_end() -> None:
    capture = read(Frame(0, "F", ANSWER), Asked(seconds=10.0))
    kept = recorded(capture, Asked(seconds=10.0), Checked("", during=1e6), [])
    assert (capture.began, capture.ended) == (100.5, 110.75), "all of this is to be in the traffic"
    assert kept.packets == 10_000_000


@pytest.mark.parametrize(
    "warning",
    [
        'WARNING: some samples were dropped.  Please consider tuning the "kern.hwpmc.nsamples" tunable.',
        "WARNING: sampling was paused at least 12 times. Consider tuning kern.hwpmc.nsamples.",
        # of netbenches, firewalls on an APU2 in 2026; pmcstat says "event were" of one
        "WARNING: at least 2325567 events were discarded while running.",
        "WARNING: at least 1 event were discarded while running.",
    ],
)
def test_full_buffers_are_told(warning):
    capture = read(Frame(0, "F", ANSWER | {"record": f"pmcstat: {warning}\n"}))
    assert capture.notes == (warning,) and capture.problem == ""


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "no answer"),
        ({"record": "the module hwpmc is not loaded\n"}, "the module hwpmc is not loaded"),
        (
            ANSWER | {"status": "71\n", "record": "pmcstat: ERROR: Cannot configure log: busy\n"},
            "pmcstat: ERROR: Cannot configure log: busy",
        ),
        (ANSWER | {"graph": "pmcstat: ERROR: no log\n"}, "pmcstat: ERROR: no log"),
        (ANSWER | {"graph": ""}, "the call graph is empty"),
        (ANSWER | {"done": ""}, "pmcstat did not finish reading its own recording"),
    ],
)
def test_a_broken_answer_is_no_profile(answer, problem):
    assert read(Frame(0, "F", answer)).problem == problem


HAS = {"pmcstat": "/usr/sbin/pmcstat\n", "hwpmc": "loaded\n", "pmc.users": "0\n0\n"}


@pytest.mark.parametrize(
    ("sections", "ok", "found"),
    [
        (HAS, True, "/usr/sbin/pmcstat, hwpmc is loaded"),
        (HAS | {"pmcstat": ""}, None, "pmcstat is missing"),
        (HAS | {"hwpmc": ""}, None, "hwpmc is not loaded"),
        (HAS | {"pmc.users": "1001\n0\n"}, None, "only root may profile all cores"),
        (HAS | {"pmc.users": "1001\n1\n"}, True, "/usr/sbin/pmcstat, hwpmc is loaded"),
    ],
)
def test_the_doctor_says_whether_a_host_can_be_profiled(sections, ok, found):
    check = probed("dut", Frame(0, "F", sections))
    assert (check.what, check.ok, check.found) == ("profiler", ok, found)
    assert bool(check.fix) == (ok is None)
