"""The lab as data: three hosts in a row, two links, two thousand flows.

    gen gen0 ---- dut0 dut dut1 ---- sink0 sink

Addresses are from the ranges set aside for benchmarking: 198.18.0.0/15 (RFC 2544), 2001:2::/48 (RFC 5180).
"""

from dataclasses import dataclass

HOSTS = ("gen", "dut", "sink")
MANAGEMENT = "mgmt0"  # each host's port to the machine that the lab runs on
QUEUES = 2  # of every veth, so that steering has more than one to spread over

MODES = ("rps", "inline", "napi")  # which CPU does the DUT's work (steering.py); the first is the default

GENERATOR_CPU = 0  # trafgen --cpus 1 always pins itself here
DUT_CPU = 1


@dataclass(frozen=True)
class Port:
    """One end of a link."""

    host: str
    name: str
    mac: str
    ipv4: str
    ipv6: str


GEN0 = Port("gen", "gen0", "02:00:00:00:01:01", "198.18.0.1", "2001:2:0:1::1")
DUT0 = Port("dut", "dut0", "02:00:00:00:01:02", "198.18.0.2", "2001:2:0:1::2")
DUT1 = Port("dut", "dut1", "02:00:00:00:02:01", "198.19.0.1", "2001:2:0:2::1")
SINK0 = Port("sink", "sink0", "02:00:00:00:02:02", "198.19.0.2", "2001:2:0:2::2")
LINKS = ((GEN0, DUT0), (DUT1, SINK0))
TOWARDS = "to-"
"""``to-gen0``: the tap of a virtual machine's port whose other end is a virtual machine too (labs/vm)."""
PREFIX_IPV4 = 24
PREFIX_IPV6 = 64

# The flows have one destination each: 16 third bytes times 125 fourth bytes. 16 and 125 share no factor, so
# two counters that step together go through all 2000 pairs before they repeat.
FLOWS_IPV4 = "198.19.16.0/20"
FLOWS_IPV6 = "2001:2:0:3::/64"
THIRD = (16, 31)  # first and last, both included; in IPv6 it is the last byte but one
FOURTH = (0, 124)
FLOWS = (THIRD[1] - THIRD[0] + 1) * (FOURTH[1] - FOURTH[0] + 1)

# host, destination, next hop: the flows are routed, so the DUT looks up a route for each packet
ROUTES = (
    ("gen", "198.19.0.0/16", DUT0.ipv4),
    ("gen", "2001:2::/48", DUT0.ipv6),
    ("dut", FLOWS_IPV4, SINK0.ipv4),
    ("dut", FLOWS_IPV6, SINK0.ipv6),
    ("sink", "198.18.0.0/24", DUT1.ipv4),
    ("sink", "2001:2:0:1::/64", DUT1.ipv6),
)
