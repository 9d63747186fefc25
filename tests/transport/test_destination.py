"""Destinations are what ssh takes, and nothing that a shell or ssh would take for something else."""

import pytest

from fwdtui.transport.destination import Destination, parse_destination
from fwdtui.transport.errors import BadSshConfig


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dut", Destination("dut")),
        ("root@dut", Destination("dut", "root")),
        ("root@dut.example.org:2222", Destination("dut.example.org", "root", 2222)),
        ("10.0.0.1:22", Destination("10.0.0.1", None, 22)),
        ("[2001:2::1]:2222", Destination("2001:2::1", None, 2222)),
        ("[2001:2::1]", Destination("2001:2::1")),
        ("root@[fe80::1%igb0]:22", Destination("fe80::1%igb0", "root", 22)),
        ("2001:2::1", Destination("2001:2::1")),
        ("me@corp@dut", Destination("dut", "me@corp")),
        ("ssh://root@dut:2222/", Destination("dut", "root", 2222)),
        ("bücher.example", Destination("bücher.example")),
    ],
)
def test_the_forms_of_ssh_are_read(text: str, expected: Destination) -> None:
    assert parse_destination(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "@dut", "root@", "-oProxyCommand=x", "dut:", "dut:0", "dut:65536", "dut:²", "[2001:2::1", "[::1]x",
     "a b", "dut\n", "dut;reboot", "$(reboot)@dut", "-l@dut", "dut`x`", "\x1b[31mdut"],
)  # fmt: skip
def test_anything_else_is_refused_with_a_reason_on_one_line(text: str) -> None:
    with pytest.raises(BadSshConfig) as caught:
        parse_destination(text)
    assert "not an ssh destination" in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", ["dut", "root@dut:2222", "root@[2001:2::1]:2222", "2001:2::1"])
def test_a_destination_prints_as_it_is_written(text: str) -> None:
    assert str(parse_destination(text)) == text
