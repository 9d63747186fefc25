"""A lab whose hosts do not answer: each says why, and nothing claims that something is measured."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from waiting import press, until

from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.live.bench_control import BenchControl
from fwdtui.ui.shell.app import FwdtuiApp


@pytest.fixture
def closed() -> Iterator[list[int]]:
    """Ports of this machine that nobody listens on."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(2)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        yield [one.getsockname()[1] for one in sockets]


async def test_every_host_says_why_it_is_not_reached_and_nothing_claims_to_go_on(tmp_path: Path, closed):
    hosts = [f"127.0.0.1:{port}" for port in closed]
    file = tmp_path / "lab.toml"
    file.write_text(
        f'[generator]\nhost = "{hosts[0]}"\ninterface = "g0"\n'
        f'[dut]\nhost = "{hosts[1]}"\nin = "d0"\nout = "d1"\n'
    )
    control = BenchControl(file, tmp_path / "sessions", "one", "default")
    app = FwdtuiApp(tmp_path / "sessions", live=control)
    async with app.run_test(size=(80, 24)) as pilot:

        def text(name: str) -> str:
            return " ".join(app.screen.query_one(f"#{name}", Panel).plain().split())

        await until(lambda: control.snapshot(0).diagnosis.code == "host-lost")
        await until(lambda: "retried every" in text("diagnosis"))
        said = text("diagnosis")
        assert "Not reached, so nothing is measured or recorded" in said
        for host in hosts:
            assert said.count(f"{host}: ") == 1, "each host, and not only the first"
        assert said.count("refused") == 2
        assert "lost at" not in text("heading-line") and "not reached" in text("heading-line")
        await press(pilot, "f3")
        assert app.elsewhere() == ""
        await app.close_live()
    assert not (tmp_path / "sessions").exists()
