"""The lab's traffic and files, as far as they can be judged without a lab."""

import ipaddress
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from fwdtui.core import lab as lab_toml
from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, labfile, needs, place, scripts, topology, traffic

BOTH = pytest.mark.parametrize("ipv6", [False, True], ids=["IPv4", "IPv6"])


def adds_up(data: bytes) -> bool:
    """A span with its own Internet checksum inside sums to zero (RFC 1071)."""
    return traffic.checksum(data) == 0


def test_the_checksum_is_that_of_the_rfc_s_own_example() -> None:
    # RFC 1071, section 3: 00 01 f2 03 f4 f5 f6 f7 sums to ddf2
    assert traffic.checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xDDF2 ^ 0xFFFF


def test_an_ipv4_frame_is_60_bytes_with_a_right_header() -> None:
    frame = traffic.frame(1, ipv6=False)
    assert len(frame) == 60
    assert frame[:14].hex() == "020000000102" + "020000000101" + "0800"
    assert adds_up(frame[14:34])
    assert struct.unpack(">H", frame[16:18]) == (46,)
    assert str(ipaddress.IPv4Address(frame[30:34])) == "198.19.17.1"


def test_an_ipv6_frame_is_64_bytes_with_a_right_udp_checksum() -> None:
    frame = traffic.frame(1, ipv6=True)
    assert len(frame) == 64
    udp = frame[54:]
    assert adds_up(frame[22:54] + struct.pack(">IBBBB", len(udp), 0, 0, 0, 17) + udp)
    assert struct.unpack(">H", udp[4:6]) == (10,)
    assert str(ipaddress.IPv6Address(frame[38:54])) == "2001:2:0:3::1101"


@BOTH
def test_the_flows_are_2000_destinations_that_are_all_routed_to_the_sink(ipv6: bool) -> None:
    at = slice(38, 54) if ipv6 else slice(30, 34)
    flows = ipaddress.ip_network(topology.FLOWS_IPV6 if ipv6 else topology.FLOWS_IPV4)
    found = {ipaddress.ip_address(traffic.frame(number, ipv6)[at]) for number in range(topology.FLOWS)}
    assert len(found) == topology.FLOWS == 2000
    assert all(address in flows for address in found)
    assert traffic.frame(topology.FLOWS, ipv6) == traffic.frame(0, ipv6)


@BOTH
def test_the_pcap_file_holds_each_flow_once(ipv6: bool) -> None:
    data = traffic.pcap(ipv6)
    magic, major, minor, _, _, _, link = struct.unpack("<IHHiIII", data[:24])
    assert (magic, major, minor, link) == (0xA1B2C3D4, 2, 4, 1)  # 1: LINKTYPE_ETHERNET
    frames, at = [], 24
    while at < len(data):
        _, _, captured, original = struct.unpack("<IIII", data[at : at + 16])
        assert captured == original
        frames.append(data[at + 16 : at + 16 + captured])
        at += 16 + captured
    assert frames == [traffic.frame(number, ipv6) for number in range(topology.FLOWS)]


@pytest.mark.parametrize("mode", ["rps", "inline", "napi"])
@pytest.mark.parametrize(
    "load",
    [
        labfile.Load(),
        labfile.Load(ipv6=True, duration=300),
        labfile.Load(rate=50_000, duration=12),
        labfile.Load(rate=20_000, ipv6=True),
    ],
    ids=lambda load: load.name or "full",
)
def test_every_lab_toml_is_one_that_we_accept_and_its_generator_is_bounded(
    mode: str, load: labfile.Load
) -> None:
    text = labfile.text(load, "", mode, Path("/lab"))
    lab = lab_toml.parse(text)
    (generator,) = lab.generators
    assert (generator.host, generator.interface) == ("gen", "gen0")
    assert generator.tool == ("trafgen" if load.rate is None else "counters")
    assert (lab.dut.host, lab.dut.inputs, lab.dut.outputs, lab.dut.os) == (
        "dut",
        ("dut0",),
        ("dut1",),
        "linux",
    )
    assert lab.receiver == lab_toml.Endpoint(host="sink", interface="sink0", tool="counters")
    assert lab.ssh == lab_toml.Ssh("ssh_config", "known_hosts")
    assert lab.run.duration == load.duration
    assert generator.start and generator.stop
    words = generator.start.split()
    assert words[:2] == ["timeout", "--foreground"]
    whole_run = lab.run.warmup + lab.run.duration + lab.run.settle
    assert max(70, whole_run) <= int(words[2]) <= max(70, whole_run + 30)
    family = "ipv6" if load.ipv6 else "ipv4"
    assert f"/lab/{family}." in generator.start
    assert (f"{load.rate}" in generator.start) == (load.rate is not None)


def test_each_load_has_a_file_of_its_own() -> None:
    loads = [
        labfile.Load(rate, ipv6, duration)
        for rate in (None, 1, 50_000)
        for ipv6 in (False, True)
        for duration in (10, 12.5)
    ]
    names = {load.name for load in loads}
    assert len(names) == len(loads)
    assert labfile.own_load(vm=False) == labfile.Load()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("fast", False, None), "'fast' is not a rate"),
        (("0", False, None), "--rate 0"),
        (("14.88M", False, None), "--rate 14.88M"),
        ((None, False, "100ms"), "--duration 100ms"),
    ],
)
def test_a_load_that_cannot_be_is_refused(
    options: tuple[str | None, bool, str | None], complaint: str
) -> None:
    with pytest.raises(FwdtuiError, match=complaint):
        labfile.read_load(*options)


def test_rates_and_durations_are_read_with_their_units() -> None:
    assert labfile.read_load("50k", True, "12s") == labfile.Load(50_000, True, 12.0)


needs_proc = pytest.mark.skipif(
    sys.platform != "linux", reason="the journal names the boot, from Linux's /proc"
)


@needs_proc
@pytest.mark.parametrize("count", ["0100", "00", "", "ten", "-1", "20001", "100000"])
def test_a_number_of_rules_that_a_shell_reads_otherwise_is_refused(count: str) -> None:
    """As `seq -w` prints them: of 0100 it made 64 rules."""
    done = subprocess.run(
        ["sh", "-s", "--", count], input=scripts.RULES, capture_output=True, text=True, timeout=10
    )
    assert done.returncode == 2
    assert "usage: rules N" in done.stderr or "at most 20000" in done.stderr


def test_a_journal_cut_short_by_a_crash_is_read_up_to_its_last_whole_line(tmp_path: Path) -> None:
    book = journal.Journal(tmp_path / journal.NAME)
    book.begin("x", 3, "rps", True)
    book.will_make_namespace("fwdtui-x-gen")
    book.made_namespace("fwdtui-x-gen", 4711)
    book.will_make_veth("fwdtui3-gen", "02:00:00:00:00:01")
    whole = book.path.read_bytes()
    for end in range(len(whole) + 1):
        book.path.write_bytes(whole[:end])
        found = journal.read(tmp_path)
        assert found is not None
        lines = whole[:end].count(b"\n")
        assert found.namespaces == ({}, {}, {"fwdtui-x-gen": None}, *({"fwdtui-x-gen": 4711},) * 2)[lines]
        assert bool(found.veths) == (lines == 4)
        assert not found.complete


@needs_proc
def test_a_journal_of_another_boot_is_known_as_such(tmp_path: Path) -> None:
    journal.Journal(tmp_path / journal.NAME).begin("", 0, "rps", False)
    found = journal.read(tmp_path)
    assert found and found.this_boot
    text = found.path.read_text().replace(journal.boot_id(), "00000000-0000-0000-0000-000000000000")
    found.path.write_text(text)
    found = journal.read(tmp_path)
    assert found and not found.this_boot


def test_labs_of_different_names_share_neither_folder_nor_namespaces() -> None:
    usual, other = place.find(), place.find(name="two")
    assert usual.folder != other.folder
    assert usual.namespace("gen") == "fwdtui-gen"
    assert other.namespace("gen") == "fwdtui-two-gen"


@pytest.mark.parametrize("name", ["Two", "a-b", "../x", "a" * 17, "é"])
def test_a_name_that_no_namespace_can_carry_is_refused(name: str) -> None:
    with pytest.raises(FwdtuiError, match="--name"):
        place.find(name=name)


@pytest.mark.parametrize("part", ["with space", "quote'", 'quote"', "dollar$HOME", "percent%h", "semi;colon"])
def test_a_folder_that_ssh_or_a_shell_would_read_otherwise_is_refused(tmp_path: Path, part: str) -> None:
    with pytest.raises(FwdtuiError, match="plain letters"):
        place.find(str(tmp_path / part))


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    own = tmp_path / "lab.toml"
    own.write_text("mine")
    with pytest.raises(FwdtuiError, match="not empty and not a lab's folder"):
        place.make_folder(place.find(str(tmp_path)))
    assert own.read_text() == "mine"


def test_another_system_than_linux_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "freebsd14")
    with pytest.raises(FwdtuiError, match="freebsd14"):
        needs.require()


def test_a_missing_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(FwdtuiError, match=r"needs no-such-tool \(Debian: apt-get install some-package\)"):
        needs.require({"no-such-tool": "some-package"})
