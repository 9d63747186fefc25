"""`j` and `k` move as the arrows do, except where letters are typed as text."""

from textual.binding import Binding


def _moves(name: str) -> tuple[Binding, Binding]:
    down = Binding("j", "app.arrow('down')", "down", show=False, id=f"{name}.down", tooltip="as the arrow")
    return down, Binding("k", "app.arrow('up')", "up", show=False, id=f"{name}.up", tooltip="as the arrow")


IN_APP = _moves("app")
IN_LISTS = _moves("list")
"""For a dialog, which the app's own keys do not reach."""
