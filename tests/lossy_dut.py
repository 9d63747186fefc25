"""A DUT that drops three quarters of the lab's flows for three reasons, and its own counters of them."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_lab_use import LabUnderTest

RULE, ROUTE, TTL = "NETFILTER_DROP nft_do_chain", "IP_INNOROUTES ip_error", "IP_INHDR ip_forward"
"""Drop reasons and functions of Linux 6.1 to 6.18."""

DROPS = """\
ip route del 198.19.16.0/20
for n in 16 24 28; do ip route add 198.19.$n.0/22 via 198.19.0.2; done
nft 'table ip reasons {
  chain early { type filter hook prerouting priority -300; ip daddr 198.19.24.0/22 ip ttl set 1; };
  chain through { type filter hook forward priority 0; ip daddr 198.19.16.0/22 counter drop; };
}'
"""
UNDO = """\
nft delete table ip reasons
for n in 16 24 28; do ip route del 198.19.$n.0/22; done
ip route add 198.19.16.0/20 via 198.19.0.2
"""


def counters(lab: LabUnderTest) -> dict[str, int]:
    """What the DUT itself has counted of each of the three so far, by other counters than the tracepoint."""
    rules = json.loads(lab.ssh("dut", "nft -j list table ip reasons"))["nftables"]
    expressions = [part for rule in rules for part in rule.get("rule", {}).get("expr", [])]
    texts = lab.ssh("dut", "cat /proc/net/snmp /proc/net/netstat")
    return {
        RULE: sum(part["counter"]["packets"] for part in expressions if "counter" in part),
        ROUTE: _counter(texts, "IpExt", "InNoRoutes"),
        TTL: _counter(texts, "Ip", "InHdrErrors"),
    }


def _counter(text: str, group: str, name: str) -> int:
    heads, values = (row.split() for row in re.findall(rf"^{group}: (.*)$", text, re.MULTILINE))
    return int(values[heads.index(name)])


# fixtures, for tests/e2e/conftest.py


@pytest.fixture(scope="session")
def kernel_counts() -> None:
    """Skips where nothing on this machine can count drop reasons by network namespace."""
    if shutil.which("bpftrace") is None:
        pytest.skip("not installed: bpftrace")
    if not Path("/sys/kernel/btf/vmlinux").exists():
        pytest.skip("this kernel has no BTF, by which bpftrace finds a packet's network namespace")


@pytest.fixture
def lossy(lab: LabUnderTest) -> Iterator[LabUnderTest]:
    """The DUT drops three quarters of the flows, each for another reason."""
    lab.ssh("dut", DROPS)
    yield lab
    lab.ssh("dut", UNDO)
