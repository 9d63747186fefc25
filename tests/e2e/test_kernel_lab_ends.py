"""However a run on the kernel lab ends: nothing is left on its hosts, and the reason is told.

No rate is judged here, so other tests may run meanwhile.
"""

import json
import signal
import textwrap
import time

import pytest
from kernel_lab_use import fwdtui, running

pytestmark = pytest.mark.root


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_on_the_hosts_however_it_ends(lab, tmp_path, number):
    path = lab.quick_file("--rate", "20k", duration='"30s"')
    command = ["run", path, "--headless", "--into", tmp_path, "--session", "s", "--case", "c"]
    with running(*command) as process:
        end = time.monotonic() + 60
        while not any("tcpreplay" in one for one in lab.at_work()):
            assert time.monotonic() < end, "the generator never ran"
            time.sleep(0.1)
        recording = tmp_path / "s" / "recording-001.jsonl"
        before = len(recording.read_bytes().splitlines())
        end = time.monotonic() + 60
        # eight intervals of traffic from each of the three hosts: the blast has whole samples
        while len(recording.read_bytes().splitlines()) < before + 24:
            assert time.monotonic() < end, "the blast was not recorded"
            time.sleep(0.1)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=30)
    assert lab.quiet() == [], stderr
    if number == signal.SIGKILL:
        listed = fwdtui("sessions", str(tmp_path), "--json")
        (session,) = json.loads(listed.out)
        assert session["label"] == "s"
        assert recording.stat().st_size > 1000
    else:
        assert process.returncode == 128 + number, stderr
        (session,) = json.loads(stdout)
        (iteration,) = session["cases"][0]["iterations"]
        assert "ended-early" in {warning["code"] for warning in iteration["warnings"]}


def test_an_unknown_host_key_is_refused_when_nobody_can_be_asked(lab, tmp_path):
    path = lab.quick_file("--rate", "20k")
    other = path.with_name("stranger.toml")
    (path.parent / "empty_hosts").write_text("")
    other.write_text(path.read_text().replace('known_hosts = "known_hosts"', 'known_hosts = "empty_hosts"'))
    done = fwdtui("live", str(other), "--headless", "--for", "2s", "--into", str(tmp_path), "--session", "s")
    assert done.status == 2
    assert "SHA256:" in done.err and "Traceback" not in done.err
    assert not (tmp_path / "s").exists()


def test_a_generator_that_is_not_there_is_named(lab, tmp_path):
    path = lab.quick_file("--rate", "20k", iterations="1")
    text = path.read_text()
    start = next(line for line in text.splitlines() if line.startswith("start = "))
    path.write_text(text.replace(start, 'start = "no-such-generator --fast"'))
    done = fwdtui("run", str(path), "--headless", "--into", str(tmp_path), "--session", "s", timeout=60)
    assert done.status == 1
    assert "no-such-generator" in done.err
    assert textwrap.dedent(done.err).count("Traceback") == 0
