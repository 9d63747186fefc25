"""What somebody else sent at the same time, found by what our generators say of themselves."""

from types import SimpleNamespace
from typing import Any

import pytest
from benches import PLAN

from fwdtui.collectors.tools import registry
from fwdtui.collectors.tools.base import GENERATOR, RECEIVER, ToolVerdict
from fwdtui.core.drop_stages import INPUT_QUEUE
from fwdtui.core.lab import parse
from fwdtui.core.model import Iteration, Packets
from fwdtui.core.roles import ATTACK, WANTED
from fwdtui.monitor.run.others import CODE, with_others

LAB = parse(PLAN)
BEGAN = 10.0


def tool(
    packets: int | None = 100_000,
    ended_at: float = 20.0,
    frames: bool = True,
    runs: bool = False,
    role: str = GENERATOR,
    sends: str = WANTED,
) -> Any:
    ended = SimpleNamespace(verdict=ToolVerdict(packets=packets), seconds=10.0)
    return SimpleNamespace(
        tool=SimpleNamespace(frames=frames),
        origin=SimpleNamespace(role=role),
        endpoint=SimpleNamespace(role=sends),
        ended=None if runs else ended,
        ended_at=None if runs else ended_at,
    )


def told(offered: int | None, *tools: Any, **drops: int) -> list[str]:
    packets = Packets(offered, forwarded=offered, drops={INPUT_QUEUE: drops.get("refused", 0)})
    found = with_others(LAB, Iteration(1, 1e4, packets=packets), tools, BEGAN)
    return [one.text for one in found.warnings if one.code == CODE]


def test_more_than_our_generator_sent_is_told_with_both_numbers() -> None:
    (text,) = told(200_000, tool())
    assert text.startswith(
        "200 000 packets were offered, but the generators that fwdtui started sent 100 000: "
    )
    assert told(110_000, tool()), "a tenth of it"
    assert told(200_000, tool(), tool(role=RECEIVER, packets=7), tool(sends=ATTACK, packets=10**6))


def test_what_the_dut_s_port_refused_is_offered_and_not_in_what_trafgen_sent() -> None:
    assert not told(500_000, tool(), refused=400_000)
    assert told(500_000, tool(), refused=100_000)


@pytest.mark.parametrize(
    ("offered", "tools"),
    [
        (109_000, [tool()]),  # what is usual on a port
        (2_100, [tool(packets=1_200)]),  # less than 100 pps more
        (50_000, [tool()]),  # the port refused packets, or it ran on from an earlier blast
        (None, [tool()]),
        (200_000, []),  # started by hand
        (200_000, [tool(role=RECEIVER)]),
        (200_000, [tool(runs=True)]),
        (200_000, [tool(packets=None)]),
        (200_000, [tool(frames=False)]),  # its packets may be several frames
        (200_000, [tool(ended_at=9.0)]),  # it ended before this blast, which was started by hand
    ],
)
def test_what_says_nothing_about_others_is_no_warning(offered: int | None, tools: list[Any]) -> None:
    assert told(offered, *tools) == []


def test_tools_that_count_frames_are_those_whose_packets_never_become_fragments() -> None:
    tools = {name: registry.named(name).frames for name in ("trafgen", "linux-pktgen", "iperf3", "counters")}
    assert tools == {"trafgen": True, "linux-pktgen": True, "iperf3": False, "counters": False}


def test_a_generator_that_fwdtui_did_not_start_may_have_sent_it() -> None:
    two = parse(PLAN.replace("[generator]", "[[generator]]").replace(
        "[dut]", '[[generator]]\nhost = "gen"\ninterface = "g1"\n[dut]'
    ))  # fmt: skip
    iteration = Iteration(1, 1e4, packets=Packets(200_000))
    assert with_others(two, iteration, [tool()], BEGAN) == iteration
