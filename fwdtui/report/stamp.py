"""Whether sessions have changed since they were read, without reading them: milliseconds for thousands."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from fwdtui.report.comparison import session_folder
from fwdtui.store.names import EXPERIMENT_FILES
from fwdtui.store.opening import leads_to_folder
from fwdtui.store.reader import is_number


def stamp(paths: Sequence[Path]) -> tuple[int, ...]:
    """Numbers that change when iterations are added or replaced, or anything is renamed, annotated or judged.

    No file of an iteration is looked at, as a file that is made or replaced changes its folder; nor are
    recordings, which grow all the time.
    """
    times: list[int] = []
    for path in map(session_folder, paths):
        with contextlib.suppress(OSError):
            times += _state(path.stat())
            for entry in _entries(path):
                if leads_to_folder(entry):
                    times += _state(entry.stat())
                    times += (
                        number
                        for iteration in _entries(entry.path)
                        if is_number(iteration.name)
                        for number in _state(iteration.stat())
                    )
                elif entry.name.endswith((".toml", ".json")) or entry.name == EXPERIMENT_FILES[0]:
                    times += _state(entry.stat())
    return tuple(times)


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(".")]
    return sorted(shown, key=lambda entry: entry.name)


def _state(status: os.stat_result) -> tuple[int, int, int]:
    # ctime: rsync -t sets the mtime back
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size
