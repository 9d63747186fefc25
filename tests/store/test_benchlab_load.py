"""What the generators of a run offered: the sum of those whose traffic is wanted, as far as each is known."""

import pytest

from fwdtui.core.model import RateSample
from fwdtui.core.parse.netmap_pktgen import PktGenLog
from fwdtui.store.benchlab_load import Load, Sender, load


def of(kind: str, *rates: float, unread: bool = False, log: PktGenLog | None = None) -> Sender:
    """A generator that sent at these rates, a second each."""
    series = [RateSample("generator", n, 1.0, rate) for n, rate in enumerate(rates, 1)]
    file = f"{kind.replace('sender', 'generator')}.log"
    return Sender(kind, log or PktGenLog(command="pkt-gen"), series, 0.0, unread, file)


def at(kind: str, rate: float) -> Sender:
    return of(kind, *[rate] * 40)


def found(*senders: Sender, **roles: str) -> Load:
    return load(senders, roles, None, None, "steady")


def medians(one: Load) -> dict[str, float]:
    return {name: summary.median for name, summary in one.metrics.items()}


def codes(one: Load) -> list[str]:
    return [caution.code for caution in one.cautions]


def test_one_generator_is_the_load_and_needs_no_role() -> None:
    one = found(at("sender", 100.0))
    assert (medians(one), codes(one), one.attacked) == ({"offered": 100.0}, [], False)
    assert load((), {}, None, None, "steady") == Load({}, (), False)


def test_several_whose_roles_are_not_all_known_are_summed_and_that_is_told() -> None:
    for roles in ({}, {"sender": "attack"}, {"sender_2": "wanted"}):
        one = found(at("sender", 100.0), at("sender_2", 30.0), **roles)
        assert (medians(one), codes(one), one.attacked) == ({"offered": 130.0}, ["senders-summed"], False)
        assert one.cautions[0].text.startswith(
            "There were 2 generators (sender, sender_2): the offered load is their sum."
        )


def test_with_known_roles_the_attack_is_kept_apart() -> None:
    one = found(
        at("sender", 100.0), at("sender_2", 30.0), at("sender_3", 5.0),
        sender="attack", sender_2="wanted", sender_3="wanted",
    )  # fmt: skip
    assert (medians(one), codes(one), one.attacked) == (
        {"offered": 35.0, "attack": 100.0}, ["attack-sent"], True,
    )  # fmt: skip
    assert "sender sent an attack (100 pps) beside the wanted traffic of sender_2 and sender_3" in (
        one.cautions[0].text
    )
    wanted = found(at("sender", 100.0), at("sender_2", 30.0), sender="wanted", sender_2="wanted")
    assert (medians(wanted), codes(wanted), wanted.attacked) == ({"offered": 130.0}, [], False)


def test_an_attack_alone_offers_nothing() -> None:
    one = found(at("sender", 100.0), sender="attack")
    assert medians(one) == {"attack": 100.0} and "beside no wanted traffic" in one.cautions[0].text


@pytest.mark.parametrize(
    ("log", "what"),
    [
        (PktGenLog(), "could not be read"),
        (PktGenLog(command="pkt-gen"), "has no rate"),
        (PktGenLog(killed=True), "has no rate"),
        (PktGenLog(packets_total=5), "has no rate"),
    ],
)
def test_a_log_without_a_rate_leaves_the_load_unknown(log: PktGenLog, what: str) -> None:
    one = found(at("sender", 100.0), of("sender_2", unread=True, log=log))
    assert (medians(one), codes(one)) == ({}, ["sender-unread"])
    assert one.cautions[0].text.startswith(f"A generator's log {what} (generator_2.log), so the offered load")


def test_an_attack_without_a_rate_leaves_only_the_attack_unknown() -> None:
    roles = {"sender": "attack", "sender_2": "attack", "sender_3": "wanted"}
    one = found(at("sender", 100.0), of("sender_2", unread=True), at("sender_3", 7.0), **roles)
    assert (medians(one), codes(one)) == ({"offered": 7.0}, ["attack-sent"])
    assert "sender and sender_2 sent an attack, whose rate is not known, beside" in one.cautions[0].text


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_a_generator_without_samples_leaves_no_sum_that_would_be_too_low(trim: str) -> None:
    one = load([at("sender", 100.0), of("sender_2")], {}, None, None, trim)
    assert medians(one) == {} and codes(one) == ["senders-summed"]
    assert "one of them has no rate, so the load is not known" in one.cautions[0].text


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_zeros_were_measured(trim: str) -> None:
    assert medians(load([at("sender", 0.0)], {}, None, None, trim)) == {"offered": 0.0}


def test_lowest_and_highest_are_as_if_all_were_so_at_once() -> None:
    first = of("sender", *[90.0, 100.0, 120.0] * 20)
    other = of("sender_2", *[1.0, 2.0, 6.0] * 10)
    summary = found(first, other).metrics["offered"]
    assert (summary.min, summary.median, summary.max) == (91.0, 102.0, 126.0)
    assert summary.n < 40 and summary.mean == pytest.approx(310 / 3 + 3, rel=0.02)
