#!/usr/bin/env python3
"""udpblast ADDRESS PORT PPS SECONDS: sends UDP datagrams, and prints twice a second how many it has sent.

The example's tool starts and reads this program. It runs on the generator, needs only Python, and knows
nothing of fwdtui.
"""

import signal
import socket
import sys
import time

VERSION = "udpblast 1.0"
EVERY = 0.5  # seconds between two lines
BURST = 0.005  # seconds between two bursts of datagrams


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit status: 0 done, 1 sending failed, 2 wrong arguments."""
    if arguments == ["--version"]:
        print(VERSION)
        return 0
    try:
        address, port, pps, seconds = (
            arguments[0],
            int(arguments[1]),
            float(arguments[2]),
            float(arguments[3]),
        )
    except (IndexError, ValueError):
        print("udpblast: error: expected ADDRESS PORT PPS SECONDS", file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        began = printed = now = time.monotonic()
        sent = counted = 0
        try:
            while now - began < seconds:
                while sent < (now - began) * pps:
                    out.sendto(b"\0" * 18, (address, port))
                    sent += 1
                time.sleep(BURST)
                now = time.monotonic()
                if now - printed >= EVERY:
                    print(
                        f"{now - began:.3f} s: {sent - counted} packets in {now - printed:.3f} s", flush=True
                    )
                    printed, counted = now, sent
        except KeyboardInterrupt:
            now = time.monotonic()
        except OSError as error:
            print(f"udpblast: error: {error}", file=sys.stderr)
            return 1
    print(f"sent {sent} packets in {now - began:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
