"""Checks published claims, table cells and ministat blocks against each other, and against value files."""

from fwdtui.check.check import check_text
from fwdtui.check.findings import Checked, Finding

__all__ = ["Checked", "Finding", "check_text"]
