"""The example of docs/plugins.md, installed as a user installs it, and fwdtui in processes of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import transport_sshd
from transport_sshd import Sshd

from fwdtui.core.model import RateSample
from fwdtui.store import read_samples, read_session

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "fwdtui-plugin"
LAB = """
[ssh]
config_file = "{config}"
known_hosts = "{known_hosts}"
[sampling]
interval = "500ms"
[generator]
host = "dut"
interface = "lo"
tool = "udpblast"
start = "{program} 127.0.0.1 9 8000 20"
[dut]
host = "dut"
in = "lo"
out = "lo"
os = "linux-routes"
[run]
iterations = 1
warmup = "1s"
duration = "6s"
settle = "1s"
"""
FORM = """
import asyncio, pathlib
from textual.widgets import Static
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.shell.app import FwdtuiApp

async def main():
    app = FwdtuiApp(pathlib.Path.cwd(), welcome=True)
    async with app.run_test() as pilot:
        app.push_screen(NewLabScreen(pathlib.Path("lab.toml")))
        await pilot.pause()
        for static in app.screen.query(".offered").results(Static):
            print(static.content)

asyncio.run(main())
"""

make_sshd = transport_sshd.make_sshd
Fwdtui = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the example is installed into, without any network."""
    pytest.importorskip("hatchling", reason="the example is built with hatchling, which is not installed")
    target = tmp_path_factory.mktemp("plugins")
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *offline, "--target", target, EXAMPLE],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return target


@pytest.fixture
def python(plugins: Path, tmp_path: Path) -> Fwdtui:
    """Python in a process of its own, with the example installed."""
    own = [path for path in [os.environ.get("PYTHONPATH")] if path]  # the fwdtui that is tested

    def run(*arguments: str, installed: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([*([str(plugins)] if installed else []), *own])},
        )

    return run


@pytest.fixture
def lab(make_sshd: Callable[..., Sshd], plugins: Path, tmp_path: Path, python: Fwdtui) -> Path:
    """This machine as generator and DUT, reached by ssh, with udpblast where the guide says it is put."""
    server = make_sshd()
    program = tmp_path / "bin" / "udpblast"
    program.parent.mkdir()
    source = (plugins / "fwdtui_plugin" / "udpblast.py").read_text()
    program.write_text(source.replace("/usr/bin/env python3", sys.executable, 1))
    program.chmod(0o755)
    path = tmp_path / "lab.toml"
    path.write_text(LAB.format(config=server.config, known_hosts=server.known_hosts, program=program))
    assert python("-m", "fwdtui", "trust", str(path.parent), "--yes").returncode == 0
    return path


def test_without_it_nobody_knows_the_tool(lab: Path, python: Fwdtui) -> None:
    done = python("-m", "fwdtui", "doctor", str(lab), installed=False)
    assert done.returncode == 2
    assert "generator.tool: no tool 'udpblast' (host dut); known: counters, " in done.stderr


def test_the_doctor_finds_its_program_and_asks_its_system(lab: Path, python: Fwdtui) -> None:
    done = python("-m", "fwdtui", "doctor", str(lab))
    assert re.search(r"generator udpblast +.*udpblast 1\.0", done.stdout), done.stdout + done.stderr
    assert re.search(r"routes +.*\d+ of IPv4|routes +.*add them", done.stdout)


def test_the_form_for_a_new_lab_offers_it(python: Fwdtui) -> None:
    tools, systems = python("-c", FORM).stdout.splitlines()
    assert tools == "counters, iperf3, linux-pktgen, netmap-pkt-gen, trafgen, udpblast"
    assert systems == "freebsd, linux, linux-routes"


def test_its_system_can_do_all_that_fwdtui_s_own_linux_can(python: Fwdtui) -> None:
    """The guide says that it takes everything from it; a DUT that names it could not be profiled."""
    asked = (
        "from fwdtui.collectors.base import Profiles, ReadsSettings\n"
        "from fwdtui.collectors.systems import by_name\n"
        "for name in ('linux', 'linux-routes'):\n"
        "    print([isinstance(by_name(name), one) for one in (Profiles, ReadsSettings)])\n"
    )
    assert python("-c", asked).stdout.splitlines() == ["[True, True]"] * 2


def test_what_it_prints_becomes_the_offered_load_of_an_iteration(
    lab: Path, python: Fwdtui, tmp_path: Path
) -> None:
    done = python("-m", "fwdtui", "run", str(lab), "--session", "s", "--into", "sessions", "--headless")
    assert done.returncode == 0, done.stdout + done.stderr
    # the same numbers where the plug-in is not installed; interface counters would give others
    table = ("-m", "fwdtui", "replay", "s", "--table", "--format", "csv")
    here, elsewhere = (python(*table, installed=installed).stdout for installed in (True, False))
    assert here == elsewhere and "offered" in here
    session = read_session(tmp_path / "sessions" / "s", verify=True)
    assert session.problems == ()
    assert isinstance(session.facts["dut.routes"], int)
    (iteration,) = session.cases[0].iterations
    folder = tmp_path / "sessions" / "s" / "default" / "001"
    samples = [sample for sample in read_samples(folder).samples if isinstance(sample, RateSample)]
    (log,) = folder.glob("*.log")
    printed = re.findall(r"([\d.]+) s: (\d+) packets in ([\d.]+) s", log.read_text())
    told = [(float(t), int(packets), int(packets) / float(seconds)) for t, packets, seconds in printed]
    assert len(samples) > 5
    assert {(sample.t, sample.packets, sample.pps) for sample in samples} <= set(told)
    offered = iteration.metrics["offered"].median
    assert min(rate for _, _, rate in told) <= offered <= max(rate for _, _, rate in told)
