"""netstat -w of FreeBSD 7 to 15: banners, overflowing columns, human units."""

from pathlib import Path

from fwdtui.core.parse.netstat_w import NetstatInterval, NetstatStream, parse

BANNER = """\
            input           igb1           output
   packets  errs idrops      bytes    packets  errs      bytes colls
"""
LINE = "    849984     0     0   50999040     849984     0   50999040     0\n"


def test_a_line_is_one_interval_of_the_interface_in_the_banner() -> None:
    assert parse(BANNER + LINE).value == (
        NetstatInterval(
            "igb1",
            rx_packets=849984,
            rx_errors=0,
            rx_dropped=0,
            rx_bytes=50999040,
            tx_packets=849984,
            tx_errors=0,
            tx_bytes=50999040,
            collisions=0,
        ),
    )


def test_the_banner_comes_again_after_21_lines_and_is_no_interval() -> None:
    parsed = parse((BANNER + LINE * 21) * 3 + BANNER + LINE)
    assert len(parsed.value) == 64
    assert parsed.skipped == ()


def test_d_adds_the_drops_of_the_output_queue() -> None:
    text = BANNER.replace("colls", "colls drops") + LINE.rstrip() + "   123\n"
    assert parse(text).value[0].tx_dropped == 123
    assert parse(BANNER + LINE).value[0].tx_dropped is None


def test_a_stream_is_read_line_by_line() -> None:
    stream = NetstatStream()
    read = [stream.feed(line) for line in (BANNER + LINE).splitlines()]
    assert read[:2] == [None, None]
    assert read[2] is not None and read[2].rx_packets == 849984


def test_a_torn_line_is_skipped_with_its_number() -> None:
    parsed = parse(BANNER + LINE[:40] + "\n" + LINE)
    assert len(parsed.value) == 1
    assert parsed.skipped[0].startswith("line 3: 5 fields, 8 expected")


def test_lines_before_a_header_mean_nothing() -> None:
    assert parse(LINE).value == ()
    assert "no header" in parse(LINE).skipped[0]


def test_a_complaint_is_no_interval() -> None:
    parsed = parse("netstat: igb9: interface not found\n")
    assert parsed.value == ()
    assert len(parsed.skipped) == 1


def test_the_name_in_the_banner_is_cleaned() -> None:
    assert parse(BANNER.replace("igb1", "ig\x1b]0;x\x07b1") + LINE).value[0].interface == "ig]0;xb1"


def test_packets_scale_by_1000_and_bytes_by_1024() -> None:
    text = BANNER + "       29k     0  7.9M       826K        1k     0       7.0M     0\n"
    item = parse(text).value[0]
    assert (item.rx_packets, item.rx_dropped, item.tx_packets) == (29_000, 7_900_000, 1000)
    assert (item.rx_bytes, item.tx_bytes) == (826 * 1024, 7 * 1024 * 1024)
    assert item.rounded


def test_the_same_overload_is_drops_on_ix_and_overflows_its_column(captures: Path) -> None:
    parsed = parse((captures / "freebsd/netstat-i-w1-total-idrops-overflow.txt").read_text())
    assert len(parsed.value) == 12
    first = parsed.value[0]
    assert first.interface is None  # (Total)
    assert (first.rx_packets, first.rx_errors, first.rx_dropped, first.rx_bytes) == (
        1931633,
        0,
        9558401,
        735323650,
    )
    assert (first.tx_packets, first.tx_bytes, first.rounded) == (1971679, 126647094, False)


def test_the_same_overload_is_errors_on_igb(captures: Path) -> None:
    parsed = parse((captures / "freebsd/netstat-iw1-total-errs.txt").read_text())
    assert [(item.rx_errors, item.rx_dropped) for item in parsed.value] == [
        (797962, 0), (797906, 0), (797770, 0), (797878, 0), (797962, 0), (797899, 0), (798049, 0),
    ]  # fmt: skip


def test_old_headers_have_no_idrops(captures: Path) -> None:
    parsed = parse((captures / "freebsd/netstat-w1-old-header-no-idrops.txt").read_text())
    assert len(parsed.value) == 7
    assert parsed.value[0].rx_dropped is None
    assert (parsed.value[0].rx_bytes, parsed.value[0].tx_packets) == (82485349, 153321)


def test_human_units_are_marked_as_rounded(captures: Path) -> None:
    parsed = parse((captures / "freebsd/netstat-ihw1-human-mixed-units.txt").read_text())
    assert [item.rx_dropped for item in parsed.value] == [5000, 2600, 2100, 515, 1700, 422, 3900]
    assert all(item.rounded for item in parsed.value)
    units = parse((captures / "freebsd/netstat-ihw1-human-units.txt").read_text()).value
    assert (units[0].rx_packets, units[0].rx_dropped, units[0].tx_packets) == (
        14_000_000,
        7_900_000,
        5_800_000,
    )


def test_a_long_interface_name_stands_in_the_banner(captures: Path) -> None:
    parsed = parse((captures / "freebsd/netstat-ihw1-I-longname-bridge.txt").read_text())
    assert {item.interface for item in parsed.value} == {"vnetdemobridge"}
    assert [item.rx_packets for item in parsed.value] == [490, 981, 1500, 596, 732]


def test_a_capture_of_netmap_errors(captures: Path) -> None:
    parsed = parse((captures / "freebsd/netstat-1-total-netmap-errs.txt").read_text())
    assert [(item.rx_packets, item.rx_errors) for item in parsed.value] == [(12, 1), (10, 1), (17, 1)]
