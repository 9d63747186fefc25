"""Whether two ssh destinations are of one host, as far as their texts say."""


def same_host(one: str, other: str) -> bool:
    """``dut`` and ``root@dut`` are. Another port may be another machine's, behind one address."""
    return _without_user(one) == _without_user(other)


def _without_user(destination: str) -> str:
    return destination.removeprefix("ssh://").removesuffix("/").rpartition("@")[2]
