"""Finds a kernel for the guest: one of Debian's linux-image packages, unpacked but never installed.

The parts of packages that are needed are kept in the user's cache folder (`kernels`), so that a lab comes up
without a network the second time. The user's own kernel can be given as a package file, as a folder with
boot/ and lib/modules/, or as a bzImage. Such files are often rebuilt under the same name, so what is unpacked
from a package file is kept under the digest of its content, and never found by a package's name.
"""

import fcntl
import hashlib
import lzma
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.labs.kernel.commands import SEARCH_PATH
from fwdtui.labs.vm import modules

FLAVOURS = {"cloud": "linux-image-cloud-amd64", "standard": "linux-image-amd64"}
"""Short names -> Debian's metapackages, which depend on the current package of that kind."""

# The files of a package that are kept: what a router needs. The whole standard package would be 400 MB.
_KEPT = re.compile(
    r"kernel/(net|lib|crypto|arch/x86/crypto|drivers/(virtio|ptp|pps|net/[^/]+$|net/(vmxnet3|ethernet/intel/e1000e)))"
)
_PACKAGE = re.compile(r"linux-image-[a-z0-9][a-z0-9.+-]{2,80}")
_MOST = 1 << 26  # bytes of one member: a vmlinuz has 8 MB, a module at most 2
_SLOW = 300.0  # seconds for a download
_FRESH = "fresh-"  # prefix of folders in which something is being downloaded or unpacked
_OWN = "own-"  # prefix, before the digest of the user's own package file; no package has such a name


@dataclass(frozen=True)
class Kernel:
    """A kernel image and its modules. `label` says where it is from; `version` is its `uname -r`."""

    label: str
    version: str
    image: Path
    folder: Path | None  # lib/modules/VERSION

    def modules(self) -> dict[str, Path]:
        """Module files, compressed or not, by the module's name."""
        if self.folder is None:
            return {}
        return {modules.name_of(path.name): path for path in sorted(self.folder.glob("kernel/**/*.ko*"))}


def default(driver: str) -> str:
    """The kernel that boots fastest and has the driver: the cloud kernel lacks e1000e."""
    return "standard" if driver == "e1000e" else "cloud"


def cache() -> Path:
    """The folder for packages and what was unpacked from them. It is made if it does not exist."""
    import platformdirs

    path = Path(platformdirs.user_cache_dir("fwdtui")) / "kernels"
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def find(wanted: str) -> Kernel:
    """The kernel that `wanted` names: cloud, standard, a package's name, or a path. Raises FwdtuiError."""
    if "/" in wanted:
        return _at(Path(wanted))
    if wanted not in FLAVOURS and not _PACKAGE.fullmatch(wanted):
        raise FwdtuiError(
            f"--kernel {wanted}: expected cloud, standard, the name of a package (linux-image-...), or a path"
        )
    _sweep()
    if wanted not in FLAVOURS:
        return _kept(wanted) or _from_package(_download(wanted))
    # The package that was used before, so that labs stay comparable; else apt's current one. Its name is in a
    # file; if that is removed, apt is asked again.
    noted = cache() / wanted
    try:
        name = noted.read_text()[:100].strip()
    except OSError:
        name = ""
    if _PACKAGE.fullmatch(name) and (kept := _kept(name)):
        return kept
    name = _resolved(wanted)
    kept = _kept(name) or _from_package(_download(name))
    noted.write_text(name + "\n")
    return kept


def _resolved(wanted: str) -> str:
    """The package that a flavour's metapackage depends on, from apt's lists. Raises FwdtuiError."""
    listing = _said("apt-cache", "depends", "--no-recommends", "--no-suggests", FLAVOURS[wanted])
    match = re.search(r"Depends: (linux-image-\S+)", listing or "")
    if not match or not _PACKAGE.fullmatch(match[1]):
        raise FwdtuiError(f"--kernel {wanted}: apt does not know {FLAVOURS[wanted]} (run: apt-get update)")
    return match[1]


def _kept(package: str) -> Kernel | None:
    """The newest version of this package in the cache folder, unpacked or as a package file; None: none."""
    copies = list(cache().glob(f"{package}_*"))
    for path in sorted(copies, key=lambda path: path.stat().st_mtime, reverse=True):
        if path.suffix == ".deb":
            return _from_package(path)
        if (path / "boot").is_dir():
            return _in_folder(path)
    return None


def _download(package: str) -> Path:
    """Downloads a package to the cache folder. apt-get checks signature and digest. Raises FwdtuiError."""
    problem = f"--kernel {package}: apt-get downloaded nothing"
    try:
        with _fresh() as (fresh, lock):
            done = subprocess.run(
                ["apt-get", "-q", "download", package],
                cwd=fresh,
                env={**os.environ, "PATH": SEARCH_PATH, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="backslashreplace",
                timeout=_SLOW,
                pass_fds=(lock,),  # if we are killed, apt-get still works in the folder and holds its lock
            )
            for path in fresh.glob("*.deb"):
                return path.replace(cache() / path.name)
            for line in done.stderr.splitlines():
                if line.startswith("E:"):
                    problem = f"--kernel {package}: apt-get: {clean(line[2:].strip())}"
                    break
    except FileNotFoundError:
        problem = f"--kernel {package}: there is no apt-get here; give a package file or a folder"
    except subprocess.TimeoutExpired:
        problem = f"--kernel {package}: the download took more than {_SLOW:.0f} s"
    raise FwdtuiError(problem)


def is_kept(image: Path) -> bool:
    """Whether an image is in the cache folder and so stays as it is; elsewhere it may be built again."""
    return image.is_relative_to(cache().resolve())


def _own(path: Path) -> Kernel:
    """The kernel of the user's own package file."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FwdtuiError(f"--kernel {path}: {error.strerror or error}") from None
    _sweep()
    place = cache() / f"{_OWN}{digest}"
    if not (place / "boot").is_dir():
        _unpack(path, place)
    return _in_folder(place, f"{path.name.partition('_')[0].removesuffix('.deb')} (SHA-256 {digest[:8]})")


def _from_package(path: Path) -> Kernel:
    """The kernel of a package file in the cache folder. The file is removed: it is no longer needed."""
    place = cache() / path.name.removesuffix(".deb")
    _unpack(path, place)
    path.unlink(missing_ok=True)
    return _in_folder(place)


def _unpack(path: Path, place: Path) -> None:
    """Unpacks what is needed from a package file into the folder `place`, replacing what was there."""
    with _fresh() as (fresh, _):
        for member, content in _members(path):
            target = fresh / member
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        if not (fresh / "boot").is_dir():
            raise FwdtuiError(f"{path}: no kernel in it (/boot/vmlinuz-*)")
        shutil.rmtree(place, ignore_errors=True)
        fresh.replace(place)


@contextmanager
def _fresh() -> Iterator[tuple[Path, int]]:
    """A new folder in the cache folder, and its lock. The folder is removed at the end if it still exists.

    The lock distinguishes it from what a killed fwdtui left behind (`_sweep`).
    """
    while True:
        fresh = Path(tempfile.mkdtemp(dir=cache(), prefix=_FRESH))
        try:
            lock = os.open(fresh, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:  # another fwdtui swept it before we had its lock
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if fresh.is_dir():
            break
        os.close(lock)
    try:
        yield fresh, lock
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        os.close(lock)


def _sweep() -> None:
    """Removes what killed downloads left in the cache folder: folders whose lock no process holds."""
    for folder in cache().glob(f"{_FRESH}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # its owner has just removed it, or it is not one of ours
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # its owner is still using it
        finally:
            os.close(lock)


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """The kernel and the wanted modules of a package file: (path, content).

    The names come from the package, so only those of a known form are accepted.
    """
    form = re.compile(
        r"\./((?:usr/)?)(boot/vmlinuz-[\w.+~-]+|"
        r"lib/modules/[\w.+~-]+/(kernel/[\w./+-]+\.ko(?:\.(?:xz|gz|zst))?))"
    )
    try:
        reader = subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise FwdtuiError("the VM lab needs dpkg-deb (Debian: dpkg) to unpack a kernel") from None
    with reader:
        assert reader.stdout is not None
        try:
            with tarfile.open(fileobj=reader.stdout, mode="r|") as tar:
                for member in tar:
                    match = form.fullmatch(member.name)
                    wanted = match and ".." not in member.name and (not match[3] or _KEPT.match(match[3]))
                    if match and wanted and member.isfile() and member.size <= _MOST:
                        content = tar.extractfile(member)
                        if content is not None:
                            yield match[2], content.read()
        except tarfile.TarError as error:
            raise FwdtuiError(
                f"{path}: not a Debian package that can be read ({clean(str(error))})"
            ) from None
        finally:
            reader.kill()


def _at(path: Path) -> Kernel:
    if path.is_dir():
        return _in_folder(path)
    if not path.is_file():
        raise FwdtuiError(f"--kernel {path}: no such file or folder")
    if path.suffix == ".deb":
        return _own(path)
    version = release(path)
    beside = (path.parent.parent / "lib/modules" / version, Path("/lib/modules") / version)
    return Kernel(str(path), version, path.resolve(), next((one for one in beside if one.is_dir()), None))


def _in_folder(folder: Path, label: str = "") -> Kernel:
    # `make install` renames the previous kernel to *.old; vmlinuz may be a link to one with a version
    named = [one for one in folder.glob("boot/vmlinuz*") if one.suffix != ".old" and one.is_file()]
    images = sorted({one.resolve() for one in named})
    if not images:
        raise FwdtuiError(f"--kernel {folder}: no boot/vmlinuz* in it")
    if len(images) > 1:
        several = ", ".join(one.name for one in images)
        raise FwdtuiError(f"--kernel {folder}: several kernels in it ({several}): give the path of one")
    (image,) = images
    version = release(image)
    beside = [folder / prefix / "lib/modules" / version for prefix in ("", "usr")]
    if not label:
        label = folder.name.partition("_")[0] if folder.parent == cache() else str(folder)
    return Kernel(label, version, image, next((one for one in beside if one.is_dir()), None))


def release(image: Path) -> str:
    """`uname -r` of a bzImage (Documentation/arch/x86/boot.rst: kernel_version at 0x20e).

    Raises FwdtuiError.
    """
    with image.open("rb") as file:
        head = file.read(0x8000)
    at = int.from_bytes(head[0x20E:0x210], "little") + 0x200
    words = head[at : at + 200].split(b"\0")[0].decode("ascii", "replace").split()
    # "HdrS" at 0x202 is the mark of the boot protocol
    if head[0x202:0x206] != b"HdrS" or not words or not re.fullmatch(r"[\w.+~-]{1,100}", words[0]):
        raise FwdtuiError(f"{image}: not a Linux kernel for x86 (no bzImage)")
    return words[0]


def content(path: Path) -> bytes:
    """A module, decompressed. Raises FwdtuiError if it cannot be read."""
    data = path.read_bytes()
    try:
        if path.suffix == ".xz":
            return lzma.LZMADecompressor().decompress(data, _MOST)
        if path.suffix == ".gz":
            return zlib.decompressobj(wbits=31).decompress(data, _MOST)
    except (lzma.LZMAError, zlib.error) as error:
        raise FwdtuiError(f"{path}: {error}") from None
    if path.suffix == ".zst":
        raise FwdtuiError(
            f"{path}: compressed by zstd, which is not read: unpack the modules, or build the kernel with"
            " CONFIG_MODULE_COMPRESS_XZ"
        )
    return data


def _said(*argv: str) -> str | None:
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            env={**os.environ, "PATH": SEARCH_PATH, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
