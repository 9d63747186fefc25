"""Reads ssh_config as ssh(1) does, where asyncssh's reader (2.24) differs from it.

All differences are handled here; ssh 9.2 (`ssh -G`) was the reference. Values are left as they are written:
their % tokens depend on all the files together, so they can be filled in only at the end.
"""

import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from asyncssh.config import SSHClientConfig
from asyncssh.pattern import WildcardPatternList

from fwdtui.transport import ssh_files
from fwdtui.transport.destination import Destination
from fwdtui.transport.wire.canonical import canonical

SYSTEM_CONFIG = Path("/etc/ssh/ssh_config")
_DEEPEST = 16  # includes within includes, as in ssh
_ALONE = {"all", "canonical", "final"}  # the criteria of Match that take no value
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class Reader(SSHClientConfig):
    """One pass through the files. The values of the `first` pass stay: a second one only adds to them."""

    _no_split = SSHClientConfig._no_split | {"knownhostscommand"}
    _percent_expand: set[str] = set()  # noqa: RUF012

    def __init__(
        self, destination: Destination, user: str, first: "Reader | None" = None, host: str = ""
    ) -> None:
        again = first is not None  # ssh treats Match canonical as Match final
        where = host or destination.host
        login = () if destination.user is None else destination.user
        port = () if destination.port is None else destination.port
        super().__init__(first, False, again, again, user, login, where, port)  # type: ignore[arg-type]
        self._destination = destination
        self._depth = 0
        self._tokens = {"%": "%"}

    def parse(self, path: Path) -> None:
        self._path, self._matching = path, True
        for self._line_no, line in enumerate(ssh_files.lines(path.read_bytes()), 1):
            try:
                option, words = ssh_files.split(line)
            except ValueError as problem:
                self._error(str(problem))
            if option not in self._handlers or not (self._matching or option in self._conditionals):
                continue
            name, handler = self._handlers[option]
            if option in self._no_split:
                words = re.findall(rf'^[\s="]*{option}"?[\s=]*(\S.*)', line, re.IGNORECASE)
            if not words:
                self._error(f"Missing {name} value")
            try:
                handler(self, name, words)
            except IndexError:  # an empty word
                self._error(f"{name} is not understood")
            if words:
                self._error(f"Extra data at end: {' '.join(words)}")

    def tokens(self) -> dict[str, str]:
        """The values of the % tokens, according to what has been read so far."""
        before, self._tokens = self._tokens, {"%": "%"}
        self._set_tokens()
        found, self._tokens = self._tokens, before
        original = self._destination.host
        return {**found, "n": original, "k": str(self.get("HostKeyAlias") or original)}

    def settle(self, host: str) -> None:
        """Makes `host` the one to connect to, whatever HostName says in a later pass."""
        self._options["Hostname"] = host

    def _include(self, option: str, args: list[str]) -> None:
        if self._depth == _DEEPEST:
            self._error(f"Include: more than {_DEEPEST} files within one another")
        place = self._path, self._line_no
        self._depth += 1
        for pattern in args:
            try:
                paths = ssh_files.included(pattern, self._default_path)
            except ValueError as problem:
                self._error(f"Include {pattern}: {problem}")
            for path in paths:
                self.parse(path)
        self._depth -= 1
        self._path, self._line_no = place
        self._matching = True
        args.clear()

    def _host(self, option: str, args: list[str]) -> None:
        """As in asyncssh, but a comma is a part of the name: in ssh only blanks divide the names of Host."""
        names = [name for name in args if "," not in name]  # no destination has a comma
        args.clear()
        self._matching = WildcardPatternList(",".join(names)).matches(self._orig_host)

    def _match(self, option: str, args: list[str]) -> None:
        """As in asyncssh, but host names match in any case, and exec uses the user's shell and % tokens."""
        criteria: list[str] = []
        while args:
            name, equals, value = args.pop(0).partition("=")
            criteria.append(name)
            kind = name.lower().removeprefix("!")
            if kind in _ALONE and not equals:
                continue
            if not equals and args and args[0].startswith("="):
                value = args.pop(0)[1:]
            if not value and args:
                value = args.pop(0)
            if not value:
                continue  # asyncssh then reports the error
            if kind == "exec":
                shell = shlex.quote(os.environ.get("SHELL") or "/bin/sh")
                value = f"exec {shell} -c {shlex.quote(self._filled(value))}"
            elif kind in ("host", "originalhost"):
                value = value.lower()
            criteria.append(value)
        super()._match(option, criteria)

    def _filled(self, command: str) -> str:
        tokens = self.tokens()
        tokens["k"] = str(self.get("HostKeyAlias") or tokens["h"])  # only here ssh uses HostName for it
        try:
            return fill(command, tokens)
        except ValueError as problem:
            self._error(f"Match exec: {problem}")

    def _match_val(self, match: str) -> object:
        value = self._destination.host if match == "originalhost" else super()._match_val(match)
        return value.lower() if match in ("host", "originalhost") and isinstance(value, str) else value

    def _set_proxy_command(self, option: str, args: list[str]) -> None:
        """Ignored after a ProxyJump: the first of the two counts."""
        args.clear() if self.get("ProxyJump") else self._set_string(option, args)

    def _set_proxy_jump(self, option: str, args: list[str]) -> None:
        """Ignored after a ProxyCommand, even if that is "none"."""
        args.clear() if "ProxyCommand" in self._options else self._set_string(option, args)

    def _set_time(self, option: str, args: list[str]) -> None:
        """Seconds, which may have units (1m30s), or "none"; asyncssh takes only whole numbers."""
        text = args.pop(0)
        if text != "none" and not re.fullmatch(r"(?=.{1,15}$)(?:[0-9]++[smhdw]?)+", text, re.IGNORECASE):
            self._error(f"Invalid {option} time value: {text}")
        parts = re.findall(r"([0-9]+)([a-z]?)", text.lower())
        self._options.setdefault(option, sum(int(number) * _SECONDS[unit] for number, unit in parts))

    _handlers: dict[str, tuple[str, Callable[..., None]]] = {  # noqa: RUF012
        **SSHClientConfig._handlers,
        "connecttimeout": ("ConnectTimeout", _set_time),
        "host": ("Host", _host),
        "include": ("Include", _include),
        "match": ("Match", _match),
        "proxycommand": ("ProxyCommand", _set_proxy_command),
        "proxyjump": ("ProxyJump", _set_proxy_jump),
        "serveraliveinterval": ("ServerAliveInterval", _set_time),
        # options that asyncssh does not know; they decide which host key is believed and which way is taken
        "bindinterface": ("BindInterface", SSHClientConfig._set_string),
        "knownhostscommand": ("KnownHostsCommand", SSHClientConfig._set_string),
        "revokedhostkeys": ("RevokedHostKeys", SSHClientConfig._set_string_list),
    }


def read(paths: Sequence[Path], destination: Destination, user: str) -> Reader:
    """What the files say. If Match final or canonicalization asks for it, they are read twice.

    The second time, the host has its full name.

    `user`: who runs this program. Blocking: runs the commands of Match exec, asks the name server for
    CanonicalizeHostname. Raises ValueError, OSError.
    """
    config = _through(paths, Reader(destination, user))
    host = _lowered(str(config.get("Hostname", destination.host)))
    host = canonical(host, config)
    config.settle(host)
    if config.has_match_final() or config.get("CanonicalizeHostname"):
        config = _through(paths, Reader(destination, user, config, host))
    return config


def _through(paths: Sequence[Path], reader: Reader) -> Reader:
    of_user = reader._default_path
    for path in paths:
        reader._default_path = SYSTEM_CONFIG.parent if path == SYSTEM_CONFIG else of_user
        reader.parse(path)
    return reader


def _lowered(host: str) -> str:
    return host if ":" in host else host.lower()  # the zone of an IPv6 address may have capitals


def fill(text: str, tokens: dict[str, str]) -> str:
    """Fills in % tokens. Raises ValueError for an unknown one, since ssh refuses it too."""

    def one(found: re.Match[str]) -> str:
        if found[1] not in tokens:
            raise ValueError(f"%{found[1]} in {text!r} has no meaning")
        return tokens[found[1]]

    return re.sub(r"%(.?)", one, text, flags=re.DOTALL)
