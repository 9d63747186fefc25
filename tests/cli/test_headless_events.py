"""Which events the JSON of a headless run has: those that say how far its numbers can be trusted."""

import msgspec
import pytest

from fwdtui.cli.headless import doubts, in_brief, is_trouble, unheard_or_unsaved
from fwdtui.core.lab import parse
from fwdtui.core.model import Caution, EventSample, Iteration
from fwdtui.core.profile.record import Profile
from fwdtui.monitor.live.snapshot import HostView

LAB = """
[generator]
host = "gen"
interface = "ix0"
[dut]
host = "dut"
in = "igb0"
out = "{out}"
"""


@pytest.mark.parametrize(
    ("code", "host", "text", "out", "told"),
    [
        ("link-down", "dut", "igb1: link is down", "igb1", True),
        ("link-up", "gen", "ix0: link is up", "igb1", True),
        ("link-down", "dut", "tap0: link is down", "igb1", False),
        ("link-up", "dut", "tap0: link is up", "igb1", False),
        ("link-down", "dut", "igb5: link is down", "lagg0", True),  # it may be a member
        ("reboot", "dut", "the host was rebooted", "igb1", True),
        ("note", "dut", "igb1: a note", "igb1", False),
    ],
)
def test_of_links_it_has_those_of_the_test_path(
    code: str, host: str, text: str, out: str, told: bool
) -> None:
    assert is_trouble(parse(LAB.format(out=out)), EventSample(1.0, code, text, host)) is told


def test_a_profile_is_not_called_an_incomplete_iteration() -> None:
    profile = Profile(2216, "perf")
    assert in_brief(Iteration(1, None, profile=profile, incomplete="It was profiled.")) == (
        "a profile. It was profiled."
    )
    assert (
        in_brief(Iteration(2, None, incomplete="No samples from dut.")) == "incomplete. No samples from dut."
    )
    for samples, kind in ((9, "a profile that is not used"), (0, "no profile")):
        missed = msgspec.structs.replace(profile, samples=samples, rejected="The traffic paused.")
        assert in_brief(Iteration(3, None, profile=missed, incomplete="Why.")) == f"{kind}. Why."
    assert in_brief(Iteration(3, 425_423.4)) == "425.4 kpps"


@pytest.mark.parametrize("code", ["tool-failed", "not-received", "generator-ended", "outage", "level-shift"])
def test_what_would_mark_a_verdict_is_told_at_once(code: str) -> None:
    text = "A tool failed during the iteration (pkt-gen on gen was killed by signal 15); repeat it."
    warned = (Caution("short-window", "Only 3 samples are steady."), Caution(code, text))
    assert doubts(Iteration(1, 5e4, warnings=warned)) == [text]
    assert doubts(Iteration(1, None, warnings=warned)) == []


def test_a_line_of_progress_says_why_nothing_is_sent_while_the_disk_is_full() -> None:
    hosts = [HostView("gen", (), True, 1.0), HostView("dut", (), True, 1.0, old=6.2)]
    problem = "sessions/full: No space left on device: not everything is saved"
    assert unheard_or_unsaved(hosts, problem) == ["dut silent for 6 s", problem]
    assert unheard_or_unsaved(hosts[:1], "") == []
