"""A link that the kernel is removing at the moment when the lab is taken down."""

import errno
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import down


class Leaving:
    """An address of /sys/class/net that cannot be read, and is gone when it was looked for often enough."""

    def __init__(self, code: int, looks: float) -> None:
        self.code, self.looks = code, looks

    def __truediv__(self, name: str) -> "Leaving":
        return self

    def read_text(self) -> str:
        raise OSError(self.code, "no address")

    def exists(self) -> bool:
        self.looks -= 1
        return self.looks > 0


def remove(monkeypatch: pytest.MonkeyPatch, code: int, looks: float) -> None:
    monkeypatch.setattr(down, "Path", lambda path: Leaving(code, looks))
    monkeypatch.setattr(down, "_GENTLE", 0.1)
    down._remove_veth(None, "veth0", "02:00:00:00:00:01")  # type: ignore[arg-type]  # it runs no command


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENODEV])
def test_it_is_waited_for(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    remove(monkeypatch, code, looks=3)


def test_one_that_stays_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FwdtuiError, match="the kernel is removing veth0 but has not finished"):
        remove(monkeypatch, errno.EINVAL, looks=float("inf"))


def test_another_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PermissionError):
        remove(monkeypatch, errno.EACCES, looks=1)


def test_one_that_is_gone_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(down, "Path", Path)
    down._remove_veth(None, "no-such-veth", "02:00:00:00:00:01")  # type: ignore[arg-type]
