"""A real lab for the tests, beside whatever else runs here: own folder, own name, gone at the end."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_lab_use import LabUnderTest

from fwdtui.labs.kernel import needs


@pytest.fixture(scope="session")
def kernel_lab_works() -> None:
    """Skips where the lab cannot be."""
    if sys.platform != "linux":
        pytest.skip("network namespaces need Linux")
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    missing = [name for name in (*needs.PACKAGES, "tcpreplay", "ssh") if needs.find(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if (os.cpu_count() or 1) < 2 or not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("the lab's usual mode needs CPUs 0 and 1")


@pytest.fixture
def a_lab(kernel_lab_works: None, tmp_path: Path) -> Iterator[LabUnderTest]:
    """A lab that is not up yet."""
    lab = LabUnderTest(tmp_path / "lab", f"t{os.getpid()}x")
    yield lab
    lab("down")


@pytest.fixture(scope="module")
def lab(kernel_lab_works: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabUnderTest]:
    """A lab that is up, for the tests of one module."""
    lab = LabUnderTest(tmp_path_factory.mktemp("kernel") / "lab", f"t{os.getpid()}")
    answer = lab("up")
    try:
        assert answer.status == 0, answer.err
        yield lab
    finally:
        down = lab("down")
        assert down.status == 0, down.err
        assert not lab.folder.exists() or shutil.rmtree(lab.folder) is None
