"""ministat in three flavours: its text byte for byte, and its numbers.

FreeBSD's of today (`current`), FreeBSD's until the percent error was fixed in November 2016 (`classic`), and
Debian's port of 2015 (`debian`). For sets of ordinary size nothing but the standard library is imported.
"""

from fwdtui.stats.ministat.inputs import FLAVOURS, MinistatOptions, NamedSet
from fwdtui.stats.ministat.pairs import pair
from fwdtui.stats.ministat.render import block, render
from fwdtui.stats.ministat.tables import CONFIDENCES

__all__ = ["CONFIDENCES", "FLAVOURS", "MinistatOptions", "NamedSet", "block", "pair", "render"]
