"""The configurations of a bench-lab tree: ``configs/<name>/etc/sysctl.conf`` and others, beside results/.

bench-lab.sh copies such a folder to the DUT before each configuration's runs, and .info names it (CFG). Its
texts become settings of the DUT, without their secrets, for the cases that ran under it.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import DUT, HostSettings, SettingsSource
from fwdtui.core.settings_files import FILES_MOST, kind_of
from fwdtui.core.text import clean, decode
from fwdtui.store import opening
from fwdtui.store.benchlab_tree import Result

_CONFIGS = "configs"
_ABOVE = 3  # folders: results/<build>/RAW is beside configs
_DEEPEST = 8
_FILE_MOST = opening.MIB


class Configs:
    """The configurations beside results, each read once, since one folder may hold a thousand sessions."""

    def __init__(self) -> None:
        self._folder: Path | None = None  # of the results whose configurations these are
        self._configs: dict[str, Path] = {}
        self._read: dict[Path, tuple[SettingsSource, ...]] = {}

    def keep(
        self, write: Callable[[HostSettings], bool], folder: Path, results: Sequence[Result]
    ) -> list[str]:
        """Have `write` write the settings of each configuration that the `results` in `folder` ran under.

        Returns notes. `write` returns False if there is no room for another one. A FwdtuiError that it raises
        becomes a note; any other exception is passed on.
        """
        if folder != self._folder:
            self._folder, self._configs, self._read = folder, _configs(folder), {}
        configs = self._configs
        notes: list[str] = []
        cases: dict[str, list[str]] = {}
        for result in results:
            if configs and (name := _config_of(result, configs, notes)):
                cases.setdefault(name, []).append(result.case)
        for name, measured in cases.items():
            origin = configs[name]
            settings = HostSettings(
                host=DUT,
                roles=(DUT,),
                origin=clean(f"{origin.parent.parent.name}/{_CONFIGS}/{name}"),
                cases=tuple(dict.fromkeys(measured)),
                sources=self._sources(origin),
            )
            try:
                if not write(settings):
                    notes.append(
                        f"{_CONFIGS}/{clean(name)}: too many configurations: its settings are not kept"
                    )
            except FwdtuiError as error:
                notes.append(f"{_CONFIGS}/{clean(name)}: {error}")
        return notes

    def _sources(self, origin: Path) -> tuple[SettingsSource, ...]:
        if origin not in self._read:
            self._read[origin] = tuple(_sources(origin))
        return self._read[origin]


def _configs(folder: Path) -> dict[str, Path]:
    """Name -> folder of each configuration that belongs to the results in `folder`."""
    for above in [folder, *folder.absolute().parents[:_ABOVE]]:
        try:
            with os.scandir(above / _CONFIGS) as entries:
                return {one.name: Path(one.path) for one in entries if one.is_dir(follow_symlinks=False)}
        except OSError:
            continue
    return {}


def _config_of(result: Result, configs: dict[str, Path], notes: list[str]) -> str:
    """The configuration under which a result was measured, from .info or else its name; "": not known."""
    stated = result.info.config if result.info is not None else None
    if stated:
        if stated in configs:
            return stated
        notes.append(
            f"{result.key}: no folder in {_CONFIGS} is named {clean(stated)}: its settings are not known"
        )
        return ""
    dotted = f".{result.key}."
    fits = sorted((name for name in configs if f".{name}." in dotted), key=len)
    if len(fits) > 1 and len(fits[-1]) == len(fits[-2]):
        notes.append(
            f"{result.key}: {clean(fits[-2])} or {clean(fits[-1])} in {_CONFIGS}: its settings are not known"
        )
        return ""
    return fits[-1] if fits else ""


def _sources(folder: Path) -> Iterator[SettingsSource]:
    """Every file of one configuration, named by its path on the DUT."""
    from fwdtui.core import settings_reading  # loads a dozen parsers, and few trees have configurations

    for number, path in enumerate(_files(folder, 0)):
        name = clean("/" + path.relative_to(folder).as_posix())
        if number >= FILES_MOST:
            yield SettingsSource("further files", missing=f"only the first {FILES_MOST} are read")
            return
        kind = kind_of(name)
        if kind is None:
            yield SettingsSource(name, missing="not a file that is read as settings")
            continue
        try:
            text = decode(opening.read(path, _FILE_MOST))
        except OSError as error:
            yield SettingsSource(name, missing=error.strerror or "cannot be read")
        else:
            yield settings_reading.source(kind, name, text)


def _files(folder: Path, depth: int) -> Iterator[Path]:
    """The files at or below `folder`, sorted by name. Links are listed too; `opening` refuses them."""
    try:
        with os.scandir(folder) as entries:
            children = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in children:
        if not entry.is_dir(follow_symlinks=False):
            yield Path(entry.path)
        elif depth < _DEEPEST:
            yield from _files(Path(entry.path), depth + 1)
