"""How hosts are reached: the [ssh] table of lab.toml, and timeouts that suit a loaded router."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fwdtui.transport.known_hosts import accepted_path

DEADMAN = 60.0
"""Seconds without a heartbeat after which the programs that we started on a host end on their own."""


@dataclass(frozen=True, slots=True)
class SshSettings:
    """All times are in seconds. A dead peer is noticed within keepalive_interval * (keepalive_count + 1)."""

    config_file: Path | None = None  # instead of ~/.ssh/config and /etc/ssh/ssh_config, like ssh -F
    known_hosts: Path | None = None  # instead of the user's known_hosts
    accepted: Path | None = None  # keys accepted in fwdtui; default: in the user's state folder
    config_timeout: float = 20.0  # reading ssh_config, which may run the commands of Match exec
    connect_timeout: float = 10.0  # TCP
    login_timeout: float = 20.0  # the SSH login after that: a saturated router needs seconds for it
    keepalive_interval: float = 5.0
    keepalive_count: int = 3
    beat: float = 2.0  # heartbeats to running programs
    stale_after: float = 5.0  # the host is stale if nothing is received for this long while programs run
    deadman: float = DEADMAN
    backoff_first: float = 1.0
    backoff_max: float = 30.0
    guard: Callable[[], None] | None = None  # called before the files are read; raises FwdtuiError
    channels: int = 8  # the most per connection; sshd's MaxSessions is 10 by default

    @property
    def accepted_file(self) -> Path:
        return self.accepted if self.accepted is not None else accepted_path()
