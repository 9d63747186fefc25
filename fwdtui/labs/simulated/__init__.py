"""The simulated lab behind `fwdtui demo`: a FreeBSD generator and DUT without root, other hosts or FreeBSD.

`lab.SimulatedLab` brings it up: two ssh servers on loopback with real processes, /bin/sh running the real
sampler, but with stand-ins for `netstat`, `sysctl`, `pkt-gen` first in PATH. Their output comes from a model
of forwarding (`world`), driven by a scenario (`scenarios/*.toml`). Nothing that it shows was measured
anywhere; sessions recorded on it say so by their lab's name.
"""
