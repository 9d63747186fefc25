"""How a pattern divides FOLDER/.../NAME into factors, and what is not a pattern."""

import time

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factor_pattern import parse


@pytest.mark.parametrize(
    ("pattern", "place", "expected"),
    [
        ("{image}.{config}.{af}", "n1.pf.inet4", {"image": "n1", "config": "pf", "af": "inet4"}),
        # the first is as long as possible: images have dots in their names
        ("{image}.{config}.{af}", "n1.D2.pf.inet4", {"image": "n1.D2", "config": "pf", "af": "inet4"}),
        ("{image}.{config}.{af}", "n1.inet4", None),
        ("{a}.{b}", ".b", None),
        ("{a}.{b}", "a.", None),
        ("{a}..{b}", "a...b", {"a": "a.", "b": "b"}),
        # only the end of the place counts
        ("{af}", "root/may/inet4", {"af": "inet4"}),
        ("{image}/{config}.{af}", "root/may/pf.inet4", {"image": "may", "config": "pf", "af": "inet4"}),
        ("{image}/{config}.{af}", "pf.inet4", None),
        ("{month}/RAW/{af}", "may/inet4", None),
        ("{month}/RAW/{af}", "may/raw/inet4", None),
        ("{month}/RAW/{af}", "2019/may/RAW/inet4", {"month": "may", "af": "inet4"}),
        ("{a}xx{b}", "1xx2", {"a": "1", "b": "2"}),
        ("{a}xx{b}", "1x2", None),
        ("{a}.{b}.{c}", "1.2.", None),
        # text around the parts, and what gives no factor
        ("tx_{tx_abdicate}.*", "tx_off.inet4", {"tx_abdicate": "off"}),
        ("tx_{tx_abdicate}.*", "rx_off.inet4", None),
        ("*-{rate}-{attack_rate}/*", "x/fbsd-r1-20-10/pf", {"rate": "20", "attack_rate": "10"}),
        ("{queues}-default", "24-default", {"queues": "24"}),
        ("{queues}-default", "24", None),
        ("a{x}a", "aa", None),
        ("a{x}a", "aba", {"x": "b"}),
        ("{Frame-Size}", "64", {"frame_size": "64"}),
        # what means something in a regular expression does not here
        ("{a}.*+({b})", "x.y+(z)", {"a": "x", "b": "z"}),
    ],
)
def test_a_pattern_gives_the_parts_that_it_names(pattern, place, expected):
    assert parse(pattern).match(place) == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("n1.inet4", "names no factor"),
        ("*.*", "names no factor"),
        ("{a}{b}", "nothing separates {a} from what follows"),
        ("*{b}", "nothing separates {*} from what follows"),
        ("{a}.{a}", "names a twice"),
        ("{a}.{b", "unmatched brace"),
        ("a}.{b}", "unmatched brace"),
        ("{}", "is not the name of a factor"),
        ("{1a}", "is not the name of a factor"),
        ("{a}" + "." * 1000, "too long"),
    ],
)
def test_what_is_no_pattern_says_why(pattern, message):
    with pytest.raises(FwdtuiError) as raised:
        parse(pattern)
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_a_pattern_takes_time_in_proportion_whatever_the_name_is():
    pattern = parse(".".join(f"{{a{n}}}" for n in range(60)) + "!")
    began = time.process_time()
    assert pattern.match("a." * 100_000) is None
    assert parse(".".join(f"{{a{n}}}" for n in range(60))).match("." * 100_000 + "x") is not None
    assert time.process_time() - began < 1.0


def test_a_pattern_has_up_to_a_thousand_characters():
    assert parse("{a}" + "." * 997).names == ("a",)
    with pytest.raises(FwdtuiError, match="too long"):
        parse("{a}" + "." * 998)


def test_what_cannot_be_told_apart_is_named_by_the_part_before():
    with pytest.raises(FwdtuiError, match=r"nothing separates \{b\} from what follows it"):
        parse("{a}.{b}{c}")
    with pytest.raises(FwdtuiError, match=r"nothing separates \{\*\} from what follows it"):
        parse("{a}.*{c}")
