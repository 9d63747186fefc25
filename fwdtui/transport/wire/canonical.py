"""The full name of a host, as ssh_config's CanonicalizeHostname asks for it, by ssh's rules (its ssh.c)."""

import ipaddress
import socket

from asyncssh.config import SSHConfig
from asyncssh.pattern import WildcardPatternList


def canonical(host: str, config: SSHConfig) -> str:
    """The name to connect to, and to look up in known_hosts. Blocking: asks the name server.

    asyncssh's own canonicalization is not used: it works on a connection's options, after the host keys have
    been looked up. Raises ValueError.
    """
    wanted = config.get("CanonicalizeHostname")
    direct = not config.get("ProxyCommand") and not config.get("ProxyJump")
    if not wanted or not (direct or wanted == "always") or _is_address(host):
        return host
    if host.endswith("."):
        names = [host]
    elif host.count(".") > _number(config.get("CanonicalizeMaxDots", 1)):
        names = []
    else:
        names = [f"{host}.{domain}." for domain in _words(config.get("CanonicalDomains"))]
    for name in names:
        if (alias := _lookup(name, config)) is not None:
            return _followed(name.rstrip("."), alias, config)
    if names and not config.get("CanonicalizeFallbackLocal", True):
        raise ValueError(
            f"no address for {host!r} in any of CanonicalDomains: CanonicalizeFallbackLocal is no"
        )
    return _followed(host, None, config)


def _followed(name: str, alias: str | None, config: SSHConfig) -> str:
    """`alias` if CanonicalizePermittedCNAMEs allows it, else `name`.

    `alias`: the name server's own name of `name`; None: it has not been asked yet.
    """
    for rule in _words(config.get("CanonicalizePermittedCNAMEs")):
        source, colon, target = rule.partition(":")
        if not colon:
            raise ValueError(f"CanonicalizePermittedCNAMEs: {rule!r} is not SOURCES:TARGETS")
        alias = _lookup(name, config) if alias is None else alias
        if alias and _matches(source, name) and _matches(target, alias):
            return alias
    return name


def _lookup(name: str, config: SSHConfig) -> str | None:
    """The name server's own name of `name`, "" if it gives none; None: there is no such name."""
    family = _number(config.get("AddressFamily", socket.AF_UNSPEC))
    try:
        found = socket.getaddrinfo(name, None, family, socket.SOCK_STREAM, flags=socket.AI_CANONNAME)
    except (OSError, UnicodeError):
        return None
    return found[0][3].rstrip(".").lower()


def _matches(patterns: str, name: str) -> bool:
    return bool(WildcardPatternList(patterns.lower()).matches(name))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _words(value: object) -> list[str]:
    return [str(word) for word in value] if isinstance(value, (list, tuple)) else []


def _number(value: object) -> int:
    return int(value) if isinstance(value, int) else 0
