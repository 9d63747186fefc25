"""Reads the commands of experiment.toml: on which host of the lab, with which variables, for how long."""

from collections.abc import Mapping, Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import tables
from fwdtui.core.experiment.model import Action, Check
from fwdtui.core.experiment.tables import Commands
from fwdtui.core.experiment.variables import filled_strictly
from fwdtui.core.lab import Lab
from fwdtui.core.text import clean

_LONGEST = 16_384  # characters of a command
_MOST = 100  # commands, uploads, hooks or profiles in one place


class Reading:
    """One reading of a file: `path` begins each message, `lab` is what the file is checked against."""

    def __init__(self, path: str, lab: Lab) -> None:
        self.path = path
        self.lab = lab
        roles = {"generator": lab.generators[0].host} if lab.generators else {}
        roles |= {"dut": lab.dut.host} | ({"receiver": lab.receiver.host} if lab.receiver else {})
        self.hosts = roles | {host: host for host in lab.hosts()}  # a host's own name wins

    def wrong(self, key: str, expected: str) -> FwdtuiError:
        """The error to raise about `key`, with what was expected there."""
        return FwdtuiError(f"{self.path}: {key}: {expected}")

    def few(self, key: str, entries: Sequence[object], most: int = _MOST) -> None:
        """Raises FwdtuiError if there are more entries than a person would write by hand."""
        if len(entries) > most:
            raise self.wrong(key, f"expected at most {most}, got {len(entries)}")

    def host(self, named: str | None, where: str) -> str:
        """A host of the lab: by its name, or as generator, dut or receiver. None: the DUT."""
        if named is None:
            return self.lab.dut.host
        if named not in self.hosts:
            known = ", ".join(self.lab.hosts())
            raise self.wrong(where, f"expected a host of the lab ({known}), got {str(named)!r}")
        return self.hosts[named]

    def fill(self, text: str, values: Mapping[str, str], where: str) -> str:
        """A command with its variables filled in. Raises FwdtuiError if it or one of them is not valid."""
        command = self.plain(text, where)
        try:
            return filled_strictly(command, values)
        except FwdtuiError as error:
            raise self.wrong(where, str(error)) from None

    def plain(self, text: str, where: str) -> str:
        """A command as it is, without filling in variables. Raises FwdtuiError if it is not valid."""
        if not text.strip() or "\0" in text or len(text) > _LONGEST:
            raise self.wrong(where, f"expected a command of 1 to {_LONGEST} characters, got {text[:40]!r}")
        return str(text)  # not a subclass of str: the plan is stored

    def actions(
        self, commands: Commands | None, host: str, values: Mapping[str, str], where: str
    ) -> tuple[Action, ...]:
        """Commands as Actions, on `host` unless they name another one."""
        listed = commands if isinstance(commands, tuple) else () if commands is None else (commands,)
        self.few(where, listed)
        made = []
        for number, command in enumerate(listed):
            place = f"{where}[{number}]" if isinstance(commands, tuple) else where
            if isinstance(command, str):
                made.append(Action(host, self.fill(command, values, place)))
                continue
            own = host if command.host is None else self.host(command.host, f"{place}.host")
            made.append(Action(own, self.fill(command.run, values, f"{place}.run"), float(command.timeout)))
        return tuple(made)

    def check(self, check: tables.Check, host: str, values: Mapping[str, str], where: str) -> Check:
        """A check of what must be true of a host."""
        own = host if check.host is None else self.host(check.host, f"{where}.host")
        expected = check.expect if isinstance(check.expect, str) else repr(check.expect)
        try:
            expected = filled_strictly(expected, values).strip()
        except FwdtuiError as error:
            raise self.wrong(f"{where}.expect", str(error)) from None
        if clean(expected) != expected:
            raise self.wrong(f"{where}.expect", f"expected one line of plain text, got {expected[:40]!r}")
        return Check(own, self.fill(check.run, values, f"{where}.run"), expected, float(check.timeout))
