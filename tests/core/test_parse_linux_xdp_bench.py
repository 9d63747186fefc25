"""xdp-bench and xdp-trafficgen."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.parse.xdp_bench import XdpRun, XdpSample, parse_xdp_bench


def run(captures: Path, name: str) -> XdpRun:
    parsed = parse_xdp_bench((captures / "linux" / f"xdp-{name}.txt").read_text())
    assert parsed.skipped == ()
    return parsed.value


def ours(name: str) -> XdpRun:
    parsed = parse_xdp_bench(linux(f"xdp-{name}"))
    assert parsed.skipped == ()
    return parsed.value


def test_the_line_after_a_blank_one_at_the_end_is_partial() -> None:
    assert ours("bench-drop") == XdpRun(
        (
            XdpSample("Summary", rx=2000, errors=0),
            XdpSample("Summary", rx=2000, errors=0),
            XdpSample("Summary", rx=1007, errors=0, partial=True),
        ),
        received=5007,
        dropped=5007,
    )


def test_blank_lines_inside_the_long_form_do_not_make_a_sample_partial() -> None:
    assert ours("bench-drop-extended") == ours("bench-drop")


def test_thousands_are_grouped_as_the_locale_likes() -> None:
    dropped, redirected = ours("bench-grouped").samples
    assert dropped == XdpSample("Summary", rx=1_234_567, errors=0)
    assert redirected == XdpSample("eth0->eth1", rx=310_001, errors=2, xmit=309_999)


def test_drops_of_a_redirect_and_its_detail_lines() -> None:
    found = ours("bench-redirect-drops")
    assert found.samples == (XdpSample("eth2->eth3", rx=4_000_000, errors=4_000_001, xmit=0),) * 2


def test_kernel_messages_in_between_are_passed_over() -> None:
    assert ours("bench-redirect-dmesg").samples == (XdpSample("eno0->eno2", rx=1_400_007, errors=6, xmit=0),)


def test_the_total_of_a_redirect_to_a_cpu() -> None:
    assert ours("bench-redirect-cpu").samples == (XdpSample("ice4->?", rx=13_000_680, errors=0),)


def test_a_generator_s_lines_have_errors_first() -> None:
    assert [(item.errors, item.xmit, item.partial) for item in ours("trafficgen-sigint").samples] == [
        (0, 500_000, False),
        (0, 500_001, False),
        (0, 250_000, True),
    ]


def test_a_fixed_number_of_packets_is_a_count_and_marked_partial() -> None:
    assert ours("trafficgen-count").samples == (XdpSample("lo->veth0", errors=0, xmit=70_000, partial=True),)


def test_a_banner_on_stderr_gives_nothing() -> None:
    assert ours("bench-banner.stderr") == XdpRun()


@pytest.mark.parametrize("number", ["1,234,567", "1.234.567", "1'234'567", "1\u202f234\u202f567", "1234567"])
def test_every_grouping_is_the_same_number(number: str) -> None:
    parsed = parse_xdp_bench(f"Summary   {number} rx/s      0 err/s\n")
    assert parsed.value.samples == (XdpSample("Summary", rx=1234567, errors=0),)


def test_only_the_last_interval_after_a_blank_line_is_a_shorter_one() -> None:
    lines = [f"Summary {n} rx/s 0 err/s" for n in (1, 2, 3)]
    for text, partial in (("\n".join(lines), False), ("\n\n".join(lines), True)):
        found = parse_xdp_bench(text + "\n").value.samples
        assert [(sample.rx, sample.partial) for sample in found] == [(1, False), (2, False), (3, partial)]


# the same in real results


def real_the_line_after_a_blank_one_at_the_end_is_partial(captures: Path) -> None:
    assert run(captures, "bench-1.6-drop-veth.stdout") == XdpRun(
        (
            XdpSample("Summary", rx=1000, errors=0),
            XdpSample("Summary", rx=1000, errors=0),
            XdpSample("Summary", rx=1015, errors=0, partial=True),
        ),
        received=6000,
        dropped=6000,
    )


def real_blank_lines_inside_the_long_form_do_not_make_a_sample_partial(captures: Path) -> None:
    found = run(captures, "bench-1.6-drop-e-r-skb.stdout")
    assert [(item.rx, item.partial) for item in found.samples] == [
        (1000, False),
        (1000, False),
        (1017, True),
    ]
    assert found.received == 6001


def real_thousands_are_grouped_as_the_locale_likes(captures: Path) -> None:
    found = run(captures, "bench-terse-fec-imx93")
    assert [item.rx for item in found.samples] == [
        396868, 396024, 684781, 675746, 208552, 208654, 311210, 310808,
    ]  # fmt: skip
    assert found.samples[6] == XdpSample("eth0->eth0", rx=311210, errors=0, xmit=311208)


def real_drops_of_a_redirect_and_its_detail_lines(captures: Path) -> None:
    found = run(captures, "bench-redirect-terse-drops-mlx5")
    assert found.samples[0] == XdpSample("eth2->eth3", rx=16153328, errors=16153329, xmit=0)
    assert len(found.samples) == 2


def real_kernel_messages_in_between_are_passed_over(captures: Path) -> None:
    found = run(captures, "bench-redirect-dmesg-interleaved-enetc")
    assert [item.rx for item in found.samples] == [1420505, 1420484]


def real_the_total_of_a_redirect_to_a_cpu(captures: Path) -> None:
    assert run(captures, "bench-redirect-cpu-e-ice4").samples == (
        XdpSample("ice4->?", rx=13803680, errors=0),
    )


def real_a_generator_s_lines_have_errors_first(captures: Path) -> None:
    found = run(captures, "trafficgen-1.6-udp-sigint.stdout")
    assert [(item.xmit, item.partial) for item in found.samples] == [
        (4343360, False),
        (4532305, False),
        (4519317, False),
        (4265455, True),
    ]


def real_a_fixed_number_of_packets_is_a_count_and_marked_partial(captures: Path) -> None:
    assert run(captures, "trafficgen-1.6-udp-n.stdout").samples == (
        XdpSample("lo->vethA", errors=0, xmit=2000000, partial=True),
    )


def real_banners_on_stderr_and_usage_give_nothing(captures: Path) -> None:
    for name in ("bench-1.6-drop-veth.stderr", "bench-nosuchdev.stdout", "trafficgen-udp-n.stderr"):
        assert run(captures, name) == XdpRun()


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_the_line_after_a_blank_one_at_the_end_is_partial,
        real_blank_lines_inside_the_long_form_do_not_make_a_sample_partial,
        real_thousands_are_grouped_as_the_locale_likes,
        real_drops_of_a_redirect_and_its_detail_lines,
        real_kernel_messages_in_between_are_passed_over,
        real_the_total_of_a_redirect_to_a_cpu,
        real_a_generator_s_lines_have_errors_first,
        real_a_fixed_number_of_packets_is_a_count_and_marked_partial,
        real_banners_on_stderr_and_usage_give_nothing,
    )


def test_a_line_that_has_no_rates_is_told_with_its_number_from_one() -> None:
    parsed = parse_xdp_bench("Summary   1 rx/s      0 err/s\nSummary   nothing\nPackets lost : x\n")
    assert [sample.rx for sample in parsed.value.samples] == [1]
    assert parsed.skipped == (
        "line 2: no rates: 'Summary   nothing'",
        "line 3: no rates: 'Packets lost : x'",
    )


def test_the_closing_totals_are_numbers_of_packets_and_the_duration_is_none() -> None:
    found = parse_xdp_bench(
        "  Packets received    : 5,007\n  Rx dropped          : 12\n  Duration            : 2.5s\n"
    ).value
    assert found == XdpRun((), received=5007, dropped=12)


def test_a_line_with_successful_redirects_is_a_sample() -> None:
    """-s prints them; two lines as pasted to mailing lists and into measurements of XDP."""
    found = parse_xdp_bench(
        "ens6->ens7              1,053,629 rx/s          1,053,630 redir/s               0 err,drop/s    "
        "1,053,623 xmit/s       \n"
        "Summary                              944,508 redir/s            0 err,drop/s    944,506 xmit/s\n"
    )
    assert found.skipped == ()
    assert [(one.rx, one.errors, one.xmit) for one in found.value.samples] == [
        (1053629, 0, 1053623),
        (None, 0, 944506),
    ]
