"""Run the tests as if a Debian package were missing: each package of .ci/run in turn, and its own tests.

    python scripts/without_each.py                  see which tests use which programs, then try each package
    python scripts/without_each.py tmux nftables    try these packages only

First all tests run once while bpftrace notes the programs that each of them starts or looks for, in its own
process or in any that it has started (a shell, an ssh server, a lab). Then `scripts/without.sh` hides the
programs of one package, and the tests that used one of them run again: they may pass or skip, but not fail.
The findings of the first run are kept in build/uses.json, and used again if that file exists.

Needs root and bpftrace. Takes about half an hour on two cores.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
USES = ROOT / "build" / "uses.json"
MARK = "/usr/bin/@"
"""The beginning of a path that does not exist. By looking for it, a process says which test begins."""
FOLDERS = ("/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/")

_LOOKS = ("newfstatat", "access", "faccessat", "faccessat2")
_INTO = " || ".join(f'!strncmp(str(args->filename), "{folder}", {len(folder)})' for folder in FOLDERS)
TRACER = f"""
tracepoint:sched:sched_process_fork
{{ printf("%llu fork %d %d\\n", nsecs, args->parent_pid, args->child_pid); }}
tracepoint:sched:sched_process_exec {{ printf("%llu exec %d %s\\n", nsecs, tid, str(args->filename)); }}
{",".join(f"tracepoint:syscalls:sys_enter_{name}" for name in _LOOKS)}
/{_INTO}/ {{ printf("%llu look %d %s\\n", nsecs, tid, str(args->filename)); }}
"""

# what runs in pytest, as a plug-in


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Number the tests and write their list to the caller's file, or keep only the tests that it names."""
    if listing := os.environ.get("WITHOUT_EACH"):
        Path(listing).write_text(json.dumps([item.nodeid for item in items]))
        for number, item in enumerate(items):
            item.stash[_NUMBER] = number
    elif wanted := os.environ.get("WITHOUT_EACH_ONLY"):
        # compared without parameters: one that stands for a program may be missing without that program
        functions = set(json.loads(Path(wanted).read_text()))
        config.hook.pytest_deselected(items=[one for one in items if _function(one.nodeid) not in functions])
        items[:] = [one for one in items if _function(one.nodeid) in functions]


_NUMBER = pytest.StashKey[int]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Say which test begins in this process."""
    if _NUMBER in item.stash:
        Path(f"{MARK}{item.stash[_NUMBER]}").exists()


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


# what runs in the script


def used(events: Iterator[str], tests: list[str]) -> dict[str, list[str]]:
    """Program -> tests that started it or looked for it."""
    found: dict[str, set[str]] = defaultdict(set)
    runs: dict[int, int] = {}  # process of pytest -> the test that it runs
    owner: dict[int, int] = {}  # process or thread -> the process of pytest that it comes from
    for line in sorted(events, key=lambda line: int(line.split(" ", 1)[0])):
        _, what, pid, rest = line.rstrip("\n").split(" ", 3)
        who = int(pid)
        if what == "fork":
            parent = who if who in runs else owner.get(who)
            owner.pop(int(rest), None)
            runs.pop(int(rest), None)
            if parent is not None:
                owner[int(rest)] = parent
        elif rest.startswith(MARK):
            runs[who] = int(rest.removeprefix(MARK))
            owner.pop(who, None)
        elif (by := who if who in runs else owner.get(who)) is not None:
            found[Path(rest).name].add(tests[runs[by]])
    return {name: sorted(tests) for name, tests in sorted(found.items())}


def look() -> dict[str, list[str]]:
    """Run all tests under the tracer. Raises SystemExit if events were lost."""
    found: dict[str, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        trace, listing = Path(folder, "trace"), Path(folder, "tests.json")
        environment = os.environ | {
            "PYTHONPATH": str(ROOT / "scripts"),
            "WITHOUT_EACH": str(listing),
        }
        # no other process sees the tracefs that is mounted for bpftrace
        mounting = 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$@"'
        command = [
            "unshare",
            "--mount",
            "sh",
            "-c",
            mounting,
            "sh",
            "bpftrace",
            "-o",
            str(trace),
            "-e",
            TRACER,
        ]
        tracer = subprocess.Popen(command, env=os.environ | {"BPFTRACE_PERF_RB_PAGES": "4096"})
        try:
            while not trace.exists() or "Attaching" not in trace.read_text(errors="replace"):
                if tracer.poll() is not None:
                    raise SystemExit("bpftrace has ended")
                time.sleep(0.2)
            time.sleep(3)  # bpftrace says that it is attaching before it has done so
            command = [sys.executable, "-m", "pytest", "-p", "without_each", "--beside", "6"]
            subprocess.run(command, cwd=ROOT, env=environment, check=False)
            time.sleep(2)
            text = trace.read_text(errors="replace")
            if "Lost " in text:
                raise SystemExit("bpftrace has lost events")
            events = (line for line in text.splitlines() if re.match(r"\d+ (fork|exec|look) \d+ ", line))
            for name, tests in used(events, json.loads(listing.read_text())).items():
                found[name].update(tests)
        finally:
            tracer.terminate()
            tracer.wait()
    return {name: sorted(tests) for name, tests in sorted(found.items())}


def packages() -> list[str]:
    """The packages that .ci/run names."""
    text = (ROOT / ".ci" / "run").read_text()
    listed = re.search(r'packages="([^"]+)"', text)
    assert listed
    return listed[1].split()


def programs(package: str) -> set[str]:
    """The names of a package's programs, and of links to them (awk, vi)."""
    listing = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True).stdout
    own = {Path(line) for line in listing.splitlines() if re.fullmatch(r"(/usr)?/s?bin/[^/]+", line)}
    real = {path.resolve() for path in own}
    folders = (Path("/usr/bin"), Path("/usr/sbin"))
    linked = (path for folder in folders for path in folder.iterdir() if path.is_symlink())
    links = {path.name for path in linked if path.resolve() in real}
    return {path.name for path in own} | links


def without(package: str, tests: list[str]) -> bool:
    """Run these tests without the package's programs, and print how they ended; whether none failed."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as listing:
        listing.write(json.dumps(sorted({_function(test) for test in tests})))
        listing.flush()
        environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "WITHOUT_EACH_ONLY": listing.name}
        files = sorted({test.partition("::")[0] for test in tests})
        began = time.monotonic()
        done = subprocess.run(
            ["scripts/without.sh", package, "--", "-p", "without_each", "--beside", "6", *files],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    print(f"  {lines[-1] if lines else done.stderr} ({time.monotonic() - began:.0f} s)", flush=True)
    for line in lines:
        if line.startswith(("FAILED", "ERROR")):
            print(f"    {line}", flush=True)
    return done.returncode in (0, 5)


def main() -> int:
    """Return status 1 if a test fails without one of the packages."""
    if not USES.exists():
        USES.parent.mkdir(exist_ok=True)
        USES.write_text(json.dumps(look(), indent=1) + "\n")
    uses: dict[str, list[str]] = json.loads(USES.read_text())
    # packages that are not tried: the script, the Makefile and every shell script need them
    kept = {"python3-venv", "make", "util-linux"}
    if not sys.argv[1:]:
        kept |= {package for package in packages() if "awk" in programs(package)}
    failed = 0
    for package in sys.argv[1:] or [one for one in packages() if one not in kept]:
        names = programs(package)
        tests = sorted({test for name in names for test in uses.get(name, ())})
        if not tests:
            print(f"{package}: no test uses it", flush=True)
            continue
        print(f"{package}: {len(tests)} tests", flush=True)
        failed += not without(package, tests)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
