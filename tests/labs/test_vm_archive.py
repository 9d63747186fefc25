"""The archive that a guest of the VM lab boots from."""

import stat
import subprocess
from pathlib import Path

import pytest

from fwdtui.labs.kernel import needs as kernel_needs
from fwdtui.labs.vm import cpio


def unpacked(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Path -> mode and content, by the format's description."""
    found, at = {}, 0
    while True:
        assert archive[at : at + 6] == b"070701"
        field = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        mode, size, length = field[1], field[6], field[11]
        name = archive[at + 110 : at + 110 + length]
        assert name[-1:] == b"\0"
        content = (at + 110 + length + 3) & ~3
        if name == b"TRAILER!!!\0":
            return found
        assert name[:-1].decode() not in found
        found[name[:-1].decode()] = mode, archive[content : content + size]
        at = (content + size + 3) & ~3


def test_an_archive_has_every_file_once_after_its_folders() -> None:
    written = cpio.archive(
        [
            cpio.file("a/b/c.txt", "odd", 0o640),
            cpio.link("bin/sh", "/bin/dash"),
            cpio.folder("a", 0o700),
            cpio.file("empty", b""),
            cpio.device("dev/console", 5, 1),
        ]
    )
    found = unpacked(written)
    assert list(found) == ["a", "a/b", "a/b/c.txt", "bin", "bin/sh", "dev", "dev/console", "empty"]
    assert found["a"] == (stat.S_IFDIR | 0o700, b"")
    assert found["a/b"] == (stat.S_IFDIR | 0o755, b"")
    assert found["a/b/c.txt"] == (stat.S_IFREG | 0o640, b"odd")
    assert found["bin/sh"] == (stat.S_IFLNK | 0o777, b"/bin/dash")
    assert found["dev/console"] == (stat.S_IFCHR | 0o600, b"")
    assert found["empty"] == (stat.S_IFREG | 0o644, b"")
    assert len(written) % 4 == 0


def test_a_real_cpio_unpacks_it(tmp_path: Path) -> None:
    busybox = kernel_needs.find("busybox")
    if busybox is None:
        pytest.skip("not installed: busybox")
    written = cpio.archive([cpio.file("x/run", "#!/bin/sh\n", 0o755), cpio.link("x/to", "run")])
    subprocess.run(
        [busybox, "cpio", "-i", "-d"], input=written, cwd=tmp_path, check=True, capture_output=True
    )
    assert (tmp_path / "x/to").read_text() == "#!/bin/sh\n"
    assert (tmp_path / "x/run").stat().st_mode & 0o777 == 0o755
