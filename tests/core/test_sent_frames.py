"""The frames' length is read from a generator's command only where it is certain."""

import pytest

from fwdtui.core.sent_frames import frame_of


@pytest.mark.parametrize(
    ("command", "frame"),
    [
        ("pkt-gen -N -f tx -i igb2 -l 60", 64),
        ("pkt-gen -f tx -i igb2 -l1514 -4 -d 198.19.10.1:2000-198.19.10.20", 1518),
        ("timeout 60 /usr/local/bin/pkt-gen -i ix0 -f tx -l 60 -w 4", 64),
        ("timeout -s INT 60 pkt-gen -f tx -i ix0 -l 60", 64),
        ("timeout -sINT -k 5s 1.5h pkt-gen -f tx -i ix0 -l 60", 64),
        ("timeout --foreground --signal=INT --kill-after 9 60 pkt-gen -f tx -i ix0 -l 60", 64),
        ("sudo pkt-gen -i ix0 -f tx -U -N -l 124 -s '198.18.10.1:2000'", 128),
    ],
)
def test_the_length_of_pkt_gen_leaves_out_the_four_bytes_of_the_fcs(command: str, frame: int) -> None:
    assert frame_of(command) == frame


@pytest.mark.parametrize(
    "command",
    [
        "pkt-gen -f tx -i igb2",  # what is left out may differ from version to version
        "pkt-gen -f tx -i igb2 -l 1514 -l 60",  # random lengths between them
        "pkt-gen -f tx -i igb2 -l 42",  # a card pads it, a virtual interface does not
        "pkt-gen -f tx -i igb2 -l 70000",
        "pkt-gen -f tx -i igb2 -l $LENGTH",
        "pkt-gen -f tx -i igb2 -l ٦٠",
        "pkt-gen -f tx -i igb2 -l",
        "pkt-gen -f tx -i igb2 -l 60 -P some.pcap",
        "pkt-gen -f tx -i igb2 -l 60 -F 3",
        "pkt-gen -f tx -i igb2 -l 60 -H 12",
        "pkt-gen -f tx -i igb2 -l 60 -k 1",  # an option that no known version has
        "pkt-gen -f tx -i igb2 -l 60 & pkt-gen -f tx -i igb3 -l 1514",
        "pkt-gen -f tx -i 'igb2 -l 60",
        "my-pkt-gen -l 60",
        "timeout -s INT pkt-gen -l 60",  # of which timeout says that it is no time
        "timeout -x 1 60 pkt-gen -l 60",
        "ssh other pkt-gen -l 60",
        "trafgen -c frames.cfg -l 60",
        "iperf3 -u -c 198.18.0.1 -l 18",
        "",
    ],
)
def test_a_command_that_may_send_something_else_tells_nothing(command: str) -> None:
    assert frame_of(command) is None
