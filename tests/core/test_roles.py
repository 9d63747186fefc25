"""Which generator attacks: what the promised loads tell, what addresses tell, and what cannot be told."""

import pytest

from fwdtui.core.roles import TOLERANCE, Sent, by_loads, source_of

GOOD, BAD = "198.51.100.1-198.51.100.9", "203.0.113.1-203.0.113.9"


def three(attack: float, wanted: float = 10e6) -> list[Sent]:
    return [Sent("sender", BAD, attack), Sent("gen2", GOOD, wanted), Sent("gen2_2", GOOD, wanted)]


ATTACKED = {"sender": "attack", "gen2": "wanted", "gen2_2": "wanted"}


@pytest.mark.parametrize("attack", [10e6, 30e6, 40e6])
def test_loads_that_differ_tell_who_attacks(attack):
    roles = by_loads(three(attack), 20e6, attack)
    assert roles is not None and roles.of == ATTACKED and roles.certain


def test_without_an_attack_all_that_was_sent_is_wanted():
    roles = by_loads([Sent("sender", GOOD, 20e6)], 20e6, 0.0)
    assert roles is not None and roles.of == {"sender": "wanted"}
    assert by_loads([Sent("sender", GOOD, 20e6), Sent("gen2", BAD, 20e6)], 20e6, 0.0) is None


def test_equal_loads_are_told_apart_by_addresses_that_are_known():
    roles = by_loads(three(20e6), 20e6, 20e6, {GOOD: "wanted"})
    assert roles is not None and roles.of == ATTACKED and roles.certain
    swapped = by_loads(three(20e6), 20e6, 20e6, {BAD: "wanted"})
    assert swapped is not None and swapped.of["sender"] == "wanted"


def test_equal_loads_without_a_hint_take_the_first_as_the_attack_and_say_so():
    for known in (None, {"192.0.2.1": "wanted"}):
        roles = by_loads(three(20e6), 20e6, 20e6, known)
        assert roles is not None and roles.of == ATTACKED and not roles.certain
        assert "equally large" in roles.why and "either way" in roles.why


def test_generators_that_send_from_the_same_addresses_have_one_role():
    # by rates alone gen2 could be the attack of 10 Mpps
    sent = [Sent("sender", GOOD, 10e6), Sent("gen2", GOOD, 10e6), Sent("gen3", BAD, 20e6)]
    roles = by_loads(sent, 20e6, 20e6, {BAD: "attack"})
    assert roles is not None and roles.of == {"sender": "wanted", "gen2": "wanted", "gen3": "attack"}
    assert by_loads(sent, 30e6, 10e6) is None


def test_loads_that_fit_no_roles_give_none():
    assert by_loads(three(25e6), 20e6, 10e6) is None
    assert by_loads([], 20e6, 0.0) is None
    assert by_loads([Sent(str(n), "", 1.0) for n in range(9)], 8.0, 1.0) is None


@pytest.mark.parametrize(("share", "fits"), [(0.99 * TOLERANCE, True), (1.01 * TOLERANCE, False)])
def test_a_load_fits_within_the_tolerance(share, fits):
    assert (by_loads(three(10e6 * (1 - share)), 20e6, 10e6) is not None) is fits
    assert (by_loads(three(10e6, 10e6 * (1 + share)), 20e6, 10e6) is not None) is fits


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("pkt-gen -f tx -d 1.2.3.4:20 -s 198.18.2.1:2000-198.18.2.9:2200 -S 00:07", "198.18.2.1-198.18.2.9"),
        ("pkt-gen -s198.18.2.1 -l 60", "198.18.2.1"),
        ("pkt-gen -6 -s [2001:db8::1]:2000 -l 60", "[2001:db8::1]:2000"),
        ("pkt-gen -f tx -S 00:07:43:30:f5:b9", ""),
        ("pkt-gen -s -l 60", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_addresses_come_from_the_command_without_their_ports(command, source):
    assert source_of(command) == source


def test_the_loads_outrank_what_addresses_were_elsewhere():
    roles = by_loads(three(10e6), 20e6, 10e6, {GOOD: "attack"})
    assert roles is not None and roles.of == ATTACKED and roles.certain


def test_up_to_eight_sets_of_addresses_are_told_apart():
    sent = [Sent(str(number), "", 3.0**number) for number in range(8)]
    total = sum(one.rate for one in sent)
    roles = by_loads(sent, total - 3.0**6, 3.0**6, {"0": "wanted", "1": "wanted", "2": "wanted"})
    assert roles is not None and roles.certain
    assert [name for name, role in roles.of.items() if role == "attack"] == ["6"]
    assert by_loads([*sent, Sent("8", "", 1.0)], total + 1.0 - 3.0**6, 3.0**6) is None


def test_generators_without_addresses_are_told_apart_by_their_names():
    roles = by_loads([Sent("a", "", 20e6), Sent("b", "", 20e6)], 20e6, 20e6)
    assert roles is not None and roles.of == {"a": "attack", "b": "wanted"}


def test_where_nothing_was_promised_and_nothing_sent_there_are_no_roles():
    assert by_loads([], 0.0, 0.0) is None
