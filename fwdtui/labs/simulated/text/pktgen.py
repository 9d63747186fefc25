"""What netmap's pkt-gen prints, with -N (bare numbers) and without.

Source: tools/tools/netmap/pkt-gen.c, main_thread(), start_threads(), tx_output(); lines of FreeBSD 13 to 15.
"""

from dataclasses import dataclass

_MARKS = {"tx": "sender_body [1625]", "rx": "receiver_body [1834]"}


@dataclass(frozen=True, slots=True)
class Arguments:
    """The options that matter. `rate` is in packets per second, `span` in seconds."""

    mode: str = "rx"  # "tx" | "rx"
    interface: str = ""
    count: int | None = None
    rate: float | None = None
    wait: int = 2
    plain: bool = False
    size: int = 60
    span: float = 1.0


_FLAGS = frozenset("N46UWABPrzZXhv")


def read_arguments(words: list[str]) -> Arguments:
    """Reads the arguments as getopt(3) does. Raises ValueError with pkt-gen's error message."""
    options: dict[str, str] = {}
    plain = False
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            continue
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in _FLAGS:
                plain = plain or letter == "N"
                continue
            value = letters or (words.pop(0) if words else "")
            if not value:
                raise ValueError(f"option requires an argument -- {letter}")
            options[letter] = value
            break
    mode = options.get("f", "rx")
    if mode not in ("tx", "rx"):
        raise ValueError(f"unrecognised function {mode}")
    interface = options.get("i", "").removeprefix("netmap:")
    if not interface:
        raise ValueError("missing ifname")
    count = int(float(options.get("n", "0")))
    rate = _rate(options.get("R", "0"))
    return Arguments(
        mode, interface, count or None, rate or None, int(options.get("w", "2")), plain,
        int(options.get("l", "60")), max(int(options.get("T", "1000")), 100) / 1000,
    )  # fmt: skip


def _rate(text: str) -> float:
    scale = {"k": 1e3, "m": 1e6, "g": 1e9}.get(text[-1:].lower(), 1.0)
    return float(text.rstrip("kKmMgG")) * scale


def opening(arguments: Arguments, stamp: float) -> list[str]:
    """The lines up to the wait for the card. `stamp` is the wall clock in seconds."""
    at = _stamp(stamp)
    lines = [
        f"{at} main [2933] interface is netmap:{arguments.interface}",
        f"{at} main [3060] using default burst size: 512",
        f"{at} main [3068] running on 1 cpus (have 4)",
        f"{at} extract_ip_range [479] range is 198.18.10.1:2000 to 198.18.10.20:2000",
        f"{at} extract_ip_range [479] range is 198.19.10.1:2000 to 198.19.10.100:2000",
    ]
    if arguments.mode == "tx":
        lines.append(f"{at} main [3215] Sending 512 packets every  0.000000000 s")
    return [*lines, f"{at} start_threads [2592] Wait {arguments.wait} secs for phy reset"]


def ready(arguments: Arguments, stamp: float) -> list[str]:
    """The lines once the card is ready."""
    at = _stamp(stamp)
    begin = (
        "start, fd 3 main_fd 3" if arguments.mode == "tx" else f"reading from netmap:{arguments.interface}"
    )
    return [f"{at} start_threads [2594] Ready...", f"{at} {_MARKS[arguments.mode]} {begin}"]


def refusal(text: str, stamp: float) -> list[str]:
    """The line of a pkt-gen that cannot run."""
    return [f"{_stamp(stamp)} main [3125] {text}"]


def interval(arguments: Arguments, stamp: float, packets: int, microseconds: int) -> str:
    """One line of main_thread: `packets` within `microseconds`."""
    pps = packets * 1_000_000 // microseconds
    bps = packets * arguments.size * 8 * 1_000_000 // microseconds
    batch = 0.0 if not packets else min(512.0, max(1.0, packets / 60_000))
    if arguments.plain:
        rates = f"{pps} pps ({packets} pkts {bps} bps in {microseconds} usec)"
    else:
        rates = f"{_norm(pps)}pps ({_norm(packets)}pkts {_norm(bps)}bps in {microseconds} usec)"
    return f"{_stamp(stamp)} main_thread [2683] {rates} {batch:.2f} avg_batch 99999 min_space"


def waiting(stamp: float) -> str:
    """The line of a receiver before its first packet."""
    return f"{_stamp(stamp)} receiver_body [1849] waiting for initial packets, poll returns 0 0"


def closing(arguments: Arguments, packets: int, seconds: float) -> list[str]:
    """The lines printed to stdout at the end."""
    sender = arguments.mode == "tx"
    if not packets:
        return ["Sent nothing." if sender else "Received nothing."]
    octets = packets * arguments.size
    events = max(packets // 40, 1)
    pps, bps = packets / seconds, octets * 8 / seconds
    raw = bps + pps * 24 * 8  # preamble, gap and check sequence
    word, way = ("Sent", "Sending on") if sender else ("Received", "Receiving from")
    numbers = (
        f"Speed: {pps:.0f} pps Bandwidth: {bps:.0f} bps (raw {raw:.0f} bps)."
        if arguments.plain
        else f"Speed: {_norm(pps)}pps Bandwidth: {_norm(bps)}bps (raw {_norm(raw)}bps)."
    )
    return [
        f"{way} netmap:{arguments.interface}: 4 queues, 1 threads and 1 cpus.",
        f"{word} {packets} packets {octets} bytes {events} events {arguments.size} bytes each "
        f"in {seconds:.2f} seconds.",
        f"{numbers} Average batch: {packets / events:.2f} pkts",
    ]


def _stamp(wall: float) -> str:
    return f"{wall % 1000:010.6f}"


def _norm(value: float) -> str:
    """As pkt-gen's norm(): three decimals and a unit of thousands."""
    for unit in ("", "K", "M", "G"):
        if value < 1000 or unit == "G":
            return f"{value:.3f} {unit}"
        value /= 1000
    raise AssertionError
