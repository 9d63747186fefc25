"""How each flow's line looks without colour: dotted, dashed, solid. Numbers and graphs use the same."""

from fwdtui.ui.draw.braille import SOLID

DASHES = {"offered": (1, 2), "forwarded": (4, 6), "received": SOLID}
SIGNS = {"offered": "┈", "forwarded": "╌", "received": "─"}
"""Each flow's sign."""
