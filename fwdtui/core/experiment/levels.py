"""Reads the factors of experiment.toml, and how their levels are brought about."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import shorthand
from fwdtui.core.experiment.commands import Reading
from fwdtui.core.experiment.model import DesignFactor, LevelSetup, Upload
from fwdtui.core.experiment.shorthand import Shorthand
from fwdtui.core.experiment.tables import Check, Factor, Level, Setup
from fwdtui.core.experiment.variables import filled, filled_strictly, written
from fwdtui.core.factors import FactorValue, level
from fwdtui.core.stated_factors import stated

MOST_LEVELS = 100


class _Read(msgspec.Struct, frozen=True):
    """A level as it was read. `lost`: it has settings of the DUT that do not survive a reboot."""

    name: str
    setup: LevelSetup
    lost: bool


def factors(reading: Reading, tables: Sequence[Factor]) -> tuple[DesignFactor, ...]:
    """The factors under the names that everything uses, each with its levels."""
    made: dict[str, DesignFactor] = {}
    for number, factor in enumerate(tables):
        where = f"factor[{number}]"
        if not factor.levels:
            raise reading.wrong(f"{where}.levels", "expected at least one level, the baseline first")
        reading.few(f"{where}.levels", factor.levels, MOST_LEVELS)
        levels = [_level(reading, factor, one, f"{where}.levels[{n}]") for n, one in enumerate(factor.levels)]
        name = levels[0].name
        if name in made:
            raise reading.wrong(f"{where}.name", f"{name} is given twice")
        _differ(reading, levels, where)
        made[name] = DesignFactor(name, _rebooted(reading, levels, where))
    return tuple(made.values())


def _level(reading: Reading, factor: Factor, entry: FactorValue | Level, where: str) -> _Read:
    """One level; keys that it does not have itself are taken from its factor."""
    own = entry if isinstance(entry, Level) else None
    value = entry.value if isinstance(entry, Level) else entry
    [(name, value)] = stated({str(factor.name): value}, f"{reading.path}: {where}.").items()
    values = {name: written(name, value)}
    outer = where.partition(".")[0]

    def key(key: str) -> str:
        """The place of the key that applies: in the level if it has the key, else in the factor."""
        return f"{where if own is not None and getattr(own, key) is not None else outer}.{key}"

    given = {
        one: getattr(factor, one) if own is None or getattr(own, one) is None else getattr(own, one)
        for one in Setup.__struct_fields__
    }
    host = reading.host(given["host"], key("host"))
    short = _shorthand(reading, given, host, values, key)
    uploads = _uploads(reading, given["upload"] or {}, host, values, key("upload"))
    verify = given["verify"] or ()
    checks = [verify] if isinstance(verify, Check) else verify
    reading.few(key("verify"), checks)
    if given["undo"] is None:
        undo = tuple(one.removal for one in uploads)
        restore = short.restore
    else:  # an `undo` in the file says everything that is to be undone
        undo, restore = reading.actions(given["undo"], host, values, key("undo")), ()
    setup = LevelSetup(
        value=value,
        uploads=uploads,
        apply=short.apply + reading.actions(given["apply"], host, values, key("apply")),
        verify=short.verify + tuple(reading.check(one, host, values, key("verify")) for one in checks),
        undo=undo,
        restore=restore,
        reboot=bool(given["reboot"]),
    )
    return _Read(name, setup, bool(short.apply) and host == reading.lab.dut.host)


def _shorthand(
    reading: Reading,
    given: Mapping[str, object],
    host: str,
    values: Mapping[str, str],
    key: Callable[[str], str],
) -> Shorthand:
    """What `sysctl` and `module` stand for; modules first, since they bring their sysctls."""
    meant = Shorthand()
    modules = given["module"] or ()
    listed = (modules,) if isinstance(modules, str) else modules
    assert isinstance(listed, tuple)
    reading.few(key("module"), listed)
    if twice := next((one for one in listed if listed.count(one) > 1), None):  # it is unloaded only once
        raise reading.wrong(key("module"), f"{twice} is given twice")
    tables = given["sysctl"] or {}
    assert isinstance(tables, Mapping)
    try:
        for name in listed:
            meant += shorthand.module(host, filled_strictly(name, values))
    except FwdtuiError as error:
        raise reading.wrong(key("module"), str(error)) from None
    try:
        settings = shorthand.settings(tables)
        reading.few(key("sysctl"), list(settings))
        for name, value in settings.items():
            meant += shorthand.sysctl(host, name, filled_strictly(value, values))
    except FwdtuiError as error:
        raise reading.wrong(key("sysctl"), str(error)) from None
    return meant


def _uploads(
    reading: Reading, uploads: Mapping[str, str], host: str, values: Mapping[str, str], where: str
) -> tuple[Upload, ...]:
    """The files to copy to a host."""
    reading.few(where, list(uploads))
    made: list[Upload] = []
    for source, target in uploads.items():
        source = reading.fill(source, values, where)
        target = reading.fill(target, values, f"{where}.{source}")
        if not target.startswith("/") or target.endswith("/") or not target.isprintable():
            raise reading.wrong(f"{where}.{source}", f"expected an absolute path on the host, got {target!r}")
        if other := next((one.source for one in made if one.target == target), None):
            raise reading.wrong(f"{where}.{source}", f"{other} is already copied to {target}")
        made.append(Upload(host, source, target))
    return tuple(made)


def sources(factor: Factor, path: str) -> list[str]:
    """The files that the levels of a factor copy to hosts. Raises FwdtuiError."""
    paths: list[str] = []
    for one in factor.levels:
        own = one.upload if isinstance(one, Level) else None
        uploads = (factor.upload if own is None else own) or {}
        value = one.value if isinstance(one, Level) else one
        [(name, value)] = stated({str(factor.name): value}, f"{path}: ").items()
        paths += [filled(source, {name: written(name, value)}) for source in uploads]
    return paths


def _differ(reading: Reading, levels: Sequence[_Read], where: str) -> None:
    """Raises FwdtuiError if two levels are the same, as ``300 kpps`` and ``300000 pps`` are."""
    seen: dict[object, int] = {}
    for number, one in enumerate(levels):
        value = one.setup.value
        identity = level(one.name, value).identity
        if identity in seen:
            first = f"{where}.levels[{seen[identity]}]"
            raise reading.wrong(f"{where}.levels[{number}]", f"{value!r} is the same level as {first}")
        seen[identity] = number


def _rebooted(reading: Reading, levels: Sequence[_Read], where: str) -> tuple[LevelSetup, ...]:
    """The setups. What needs a reboot to be entered needs one to be left: if one level reboots, all do."""
    if not any(one.setup.reboot for one in levels):
        return tuple(one.setup for one in levels)
    for number, one in enumerate(levels):
        if one.lost:
            raise reading.wrong(
                f"{where}.levels[{number}]",
                "a sysctl or module would be lost, since the DUT reboots after it: let `apply` write it to"
                " the boot configuration, or make it a factor that does not reboot",
            )
    return tuple(msgspec.structs.replace(one.setup, reboot=True) for one in levels)
