"""Levels that leave something behind: nothing in the file undoes what their commands did."""

from fwdtui.core.experiment.model import LevelSetup
from fwdtui.core.experiment.shorthand import unloads


def stays(level: LevelSetup) -> bool:
    """Whether leaving the level does not undo what it did. False if a boot or an unloaded module may undo it.

    Without an `undo` in the file, what `sysctl` and `module` set is put back, each of them by one command,
    and files that were copied are removed. That undoes nothing of what the level's own commands did.
    """
    if level.reboot or any(map(unloads, level.restore)):
        return False
    if not level.undo and not level.restore:
        return bool(level.apply or level.uploads)
    removed = {upload.removal for upload in level.uploads}
    return len(level.apply) > len(level.restore) and removed.issuperset(level.undo)
