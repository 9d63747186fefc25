"""Profiles of Linux hosts: folded there by any awk, and what the host's answer says of the capture."""

import asyncio
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from collectors_helpers import AWKS, gone
from processes import processes
from transport_helpers import children

from fwdtui.collectors import profile_linux
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.profile_linux import FIELDS, FOLD, probed, read
from fwdtui.core.parse.perf_folded import MORE, parse_perf_folded
from fwdtui.core.parse.perf_script import parse_perf_script
from fwdtui.core.profile.capture import Asked
from fwdtui.transport.ssh import SshPool

# as perf 6.1 prints it, and below it what names may be
TEXT = """\
ksoftirqd/1 [001]  1516.960978: cpu-clock:\x20
\tffffffff821f2c2b __netif_receive_skb_core.constprop.0 ([kernel.kallsyms])
\tffffffff821f3c11 process_backlog ([kernel.kallsyms])
\tffffffff821f4e7a net_rx_action ([kernel.kallsyms])

swapper [000]  1516.962980: cpu-clock:\x20
\tffffffff822d61ab pv_native_safe_halt ([kernel.kallsyms])
\tffffffff81115e70 do_idle ([kernel.kallsyms])

swapper [000]  1516.964981: cpu-clock:\x20
\tffffffff822d61ab pv_native_safe_halt ([kernel.kallsyms])
\tffffffff81115e70 do_idle ([kernel.kallsyms])

Web: a;b [001]  1516.950001: cpu-clock:\x20
\t          155aff [unknown] (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t        2b6b4c60 [unknown] ([unknown])
\t          132a2c std::map<int, void (*)(int)>::operator[](int const&) (/usr/bin/with space)
\tffffffffc0a01234 a;b ([nf_tables])
\t    55d0c0a01234 main (/usr/sbin/bird (deleted))
\t    7f10c0a01234 [unknown] (/usr/lib/libc.so.6 (deleted))
\t    7f10c0a05678 [unknown] (/memfd:jit (deleted))

trafgen [001]  1516.970000: cpu-clock:\x20

"""


def awk(kind: str) -> list[str]:
    program = shutil.which(AWKS[kind])
    if program is None:
        pytest.skip(f"not installed: {kind}")
    return [program, "awk"] if kind == "busybox" else [program]


def folded(kind: str, text: str, most: int = 1 << 20, told: str = "yes") -> str:
    argv = [*awk(kind), "-v", f"told={told}", "-v", f"most={most}", FOLD]
    return subprocess.run(argv, input=text, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("kind", AWKS)
def test_every_awk_folds_as_the_parser_of_perfs_own_text(kind):
    told = parse_perf_folded(folded(kind, TEXT)).value
    (event,) = parse_perf_script(TEXT).value.events
    assert told.folded == event.folded
    assert (told.first, told.last, told.cores) == (event.start, event.end, event.cpus)
    assert told.events == {"cpu-clock": 5}
    assert told.lost == 0
    assert len(told.folded.stacks) == 4 and told.folded.samples == 5


@pytest.mark.parametrize("kind", AWKS)
def test_a_command_may_have_any_name(kind):
    name = "x [7] 1.5: e: [000] 9.5:"
    told = parse_perf_folded(folded(kind, f"{name} [001]  2.500000: cpu-clock: \n\t1 f (x)\n\n")).value
    assert (told.first, told.cores, list(told.folded.stacks)) == (2.5, {1: 1}, [(name, "f")])


@pytest.mark.parametrize("kind", AWKS)
def test_what_is_lost_is_added_up_and_too_many_stacks_are_counted(kind):
    lost = "swapper [000]  1516.961000: PERF_RECORD_LOST lost 7\n" * 2
    many = "".join(f"c{n} [000]  1.{n:06}: cpu-clock: \n\t1 f{n} (x)\n\n" for n in range(100))
    told = parse_perf_folded(folded(kind, many + lost + TEXT, most=1500)).value
    assert told.lost == 14
    assert told.folded.samples == 105
    assert told.folded.stacks[(MORE,)] > 40
    assert parse_perf_folded(folded(kind, TEXT, told="")).value.lost is None


@pytest.mark.parametrize("kind", AWKS)
def test_of_too_many_stacks_the_rarest_are_left_out(kind):
    """Of a host with many cores, or of many programs: in the order of awk's table the hottest might be."""
    sample = "c{n} [000]  1.{n:06}: cpu-clock: \n\t1 f{n} (x)\n\n"
    often = {500: 40, 501: 25, 502: 17}
    text = "".join(sample.format(n=n) for n in range(200)) + "".join(
        sample.format(n=n) * times for n, times in often.items()
    )
    told = parse_perf_folded(folded(kind, text, most=1000)).value.folded
    assert {n: told.stacks[f"c{n}", f"f{n}"] for n in often} == often
    assert told.samples == 200 + sum(often.values()) and 100 < told.stacks[(MORE,)] < 200


@pytest.mark.parametrize("kind", AWKS)
@pytest.mark.parametrize(("frames", "kept"), [(300, 300), (511, 511), (512, 511), (600, 511)])
def test_a_stack_that_is_too_deep_loses_its_outermost_callers_and_it_is_told(kind, frames, kept):
    """Only where kernel.perf_event_max_stack was raised; as of perf's own text."""
    text = "prog [000]  1.000000: cycles: \n" + "".join(f"\tffff f{n} (x)\n" for n in range(frames)) + "\n"
    told, perfs = parse_perf_folded(folded(kind, text)), parse_perf_script(text)
    (stack,) = told.value.folded.stacks
    assert stack == ("prog", *(f"f{n}" for n in reversed(range(kept))))
    left_out = ("1 samples have 512 frames or more: the outermost callers are left out",)
    assert told.skipped == perfs.skipped == (left_out if frames >= 512 else ())


_PERF = r"""#!/bin/sh
# perf of a host with the debug symbols of its kernel
case "$1 $2" in
'stat '*) echo '1,,cycles,1,100.00' >&2 ;;
'script -h') echo '        --inline          Show inline function' >&2 ;;
'script '*)
  printf 'ksoftirqd/1 [001]  1.5: cycles: \n'
  case " $* " in *' --no-inline '*) ;; *) printf '\tffff skb_peek (inlined)\n' ;; esac
  printf '\tffff ip_rcv ([kernel.kallsyms])\n\n' ;;
esac
"""


def test_inlined_functions_are_not_told_apart_from_those_that_contain_them(tmp_path):
    """Of two kernels only one may have its debug symbols: the same function must have the same name."""
    perf = tmp_path / "perf"
    perf.write_text(_PERF)
    perf.chmod(0o755)
    ran = subprocess.run(
        ["sh"],
        input='mark() { echo "@@ $1"; }\n' + profile_linux.script(Asked(seconds=1.0)),
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    stacks = ran.stdout.split("@@ stacks\n")[1].split("@@ done")[0]
    assert parse_perf_folded(stacks).value.folded.stacks == {("ksoftirqd", "ip_rcv"): 1}


needs_perf = pytest.mark.skipif(
    shutil.which("perf") is None or os.geteuid() != 0, reason="needs root and perf (Debian: linux-perf)"
)


def places() -> set[Path]:
    """Files that a profile may have left, of this one or of anybody's."""
    found = {path for folder in ("/tmp", "/dev/shm") for path in Path(folder).iterdir()}
    return {path for path in found if "fwdtui-profile" in path.name or "perf-vdso" in path.name}


@needs_perf
async def test_a_capture_of_this_machine_has_its_cores_and_its_clock_and_leaves_nothing(shared_sshd):
    before = places()
    asked = Asked(seconds=0.3, frequency=199)
    async with SshPool(shared_sshd.settings()) as pool:
        host = await pool.open("dut", "dut")
        clock = "head -n 3 /proc/timer_list"
        began = await host.run(clock)
        capture = await profile_linux.capture(host, asked)
        ended = await host.run(clock)
        sysctl = await host.run("cat /proc/sys/kernel/perf_event_max_stack")
    assert capture.problem == "" and capture.notes == ()
    assert sum(capture.cores.values()) == capture.folded.samples > 0
    assert capture.online == os.cpu_count()
    assert capture.depth == int(sysctl.stdout)
    assert now(began.stdout) < capture.began < capture.ended < now(ended.stdout)
    assert places() <= before
    assert not list(shared_sshd.folder.rglob(".debug")), "perf's cache of symbols"


@needs_perf
async def test_a_capture_that_is_broken_off_leaves_no_process_and_has_had_no_named_file(shared_sshd):
    before = places()
    async with SshPool(shared_sshd.settings()) as pool:
        host = await pool.open("dut", "dut")
        taking = asyncio.create_task(profile_linux.capture(host, Asked(seconds=30.0, frequency=49)))
        until = time.monotonic() + 15.0
        while not (perf := recording(shared_sshd.pid)):
            assert time.monotonic() < until and not taking.done(), "perf does not record"
            await asyncio.sleep(0.02)
        assert places() <= before
        taking.cancel()
        await asyncio.gather(taking, return_exceptions=True)
        assert await gone(perf)
    assert places() <= before


def recording(server: int) -> list[int]:
    """perf at work below this sshd."""
    below = set(children(server))
    return [one.pid for one in processes() if one.pid in below and one.arguments.startswith("perf record")]


def now(text: bytes) -> float:
    """Seconds of /proc/timer_list's third line."""
    return int(text.split(b"now at ")[1].split()[0]) / 1e9


@needs_perf
async def test_an_event_that_the_host_does_not_have_is_told_in_perfs_own_words(shared_sshd):
    async with SshPool(shared_sshd.settings()) as pool:
        host = await pool.open("dut", "dut")
        capture = await profile_linux.capture(host, Asked(0.1, 99, "no-such-event"))
    assert "no-such-event" in capture.problem and capture.folded.samples == 0


FAKE = """#!/bin/sh
# a perf whose CPU counts cycles unless COUNTED says otherwise
case $1 in
stat) echo "${COUNTED-1234},,cycles,500,100.00,," >&2 ;;
record) echo "$*" >"$TOLD" ;;
esac
"""


@pytest.mark.parametrize(
    ("asked", "counted", "period", "given"),
    [
        (Asked(), "1234", "5010020", "-c 5010020 -e cycles"),
        (Asked(frequency=997, event="cycles:k"), "1234", "2507523", "-c 2507523 -e cycles:k"),
        (Asked(), "<not supported>", "", "-F 499 -e cpu-clock"),
        (Asked(event="cache-misses"), "1234", "", "-F 499 -e cache-misses"),
    ],
)
def test_cycles_are_sampled_by_their_number_since_a_rate_changes_it(asked, counted, period, given, tmp_path):
    """Kept at a rate, a core that does half of the work has as many samples."""
    (tmp_path / "perf").write_text(FAKE)
    (tmp_path / "perf").chmod(0o755)
    told = tmp_path / "told"
    done = subprocess.run(
        ["/bin/sh"],
        input=f'mark() {{ echo "@$1"; }}\n{profile_linux.script(asked)}',
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "TOLD": str(told), "COUNTED": counted},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert f" {given} " in told.read_text(), done.stderr
    assert f"@period\n{period}".strip() in done.stdout
    assert (f"{period}\n@record" if period else "@period\n@record") in done.stdout


REFUSED = (Path(__file__).parents[1] / "fixtures/recorded/perf-stat-refused-6.1.txt").read_text()
ANSWER = {
    "online": "2\n",
    "depth": "127\n",
    "event": "cpu-clock\n",
    "record": "",
    "status": "0\n",
    "limit": "100000\n",
    "stats": "\nAggregated stats:\n   THROTTLE events:  40  ( 4.0%)\ncycles stats:\n   THROTTLE events:  9\n",
    "stacks": "first 100.5\nlast 110.5\nlost 3\ncore 0 2\ncore 1 1\nstack irq/24-eth0;f;g 2\nstack ssh 1\n",
    "done": "whole\n",
}


def test_what_perf_says_of_itself_is_kept():
    capture = read(Frame(0, "F", ANSWER), Asked(seconds=10.0))
    assert dict(capture.folded.stacks) == {("irq", "f", "g"): 2, ("ssh",): 1}
    assert (capture.began, capture.ended, capture.lost, capture.limit) == (100.5, 110.5, 3, 100_000.0)
    assert capture.depth == 127
    assert capture.paused == pytest.approx(40 * 0.01 / 20), "of two cores, ten seconds each"
    assert capture.problem == ""
    assert capture.period is None and capture.notes == ()


def test_what_a_sample_stands_for_is_kept_or_told_to_vary():
    cycles = read(Frame(0, "F", ANSWER | {"event": "cycles\n", "period": "5010020\n"}), Asked())
    assert (cycles.event, cycles.period, cycles.notes) == ("cycles", 5_010_020, ())
    fallen = read(
        Frame(0, "F", ANSWER | {"event": "cycles:k\n", "stacks": f"{ANSWER['stacks']}event cpu-clock:k 3\n"}),
        Asked(event="cycles:k"),
    )
    assert fallen.problem == (
        "this host cannot sample cycles:k, and perf took cpu-clock:k instead: ask for that event"
    )
    misses = read(Frame(0, "F", ANSWER | {"event": "cache-misses\n", "period": "\n"}), Asked())
    assert misses.period is None
    assert misses.notes == (
        "the kernel varied the number of cache-misses between two samples: samples are counted, not events",
    )


SILENT = ANSWER | {"stacks": ANSWER["stacks"].replace("lost 3\n", "")}


@pytest.mark.parametrize(
    ("stats", "lost"),
    [
        ("", None),
        ("   SAMPLE events:  3\n   LOST events:  1\n", None),
        ("   SAMPLE events:  3\n   LOST_SAMPLES events:  1\n", None),
        ("   SAMPLE events:  3\n", 0),
    ],
)
def test_a_perf_that_does_not_tell_lost_samples_has_lost_none_only_without_a_record_of_them(stats, lost):
    capture = read(Frame(0, "F", SILENT | {"stats": stats}), Asked())
    assert capture.lost == lost and capture.problem == ""
    unknown = ("it is not known how many samples perf lost: this version of perf does not report it",)
    assert capture.notes == (() if lost == 0 else unknown)


@pytest.mark.parametrize(("recorded", "problem"), [(3, False), (4, True), (3_000_000, True)])
def test_what_perf_has_recorded_and_did_not_print_is_missing(recorded, problem):
    """perf script was killed while it read, or printed samples in a form that is not known."""
    capture = read(Frame(0, "F", ANSWER | {"stats": f"  SAMPLE events:  {recorded}  (99.0%)\n"}), Asked())
    assert capture.problem.startswith("perf script printed 3 of ") == problem


def test_a_few_samples_that_are_missing_are_told():
    stacks = ANSWER["stacks"].replace("f;g 2", "f;g 9999")
    capture = read(Frame(0, "F", ANSWER | {"stacks": stacks, "stats": "  SAMPLE events:  10100\n"}), Asked())
    assert (capture.problem, capture.notes) == ("", ("perf script printed 10 000 of 10 100 samples",))


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "no answer"),
        ({"record": "perf is not installed\n"}, "perf is not installed"),
        ({**ANSWER, "status": "153\n"}, "it ended with status 153"),
        (ANSWER | {"record": "Access to performance\nmonitoring is limited.\n", "status": "255\n"},
         "Access to performance monitoring is limited."),
        (ANSWER | {"record": REFUSED, "status": "255\n"},
         "it has no right to sample all cores (no CAP_PERFMON; kernel.perf_event_paranoid is 2)"),
        ({**ANSWER, "done": ""}, "perf did not finish reading its own recording"),
    ],
)  # fmt: skip
def test_a_broken_answer_is_no_profile(answer, problem):
    assert read(Frame(0, "F", answer), Asked()).problem == problem


COUNTED = "4.31,msec,cpu-clock,4318000,100.00,2.028,CPUs utilized\n"
HAS = {
    "perf": "/usr/bin/perf\nperf version 6.1.1\n",
    "paranoid": "2\n0\n",
    "symbols": "1\nffffffff81000000 T _stext\n",
}


@pytest.mark.parametrize(
    ("sections", "ok", "found"),
    [
        (HAS, True, "perf version 6.1.1"),
        (HAS | {"perf": ""}, None, "perf is not installed"),
        (
            HAS | {"perf": "/usr/bin/perf\nWARNING: perf not found for kernel 6.8.0-31\n\n  You ...\n"},
            None,
            "perf does not run: WARNING: perf not found for kernel 6.8.0-31",
        ),
        (HAS | {"perf": "/usr/bin/perf\n"}, None, "perf does not run: it says nothing"),
        (
            HAS | {"paranoid": "2\n1000\n"},
            None,
            "the login has no right to sample all cores: kernel.perf_event_paranoid is 2",
        ),
        (
            HAS | {"paranoid": "2\n1000\n", "allowed": f"{REFUSED}status 255\n"},
            None,
            "the login has no right to sample all cores: kernel.perf_event_paranoid is 2",
        ),
        # with CAP_PERFMON
        (HAS | {"paranoid": "2\n1000\n", "allowed": f"{COUNTED}status 0\n"}, True, "perf version 6.1.1"),
        (
            HAS | {"allowed": f"{REFUSED}status 255\n"},
            None,
            "root may not sample all cores: a container or a security module forbids it",
        ),
        (
            HAS | {"paranoid": "-1\n1000\n", "allowed": f"{REFUSED}status 255\n"},
            None,
            "the login may not sample all cores: a container or a security module forbids it",
        ),
        (
            HAS | {"allowed": "perf: Segmentation fault\nstatus 139\n"},
            None,
            "perf cannot sample all cores: perf: Segmentation fault",
        ),
        (HAS | {"paranoid": "-1\n1000\n"}, True, "perf version 6.1.1"),
        (
            HAS | {"symbols": "2\n0000000000000000 T _stext\n"},
            None,
            "the kernel hides its symbols (kernel.kptr_restrict is 2)",
        ),
        (
            HAS | {"symbols": "1\ngrep: /proc/kallsyms: Permission denied"},
            None,
            "the kernel hides its symbols (kernel.kptr_restrict is 1)",
        ),
    ],
)
def test_the_doctor_says_whether_a_host_can_be_profiled(sections, ok, found):
    check = probed("dut", Frame(0, "F", sections))
    assert (check.what, check.ok, check.found) == ("profiler", ok, found)
    assert bool(check.fix) == (ok is None)


def test_the_fields_are_those_that_perf_prints_in_this_order():
    assert FIELDS == "comm,cpu,time,event,ip,sym,dso"
