"""The kernel lab with a DUT that drops for reasons, and the simulated lab for commands in other processes."""

from pathlib import Path

import lossy_dut
import pytest

from fwdtui.collectors.lab_trust import to_trust
from fwdtui.transport import trusted

kernel_counts = lossy_dut.kernel_counts
lossy = lossy_dut.lossy


@pytest.fixture
def lab_toml(lab_file: Path) -> Path:
    """A lab.toml whose ssh files may run commands in other processes, too: as `fwdtui trust` does."""
    for root, files in to_trust(lab_file):
        trusted.allow(root, files)
    return lab_file
