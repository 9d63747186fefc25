"""Published claims and ministat blocks checked against each other."""

from fwdtui.check.check import check_text
from fwdtui.check.findings import Checked, Finding

__all__ = ["Checked", "Finding", "check_text"]
