"""Whether two ssh destinations belong to one host, as far as their texts show."""


def same_host(one: str, other: str) -> bool:
    """True for ``dut`` and ``root@dut``. Different ports may be of different machines behind one address."""
    return _without_user(one) == _without_user(other)


def _without_user(destination: str) -> str:
    return destination.removeprefix("ssh://").removesuffix("/").rpartition("@")[2]
