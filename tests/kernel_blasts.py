"""What holds for every blast on the kernel lab at full load, whoever started it."""

import json
from pathlib import Path


def stored(iteration: Path) -> dict:
    """What is saved of the iteration in this folder."""
    return json.loads((iteration / "iteration.json").read_text())


def every_packet_is_named(iteration: Path) -> None:
    """Each packet that was offered is forwarded and received, or dropped in a stage."""
    packets = stored(iteration)["packets"]
    assert packets["offered"] > 100_000
    assert packets["offered"] == packets["forwarded"] + sum(packets["drops"].values())
    assert packets["unaccounted"] == 0
    assert packets["received"] == packets["forwarded"]
    assert (iteration / "generator.log").stat().st_size > 0


def the_dut_is_the_limit(iteration: Path) -> None:
    """It is named with the stage that drops."""
    told = stored(iteration)
    assert told["limit"]["code"] == "dut-limited"
    assert "input queue drops" in told["limit"]["text"]
    assert told["packets"]["drops"]["input queue"] > 0
