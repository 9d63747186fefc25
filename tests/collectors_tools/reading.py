"""What tests of readers share: a whole log read, and line by line."""

from msgspec.structs import replace

from fwdtui.collectors.tools.base import Origin, Reader, ToolVerdict
from fwdtui.collectors.tools.netmap_pktgen import PktGenReader
from fwdtui.core.model import EventSample, RateSample
from fwdtui.core.parse.netmap_pktgen import parse
from fwdtui.core.text import clean

GENERATOR = Origin("generator", "gen", "igb2")
RECEIVER = Origin("receiver", "gen", "igb3")

LINE = "{:010.6f} main_thread [2781] {} pps ({} pkts 480000 bps in 1000000 usec) 5.04 avg_batch 0 min_space\n"


def read(
    reader: Reader, text: str, step: float = 0.0
) -> tuple[list[RateSample], list[EventSample], ToolVerdict]:
    """All lines of `text`, `step` seconds apart."""
    samples = [
        sample
        for number, line in enumerate(text.removesuffix("\n").split("\n"))
        for sample in reader.feed(clean(line), 100.0 + number * step)
    ]
    rates = [sample for sample in samples if isinstance(sample, RateSample)]
    return rates, [sample for sample in samples if isinstance(sample, EventSample)], reader.close()


def line_by_line(text: str, role: str) -> int:
    """How many intervals a log gives line by line: the same as all at once."""
    rates, events, verdict = read(PktGenReader(Origin(role, "", "")), text)
    whole = parse(text)
    assert [replace(rate, at=None) for rate in rates] == [
        replace(sample, role=role) for sample in whole.samples()
    ]
    assert events == []
    assert verdict.packets == whole.packets_total
    assert verdict.failure == (whole.crash or "")
    return len(rates)


def device(sofar: int, started: int, stopped: int, result: str = "Starting") -> str:
    return (
        "Params: count 100000  min_pkt_size: 60  max_pkt_size: 60\n"
        "     frags: 0  delay: 0  clone_skb: 64  ifname: eth4@0\n"
        "     Flags: UDPSRC_RND  NO_TIMESTAMP  QUEUE_MAP_CPU\n"
        "Current:\n"
        f"     pkts-sofar: {sofar}  errors: 0\n"
        f"     started: {started}us  stopped: {stopped}us idle: 25us\n"
        "     seq_num: 100001  cur_dst_mac_offset: 0  cur_src_mac_offset: 0\n"
        f"Result: {result}\n"
    )


def look(**devices: str) -> str:
    texts = [f"fwdtui-pktgen /proc/net/pktgen/{name}\n{text}" for name, text in devices.items()]
    return "".join(texts) + "fwdtui-pktgen .\n"
