"""ssh destinations as written in lab.toml and ProxyJump: alias, user@host, user@host:port, [v6]:port."""

import re
from dataclasses import dataclass

from fwdtui.core.text import clean
from fwdtui.transport.errors import BadSshConfig

# ssh(1) itself rejects a leading dash; the other characters would be read as another part of the destination
# or could be expanded by a ProxyCommand's shell (CVE-2023-51385)
_USER = re.compile(r"[^\s\x00-\x1f\x7f'`\"$\\;&<>|(){}-][^\s\x00-\x1f\x7f'`\"$\\;&<>|(){}]*")
_HOST = re.compile(r"[A-Za-z0-9_.:%\u0080-\U0010ffff][A-Za-z0-9_.:%\u0080-\U0010ffff-]*")


@dataclass(frozen=True, slots=True)
class Destination:
    """What to connect to. `host` may be an alias in ssh_config; None leaves the choice to ssh_config."""

    host: str
    user: str | None = None
    port: int | None = None

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        if self.port is None:
            return f"{user}{self.host}"
        return f"{user}[{self.host}]:{self.port}" if ":" in self.host else f"{user}{self.host}:{self.port}"


def parse_destination(text: str) -> Destination:
    """Read a destination. Raises BadSshConfig, which says what is wrong with it."""
    rest = text.removeprefix("ssh://").removesuffix("/") if text.startswith("ssh://") else text
    user, at, rest = rest.rpartition("@")  # as in ssh, the last @ divides
    if at and not _USER.fullmatch(user):
        raise _bad(text, f"{user!r} is not a user name")
    port_text = None
    if rest.startswith("["):
        host, bracket, after = rest[1:].partition("]")
        if not bracket or (after and not after.startswith(":")):
            raise _bad(text, "expected [address]:port")
        port_text = after[1:] if after else None
    elif rest.count(":") == 1:
        host, _, port_text = rest.partition(":")
    else:
        host = rest  # a name, or a bare IPv6 address with its many colons
    if not _HOST.fullmatch(host):
        raise _bad(text, f"{host!r} is not a host name" if host else "it has no host name")
    port = None
    if port_text is not None:
        if not (port_text.isascii() and port_text.isdigit() and 0 < int(port_text) < 65536):
            raise _bad(text, f"{port_text!r} is not a port (1 to 65535)")
        port = int(port_text)
    return Destination(host, user or None, port)


def _bad(text: str, why: str) -> BadSshConfig:
    shown = clean(text)[:100] or "(empty)"
    return BadSshConfig(
        shown, f"not an ssh destination: {why}; write an alias, user@host, user@host:port or [address]:port"
    )
