"""The simulated lab behind `fwdtui demo`: a FreeBSD generator and DUT without root, other hosts or FreeBSD.

`lab.SimulatedLab` brings it up: two ssh servers on loopback with real processes. /bin/sh runs the real
sampler, but stand-ins for `netstat`, `sysctl` and `pkt-gen` come first in PATH. Their output comes from a
model of forwarding (`world`) that a scenario (`scenarios/*.toml`) drives. Nothing that the lab shows was
measured anywhere; the lab's name in sessions that are recorded on it says so.
"""
