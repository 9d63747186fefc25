"""Flame graphs as SVG documents, of one profile or of the difference between two."""

from fwdtui.report.flame.draw import differential, flame_graph
from fwdtui.report.flame.layout import Taken

__all__ = ["Taken", "differential", "flame_graph"]
