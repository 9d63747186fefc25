"""What tests of checked cells share: a table, its blocks, value files, and what is flagged."""

from ministat_samples import report

from fwdtui.check import Checked, check_text
from fwdtui.check.cells.files import Data, data_of
from fwdtui.store.value_folder import NamedValues, ValueFolder


def checked(text: str, data: Data | None = None) -> Checked:
    return check_text("README.md", report(text), data)


def wrong(text: str, data: Data | None = None) -> list[str | None]:
    """The cells that are flagged."""
    return [one.cell for one in checked(text, data).findings if one.kind == "cell"]


FAMILIES = "\nIPv4:\n[[up3 | r1 | r1 with D1]]\n\nIPv6:\n[[down3 | r1 | r1 with D1]]\n"
HEAD = "| {} |\n|---|---|---|---|\n"


def files(**sets: tuple[float, ...]) -> Data:
    """Value files by their paths, "__" for a slash and "_dot_" for a dot; the report is in their folder."""
    named = [
        NamedValues(name.replace("__", "/").replace("_dot_", "."), values) for name, values in sets.items()
    ]
    return data_of(ValueFolder(tuple(named)), "data", ("", "home", "data"), "")


BASE = (998000.0, 1000500.0, 1003000.0, 999500.0, 1001000.0)
UP = (1028000.0, 1030400.0, 1032500.0, 1029500.0, 1031000.0)
TWO = {"r1_dot_inet4_dot_pps": BASE, "r1D1_dot_inet4_dot_pps": UP}
