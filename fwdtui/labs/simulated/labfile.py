"""The simulated lab's lab.toml. It is separate from the keys, so that it is known before the lab is up."""

import tomli_w

from fwdtui.core.units import parse_duration
from fwdtui.labs.simulated.hosts import DUT, GENERATOR


def text(interval: str, wait: int) -> str:
    """The text of lab.toml. `interval`: of the samples, as in lab.toml; `wait`: pkt-gen's -w in seconds."""
    # pkt-gen prints its rate once a second unless -T says otherwise (in milliseconds)
    every = min(round(parse_duration(interval) * 1000), 1000)
    often = "" if every == 1000 else f" -T {every}"
    flows = "-s 198.18.10.1:2000-198.18.10.20 -d 198.19.10.1:2000-198.19.10.100 -D 00:1b:21:00:00:01"
    content = {
        "name": "simulated-lab",
        "ssh": {"config_file": "ssh_config", "known_hosts": "known_hosts"},
        "sampling": {"interval": interval},
        "generator": {
            "host": GENERATOR,
            "interface": "ix0",
            "tool": "netmap-pkt-gen",
            "start": f"pkt-gen -N -f tx -i ix0 -l 60 -4 {flows} -w {wait}{often}",
            "at_rate": f"pkt-gen -N -f tx -i ix0 -l 60 -4 {flows} -w {wait}{often} -R {{rate}}",
            "line_rate": "14.88M",
        },
        "dut": {"host": DUT, "in": "ix0", "out": "ix1", "os": "freebsd"},
        "receiver": {
            "host": GENERATOR,
            "interface": "ix1",
            "tool": "netmap-pkt-gen",
            "start": f"pkt-gen -N -f rx -i ix1 -w {wait}{often}",
        },
        "run": {"iterations": 5, "warmup": "2s", "duration": "10s", "settle": "2s"},
    }
    heading = (
        "# A simulated lab: its numbers come from a model. Written by fwdtui; gone when the demo ends.\n"
    )
    return heading + tomli_w.dumps(content)
