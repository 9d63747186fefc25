"""How long a tool waits for links is read from its start command, wherever pkt-gen is in it."""

import pytest

from fwdtui.core.lab import Endpoint
from fwdtui.core.link_wait import longest, wait_of


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        ("pkt-gen -N -f tx -i igb2 -l 60", 2.0),
        ("pkt-gen -N -f tx -i igb2 -w 35 -l 60", 35.0),
        ("timeout -s INT 60 /usr/local/bin/pkt-gen -f tx -i ix0 -Nw35 -W", 35.0),
        ("timeout 60 pkt-gen -f tx -i ix0 \\\n  -w 4 -d '[2001:2:0:10::1]-[2001:2:0:10::64]'", 4.0),
        ("pkt-gen -i ix0 -w 3 & pkt-gen -i ix1 -w 7; wait", 7.0),
        ("pkt-gen -f rx -i ix0 -w 0 2>&1 | tee log", 0.0),
        ("pkt-gen -f rx -i ix0 -w $WAIT", 2.0),
        ("pkt-gen -f rx -i 'ix0 -w 9", 2.0),
        ("pkt-gen", 2.0),
        ("my-pkt-gen -w 9", 0.0),
        ("trafgen --dev eth0 -w 9", 0.0),
        ("", 0.0),
    ],
)
def test_it_is_what_pkt_gen_is_given_and_two_seconds_else(command: str, seconds: float) -> None:
    assert wait_of(command) == seconds


def test_of_several_tools_the_longest_counts() -> None:
    ends = [
        Endpoint("gen", f"ix{n}", "netmap-pkt-gen", start) for n, start in enumerate(["pkt-gen -w 9", None])
    ]
    assert longest(ends) == 9.0 and longest(ends[1:]) == longest([]) == 0.0
