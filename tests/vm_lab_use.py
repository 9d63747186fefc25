"""The VM labs of the tests: one for all that share it, since a boot takes ten to thirty seconds."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kernel_lab_use import HOSTS, LabUnderTest, network_of, running_processes, veths_left

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import needs as kernel_needs
from fwdtui.labs.vm import kernels, needs

BOOTS = 150.0  # seconds, on a machine that does other things as well


@pytest.fixture(scope="session")
def kernel(kernel_lab_works: None) -> kernels.Kernel:
    """Debian's cloud kernel from the user's cache folder, or from the network."""
    missing = [name for name in needs.PACKAGES if kernel_needs.find(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun")
    try:
        return kernels.find("cloud")
    except FwdtuiError as error:
        pytest.skip(f"no kernel for the machine: {error}")


@contextmanager
def up(folder: Path, name: str, kernel: kernels.Kernel, *options: object) -> Iterator[LabUnderTest]:
    """A VM lab with two queues. Afterwards nothing of it may be left."""
    lab = LabUnderTest(folder, name)
    veths: dict[str, str] = {}
    inodes: set[int] = set()
    try:
        # its tests have caches of their own, so the kernel is named by its folder
        given = ("--queues", 2, "--kernel", kernel.image.parent.parent, *options)
        answer = lab("up", "--vm", *given, timeout=2 * BOOTS)
        assert answer.status == 0, answer.err
        veths = lab.veths()
        inodes = {Path("/run/netns", lab.namespace(host)).stat().st_ino for host in HOSTS}
        yield lab
    finally:
        down = lab("down")
        assert down.status == 0, down.err
    assert "the VM lab" in down.out
    # a test's own lab.toml beside the lab's is somebody else's file
    assert [one for one in lab.remains() if not one.startswith("file lab-")] == []
    assert len(veths) == 3
    assert not veths_left(veths)
    assert not [one for one in running_processes() if network_of(one.pid) in inodes]


@pytest.fixture(scope="session")
def vm(kernel: kernels.Kernel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabUnderTest]:
    """A VM lab whose generator is a namespace, up for all tests that share it."""
    with up(tmp_path_factory.mktemp("vm") / "lab", f"v{os.getpid()}", kernel) as lab:
        yield lab
