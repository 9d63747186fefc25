"""Sentences of which only a part is read: the rest is told, and an aside is not taken for the claim."""

import pytest
from ministat_samples import report

from fwdtui.check import Checked, check_text


def check(sentence: str, block: str = "up3") -> Checked:
    return check_text("x", report(f"{sentence}\n[[{block}]]\n"))


@pytest.mark.parametrize(
    ("sentence", "unread"),
    [
        ("A is 5 % faster and B 3 % slower:", "'5 %' and '3 %' are"),
        ("IPv4 is 5 % faster and IPv6 3 % slower:", "'5 %' and '3 %' are"),
        ("The change is -1 % to +2 %:", "'-1 %' and '+2 %' are"),
        ("It is 3 % faster, and A is 5 % faster and B 7 % slower:", "'5 %' and '7 %' are"),
        ("Forwarding is 3 % faster at 80 % CPU:", "'3 %' is"),
        ("A is 3 % faster and B is slower:", "'is slower' is"),
        ("It is 3 % faster (it was 12 % slower):", "'12 %' is"),
        ("We tested the patch (it was 7 % faster):", "'7 %' is"),
        ("We tested the patch (it was 2x faster):", "'2x faster' is"),
        ("A (this was 7 % faster) and B (it was 3 % slower):", "'7 %' and '3 %' are"),
        ("Forwarding is faster, 12 %:", "'12 %' is"),
        ("Forwarding is 12 %, faster:", "'12 %' is"),
        ("Forwarding improved by 12 ± 0.3 %:", "'12 ± 0.3 %' is"),
        ("The patch is 12.5 ±0.3% faster:", "'12.5 ±0.3%' is"),
        ("At 95 % confidence, A is 7 % faster and B 3 % slower:", "'7 %' and '3 %' are"),
        ("With four queues A is 7 % faster and B 3 % slower:", "'7 %' and '3 %' are"),
        ("At a load of 80 %, it is 7 % slower:", "'7 %' is"),
        ("Forwarding is 12 % up:", "'12 %' is"),
        ("Forwarding: down about 12 %:", "'12 %' is"),
        ("The patch wins 12 %:", "'12 %' is"),
        ("The patch is ahead by 12 %:", "'12 %' is"),
        ("The patch is 12 % behind:", "'12 %' is"),
        ("Number of queues 4: it is 7 % slower:", "'7 %' is"),
        ("Under load, 7 % more packets are lost:", "'7 %' is"),
        ("Under load, the lock is 7 % slower:", "'7 %' is"),
        ("With 8 threads it is 7 % slower, at a lower latency:", "'7 %' is"),
        ("D1 brings a 20 % loss:", "'20 %' is"),
        ("IPv4 shows a loss of 30 %:", "'30 %' is"),
        ("Throughput grows by 30 %:", "'30 %' is"),
        ("A performance hit of 30 %:", "'30 %' is"),
        ("Forwarding takes a 12 % hit:", "'12 %' is"),
        ("The patch beats stock by 12 %:", "'12 %' is"),
        ("The patch outperforms stock by 12 %:", "'12 %' is"),
        ("The patch lifts the rate by 12 %:", "'12 %' is"),
        ("Plus 12 % with the patch:", "'12 %' is"),
        ("The patch leads by 12 %:", "'12 %' is"),
        ("The patch has a lead of 12 %:", "'12 %' is"),
        ("The patch yields 12 %:", "'12 %' is"),
        ("Forwarding is faster, though only by 12 %:", "'12 %' is"),
    ],
)
def test_what_is_not_read_of_a_sentence_is_told(sentence: str, unread: str) -> None:
    checked = check(sentence)
    assert checked.findings == ()
    assert [one.message for one in checked.unchecked] == [f"{unread} not read; write one claim per sentence."]


@pytest.mark.parametrize(
    ("sentence", "unread"),
    [
        ("IPv4 is faster by 300 Kpps:", "'300 kpps' is"),
        ("It forwards 5 Mpps, 3 % faster than before:", "'5 mpps' is"),
        ("Throughput improved from 1.0 Mpps to 1.5 Mpps:", "'1.0 mpps' and '1.5 mpps' are"),
    ],
)
def test_a_rate_beside_what_is_read_is_told(sentence: str, unread: str) -> None:
    checked = check(sentence)
    assert checked.findings == ()
    assert [one.message for one in checked.unchecked] == [f'{unread} not read; "10 % faster" is.']


@pytest.mark.parametrize(
    ("sentence", "unread"),
    [
        ("Forwarding is faster by ten percent:", "ten percent"),
        ("The patch improves forwarding by a third:", "by a third"),
        ("The patch increases throughput tenfold:", "tenfold"),
        ("The patch increases throughput 10-fold:", "10-fold"),
        ("The patch is one percent faster:", "one percent"),
        ("The patch is half a percent faster:", "half a percent"),
        ("The patch is ½ % faster:", "½ %"),
        ("The patch is 1/3 faster:", "1/3 faster"),
    ],
)
def test_a_size_in_words_is_told_also_beside_a_direction_that_is_read(sentence: str, unread: str) -> None:
    checked = check(sentence)
    assert checked.findings == ()
    assert [one.message for one in checked.unchecked] == [f'{unread!r} is not read; "10 % faster" is.']


@pytest.mark.parametrize(
    ("sentence", "unread"),
    [
        ("The patch is within 1 % of r1:", "1 %"),
        ("The patch reaches 99 % of the baseline:", "99 %"),
        ("The patch runs at 103 % of r1's rate:", "103 %"),
        ("The patch is 12 % above r1:", "12 %"),
    ],
)
def test_a_percentage_of_a_set_is_told(sentence: str, unread: str) -> None:
    checked = check(sentence, "up3 | r1 | r1 with D1")
    assert checked.findings == ()
    assert [one.message for one in checked.unchecked] == [f'{unread!r} is not read; "1 % slower" is.']
    assert check("The load was 80 % of what r9 got:", "up3 | r1 | r2").unchecked == ()


@pytest.mark.parametrize(
    ("up", "down"),
    [
        ("Throughput went up.", "Throughput went down."),
        ("The throughput rose.", "The throughput falls with the patch."),
        ("The patch has higher throughput.", "The patch has a much lower forwarding rate."),
        ("The patch gives better performance.", "We see worse performance."),
        ("Higher throughput with the patch.", "Lower throughput with the patch."),
        ("The patch forwards more packets.", "The patch forwards fewer packets."),
        ("=> faster", "=> slightly slower"),
        ("Faster!", "Slower."),
        ("It's faster.", "Unfortunately it's slower."),
        ("That's an improvement.", "This is a regression."),
    ],
)
def test_a_direction_in_few_words_is_read(up: str, down: str) -> None:
    for block, true, false in (("up3", up, down), ("down3", down, up)):
        right, wrong = (check_text("x", report(f"[[{block}]]\n\n{one}\n")) for one in (true, false))
        assert (right.findings, right.claims, right.unchecked) == ((), 1, ())
        [finding] = wrong.findings
        assert " gives " in finding.message


@pytest.mark.parametrize(
    "sentence",
    [
        "The patch has a better forwarding table layout.",
        "Higher throughput needs more cores.",
        "The goal is higher throughput.",
        "Throughput fell below 1 Mpps in a warm-up.",
        "This is a regression test.",
        "No higher throughput.",
    ],
)
def test_words_of_a_direction_that_say_something_else_are_no_claim(sentence: str) -> None:
    for block in ("up3", "down3"):
        assert check_text("x", report(f"[[{block}]]\n\n{sentence}\n")).claims == 0


@pytest.mark.parametrize(
    ("sentence", "unread"),
    [
        ("The base outperforms it.", "outperforms"),
        ("The patch is much worse than the base.", "is much worse than"),
        ("The patch hurts performance.", "hurts performance"),
    ],
)
def test_that_a_set_is_ahead_is_told_where_it_is_not_read(sentence: str, unread: str) -> None:
    checked = check_text("x", report(f"[[up3]]\n\n{sentence}\n"))
    assert [one.message for one in checked.unchecked] == [f'{unread!r} is not read; "A is faster than B" is.']


@pytest.mark.parametrize(
    "sentence", ["It is .3 % faster:", "It gains .3%:", "-.5 % with the patch:", "+.5 %:"]
)
def test_a_percentage_without_a_digit_before_its_point_is_read(sentence: str) -> None:
    assert len(check(sentence).findings) == 1, "the data say 3 %"


@pytest.mark.parametrize("more", ["more", "fewer", "less"])
def test_packets_at_the_end_of_a_sentence_are_those_that_are_forwarded(more: str) -> None:
    for end in ("", ".", ":"):
        text = f"[[up3]]\n\n=> r2 forwards 22 % {more} packets{end}\n"
        assert len(check_text("x", report(text)).findings) == 1, end


@pytest.mark.parametrize(
    ("sentence", "unread"),
    [
        ("Latency drops by 20 %:", "20 %"),
        ("The latency is 50 % higher:", "50 %"),
        ("r2 has 20 % lower latency than r1:", "20 %"),
        ("No impact on latency:", "no impact"),
        ("The latency is unchanged:", "unchanged"),
        ("It halves the latency:", "halves"),
    ],
)
def test_what_is_said_of_a_latency_is_told_beside_a_block_that_measures_it(
    sentence: str, unread: str
) -> None:
    [left] = check(sentence, "up3 | r1 latency | r2 latency").unchecked
    assert left.message == f'{unread!r} is not read; "20 % slower" and "no regression" are.'
    assert check(sentence).unchecked == (), "beside a rate it is about something else"


@pytest.mark.parametrize(
    "aside",
    ["(was 12 % before)", "(12 out of 30 runs)", "(out of 30 %)", "(instead of 7 %)", "(was 1.2 Mpps)"],
)
def test_an_aside_is_not_the_figure_of_a_claim(aside: str) -> None:
    assert check(f"Forwarding is 3 % faster {aside}:").findings == ()
    [finding] = check(f"Forwarding is 12 % faster {aside}:").findings
    assert "'12 %' (better)" in finding.message


@pytest.mark.parametrize(
    "sentence",
    [
        "Improved by 3 % (95 % CI: 2.7 % to 3.2 %):",
        "Forwarding is 3 % faster at 95 % confidence:",
        "It is 3 % faster, and should be 5 % faster with D2:",
        "The patch is 3 % faster and uses one queue:",
        "CPU usage is 7 % lower:",
        "The link is up 100 % of the time:",
        "Up to 12 % of the flows are TCP:",
        "The generator sends 80 %:",
        "Under load, the latency is 7 % higher:",
        "There is 20 % packet loss:",
        "The cache has a hit rate of 20 %:",
        "With an offered load of 1.4 Mpps, it is 3 % faster:",
        "The generator sends 1.4 Mpps:",
    ],
)
def test_what_claims_nothing_more_is_not_told(sentence: str) -> None:
    assert check(sentence).unchecked == ()


@pytest.mark.parametrize(
    "under",
    [
        "With four queues", "Under load,", "With 8 threads", "At 95 % confidence,", "On 4 cores",
        "At full load", "With a burst of 32,",
    ],
)  # fmt: skip
def test_under_what_load_and_settings_it_was_measured_hides_no_figure(under: str) -> None:
    true = check(f"{under} the patch is 3 % faster:")
    assert (true.claims, true.findings, true.unchecked) == (1, (), ())
    [finding] = check(f"{under} the patch is 7 % faster:").findings
    assert "'7 %' (better), but the block" in finding.message


@pytest.mark.parametrize(
    "written",
    [
        "12\\%", "12 %[^1]", "12 \ufe6a", "12 \u066a", "\uff11\uff12 %", "12&nbsp;%",
        "12\u200b%", "12 %\u200b", "\u206012 %", "12 % \u00ad", "12&#8203;%", "12\u200c\uff05",
    ],
)  # fmt: skip
def test_a_percentage_as_people_write_it(written: str) -> None:
    [finding] = check(f"Forwarding is {written} faster:").findings
    assert "(better), but the block" in finding.message


def test_an_uplift_is_a_gain() -> None:
    assert check("The patch is a 3 % uplift:").claims == 1
    [finding] = check("There is an uplift of 12 %:").findings
    assert "'12 %' (better), but the block" in finding.message
