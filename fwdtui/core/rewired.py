"""Whether a lab.toml names other hosts, ports or times than the one that a session was begun with.

A session holds one lab, with which all of it is replayed: its hosts and ports, the warm-up that is left out
of a value, and the interval by which blasts are told apart. Other things that may differ, such as commands,
frames and line rates, are in the facts of each iteration.
"""

from collections.abc import Iterator, Mapping

_OF_AN_END = ("host", "interface", "tool", "role")
_OF_THE_DUT = ("host", "in", "out")
_TIMES = {"run": ("warmup",), "sampling": ("interval",)}


def rewired(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """The differences: ``["dut.out is ix2 and was ix1"]``. Both labs are as `core.lab.plain` gives them."""
    old, new = dict(_wiring(before)), dict(_wiring(now))
    changed = [
        f"{name} is {new.get(name) or 'none'} and was {old.get(name) or 'none'}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]
    earlier, later = dict(_times(before)), dict(_times(now))
    common = [name for name in later if name in earlier]  # a lab without the key had such a time all the same
    times = (
        f"{name} is {later[name]} and was {earlier[name]}" for name in common if later[name] != earlier[name]
    )
    return [*changed, *times]


def _wiring(lab: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """``("dut.out", "ix1")``; of several generators the second is generator2."""
    generators = lab.get("generator")
    for number, table in enumerate(generators if isinstance(generators, list) else [generators], 1):
        yield from _named("generator" if number == 1 else f"generator{number}", table, _OF_AN_END)
    yield from _named("dut", lab.get("dut"), _OF_THE_DUT)
    yield from _named("receiver", lab.get("receiver"), _OF_AN_END)


def _times(lab: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, keys in _TIMES.items():
        yield from _named(name, lab.get(name), keys)


def _named(name: str, table: object, keys: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for key in keys if isinstance(table, Mapping) else ():
        assert isinstance(table, Mapping)
        if value := table.get(key):
            yield f"{name}.{key}", ", ".join(map(str, value)) if isinstance(value, list) else str(value)
