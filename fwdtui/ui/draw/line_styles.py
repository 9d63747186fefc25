"""How each flow's line looks without colour: dots, dashes, solid. Numbers and graphs use the same."""

from fwdtui.ui.draw.braille import SOLID

DASHES = {"offered": (1, 2), "attack": (1, 4), "forwarded": (4, 6), "received": SOLID}
SIGNS = {"offered": "┈", "attack": "·", "forwarded": "╌", "received": "─"}
"""Each flow's sign."""
