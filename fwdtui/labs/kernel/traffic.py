"""The traffic: 2000 flows of small UDP packets, as a trafgen configuration and as a pcap file.

IPv4 frames are 60 bytes long and IPv6 frames 64, both without the frame check sequence; UDP from port 9 to
port 9 (discard) with a correct checksum in IPv6 and none in IPv4, where zero means "not computed" (RFC 768).
"""

import ipaddress
import struct
from functools import cache

from fwdtui.labs.kernel.topology import DUT0, FLOWS, FLOWS_IPV4, FLOWS_IPV6, FOURTH, GEN0, THIRD

DISCARD = 9
_ETHERNET = bytes.fromhex((DUT0.mac + GEN0.mac).replace(":", ""))
_IPV4_PAYLOAD = 18
_IPV6_PAYLOAD = 2
_UDP = 17
_HOP_LIMIT = 64


def trafgen_config(ipv6: bool) -> str:
    """One packet in trafgen(8)'s low-level syntax. `dinc` increments a byte; checksums are updated."""
    flow = f"dinc({THIRD[0]}, {THIRD[1]}), dinc({FOURTH[0]}, {FOURTH[1]})"
    ethernet = _bytes(_ETHERNET)
    if ipv6:
        length = 8 + _IPV6_PAYLOAD
        return (
            "{\n"
            f"  {ethernet}, c16(0x86dd),\n"
            f"  0x60, 0, 0, 0, c16({length}), {_UDP}, {_HOP_LIMIT},\n"
            f"  {_bytes(ipaddress.IPv6Address(GEN0.ipv6).packed)},\n"
            f"  {_bytes(_network(FLOWS_IPV6)[:14])}, {flow},\n"
            f"  c16({DISCARD}), c16({DISCARD}), c16({length}), csumudp6(14, 54),\n"
            f"  fill(0, {_IPV6_PAYLOAD})\n"
            "}\n"
        )
    length = 8 + _IPV4_PAYLOAD
    return (
        "{\n"
        f"  {ethernet}, c16(0x0800),\n"
        f"  0x45, 0, c16({20 + length}), c16(0), c16(0), {_HOP_LIMIT}, {_UDP}, csumip(14, 33),\n"
        f"  {_bytes(ipaddress.IPv4Address(GEN0.ipv4).packed)}, {_bytes(_network(FLOWS_IPV4)[:2])}, {flow},\n"
        f"  c16({DISCARD}), c16({DISCARD}), c16({length}), c16(0),\n"
        f"  fill(0, {_IPV4_PAYLOAD})\n"
        "}\n"
    )


def pcap(ipv6: bool) -> bytes:
    """One packet of each of the same flows, in the same order, as a classic pcap (draft-ietf-opsawg-pcap)."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for number in range(FLOWS):
        packet = frame(number, ipv6)
        parts += struct.pack("<IIII", 0, number, len(packet), len(packet)), packet
    return b"".join(parts)


def frame(number: int, ipv6: bool) -> bytes:
    """The frame of flow `number` modulo 2000, without the frame check sequence."""
    third = THIRD[0] + number % (THIRD[1] - THIRD[0] + 1)
    fourth = FOURTH[0] + number % (FOURTH[1] - FOURTH[0] + 1)
    if ipv6:
        ends = _ends(ipv6) + bytes((third, fourth))
        length, payload = 8 + _IPV6_PAYLOAD, bytes(_IPV6_PAYLOAD)
        pseudo = ends + struct.pack(">IHBB", length, 0, 0, _UDP)  # RFC 8200, section 8.1
        bare = struct.pack(">HHHH", DISCARD, DISCARD, length, 0) + payload
        udp = struct.pack(">HHHH", DISCARD, DISCARD, length, checksum(pseudo + bare)) + payload
        return _ETHERNET + b"\x86\xdd" + struct.pack(">IHBB", 6 << 28, length, _UDP, _HOP_LIMIT) + ends + udp
    ends = _ends(ipv6) + bytes((third, fourth))
    length = 8 + _IPV4_PAYLOAD
    before = struct.pack(">BBHHHBB", 0x45, 0, 20 + length, 0, 0, _HOP_LIMIT, _UDP)
    header = before + struct.pack(">H", checksum(before + ends)) + ends
    return (
        _ETHERNET
        + b"\x08\x00"
        + header
        + struct.pack(">HHHH", DISCARD, DISCARD, length, 0)
        + bytes(_IPV4_PAYLOAD)
    )


@cache
def _ends(ipv6: bool) -> bytes:
    """The source and the destination of each frame, except the destination's last two bytes."""
    if ipv6:
        return ipaddress.IPv6Address(GEN0.ipv6).packed + _network(FLOWS_IPV6)[:14]
    return ipaddress.IPv4Address(GEN0.ipv4).packed + _network(FLOWS_IPV4)[:2]


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _network(prefix: str) -> bytes:
    return ipaddress.ip_network(prefix).network_address.packed


def _bytes(data: bytes) -> str:
    return ", ".join(f"0x{byte:02x}" for byte in data)
