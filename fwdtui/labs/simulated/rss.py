"""Which receive queue a flow goes to: the Toeplitz hash of its addresses, as network cards compute it.

Source: Microsoft, "RSS Hashing Functions" (the key below is the one of its verification suite); FreeBSD's
drivers fill the table of 128 entries in turn, sys/dev/ixgbe/if_ix.c, ixgbe_initialize_rss_mapping().
"""

from collections.abc import Sequence
from ipaddress import IPv4Address

_KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
_TABLE = 128


def toeplitz(data: bytes) -> int:
    """The 32-bit hash of at most 36 bytes."""
    key = int.from_bytes(_KEY)
    width = len(_KEY) * 8
    hashed = 0
    for place in range(len(data) * 8):
        if data[place // 8] & (0x80 >> place % 8):
            hashed ^= key >> (width - 32 - place) & 0xFFFFFFFF
    return hashed


def shares(sources: Sequence[str], destinations: Sequence[str], queues: int) -> tuple[float, ...]:
    """The share of all flows that each queue gets. The shares add up to 1.

    This is for UDP over IPv4, which these cards hash by the addresses alone.
    """
    # a flow's hash is the (exclusive or) sum of its addresses' hashes: so 120 hashes are computed, not 2,000
    ends = [toeplitz(bytes(4) + IPv4Address(one).packed) for one in destinations]
    counts = [0] * queues
    for source in sources:
        begin = toeplitz(IPv4Address(source).packed)
        for end in ends:
            counts[(begin ^ end) % _TABLE % queues] += 1
    return tuple(count / sum(counts) for count in counts)
