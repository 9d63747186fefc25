"""Levels of which something stays once they are left: nothing in the file undoes what their commands did."""

from fwdtui.core.experiment.model import LevelSetup
from fwdtui.core.experiment.shorthand import unloads


def stays(level: LevelSetup) -> bool:
    """Whether leaving the level does not undo what it did; a boot, or a module that is unloaded, may do so.

    Without an `undo` in the file, what `sysctl` and `module` set is put back, each of them by one command,
    and files that were copied are removed. That undoes none of the level's own commands.
    """
    if level.reboot or any(map(unloads, level.restore)):
        return False
    if not level.undo and not level.restore:
        return bool(level.apply or level.uploads)
    removed = {upload.removal for upload in level.uploads}
    return len(level.apply) > len(level.restore) and removed.issuperset(level.undo)
