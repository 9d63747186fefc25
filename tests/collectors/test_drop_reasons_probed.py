"""What the doctor says of a host's drop reasons, and that asking changes nothing there."""

import shutil
import subprocess
from pathlib import Path

import pytest
from fixtures import linux

from fwdtui.collectors.drop_reasons import PROBE, probed
from fwdtui.collectors.drop_reasons_script import MEANS, script
from fwdtui.collectors.frames import HELLO, Frame
from fwdtui.core.parse.bpftrace_drops import parse_bpftrace_drops
from fwdtui.core.parse.skb_drop_format import parse_skb_drop_format

FORMAT = linux("kfree_skb-format-6.1")
MARK = """mark() { printf '\\n== %s\\n' "$1"; }\n"""


def answer(body: str) -> Frame:
    return Frame(1, HELLO, {"reasons": f"\n@drop-reasons B 0 H\n{body}\n@drop-reasons E 0\n"})


def said(host: str) -> Frame:
    return answer(f"\n@drop-reasons host\n{host}\n\n@drop-reasons format\n{FORMAT}")


@pytest.mark.parametrize(
    ("host", "found", "fix"),
    [
        ("tracefs host 4026531840 0", "66 reasons, counted by a histogram of the kernel", ""),
        ("bpftrace namespace 4026532900 0", "66 reasons, counted by bpftrace", ""),
        (
            "tracefs machine 4026531840 0",
            "66 reasons, counted by a histogram of the kernel, of the whole machine",
            "bpftrace, in a kernel with BTF, tells the network namespaces of this machine apart",
        ),
    ],
)
def test_the_means_is_named_and_what_would_tell_more(host: str, found: str, fix: str) -> None:
    check = probed("dut", said(host))
    assert (check.ok, check.found, check.fix) == (True, found, fix)


@pytest.mark.parametrize(
    ("has", "scope", "means"),
    [
        ("hist bpftrace btf", "host", "tracefs host"),
        ("hist bpftrace btf", "machine", "bpftrace namespace"),
        ("hist bpftrace", "machine", "tracefs machine"),  # a kernel of one's own: bpftrace would know no skb
        ("bpftrace btf", "host", "bpftrace namespace"),
        ("bpftrace", "host", "no: "),
        ("", "machine", "no: "),
    ],
)
def test_bpftrace_is_the_means_only_where_the_kernel_has_what_it_needs(
    tmp_path: Path, has: str, scope: str, means: str
) -> None:
    for name in has.split():
        (tmp_path / name).touch(mode=0o755)
    stubs = 'no() { echo "no: $*"; exit; }\n'
    done = subprocess.run(
        ["/bin/sh", "-c", f'{stubs}{MEANS}\necho "$means $scope"'],
        env={"PATH": str(tmp_path), "event": str(tmp_path), "scope": scope, "btf": f"{tmp_path}/btf"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout.startswith(means), done.stderr) == (True, "")


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (answer("\n@drop-reasons no\nthis kernel tells none"), "this kernel tells none"),
        (
            Frame(1, HELLO, {"reasons": "unshare: Operation not permitted\n"}),
            "unshare: Operation not permitted",
        ),
        (Frame(1, HELLO, {}), "no answer"),
    ],
)
def test_a_host_that_cannot_lacks_nothing_and_says_why(frame: Frame, found: str) -> None:
    check = probed("dut", frame)
    assert (check.ok, check.found) == (None, found)
    assert "needed only for --drop-reasons" in check.fix


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox sh", "mksh"])
def test_what_may_be_bin_sh_reads_the_scripts(shell: str) -> None:
    words = shell.split()
    if shutil.which(words[0]) is None:
        pytest.skip(f"not installed: {words[0]}")
    for text in (MARK + PROBE, script("x")):
        done = subprocess.run([*words, "-n"], input=text, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.root
def test_asking_this_machine_mounts_nothing_and_leaves_nothing() -> None:
    # What others mount meanwhile is not seen in a mount namespace of its own. What they remove is: a file
    # that something is mounted on, such as one of `ip netns`, takes the mount away everywhere.
    mounts = "cat /proc/self/mounts\n"
    done = subprocess.run(
        ["unshare", "--mount", "sh"],
        input=f"{mounts}{MARK}{PROBE}\nmark after\n{mounts}",
        capture_output=True,
        text=True,
        timeout=60,
    )
    before, _, asked = done.stdout.partition("== reasons\n")
    reasons, _, after = asked.rpartition("== after\n")
    check = probed("here", Frame(1, HELLO, {"reasons": reasons}))
    old, new = before.strip().splitlines(), after.strip().splitlines()
    assert new and [line for line in new if line not in old] == []
    assert {line.split()[0] for line in old if line not in new} <= {"nsfs"}
    if check.ok:
        assert parse_skb_drop_format(reasons.partition("format\n")[2]).value
    else:
        assert check.found


def test_bpftrace_is_asked_for_the_number_of_a_reason_which_newer_ones_name_otherwise() -> None:
    # enums that are keys are printed by name from 0.22 on, where they are not cast (its pull request 3539)
    assert "@[(uint64)args->reason, " in script("T")
    by_name = parse_bpftrace_drops(
        "@[SKB_DROP_REASON_CPU_BACKLOG, enqueue_to_backlog, dut0, 4026532900]: 5\n"
    )
    assert by_name.value.rows == () and by_name.skipped, "without its number a drop has no row"
