"""Makes the guest's initramfs: this machine's programs with their libraries, the guest kernel's modules."""

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import needs, scripts
from fwdtui.labs.kernel.commands import SEARCH_PATH
from fwdtui.labs.vm import cpio, guest, kernels, modules, pktgen
from fwdtui.labs.vm.guests import GENERATOR

# The programs and where they are in the guest. /sbin and /usr/sbin come before /bin in PATH, so that
# iproute2's ip is found and not busybox's. The shell is dash, because some builds of busybox's own shell
# prefer its applets, whatever PATH says.
_PROGRAMS = {
    "busybox": "bin/busybox",
    "dash": "bin/sh",
    "dropbear": "usr/sbin/dropbear",
    "ip": "sbin/ip",
    "tc": "sbin/tc",
    "ethtool": "sbin/ethtool",
    "nft": "sbin/nft",
}
_OURS = ("sh", "ip", "tc")  # busybox gets no such applets: they would hide our programs

_DRIVERS = {"virtio": "virtio_net", "vmxnet3": "vmxnet3", "e1000e": "e1000e"}
_ALWAYS = ("virtio_pci", "virtio_net")  # for the management port
# loaded only when they are asked for; a kernel may lack some of them
_AVAILABLE = [
    "nf_tables",
    "nf_tables_set",
    "nft_ct",
    "nft_limit",
    "nft_counter",
    "nft_log",
    "nft_reject_inet",
    "nft_nat",
    "nft_chain_nat",
    "nf_conntrack",
    "nft_fib_inet",
    "nft_hash",
    "nft_numgen",
    "nf_flow_table",
    "nf_flow_table_inet",
    "nft_flow_offload",
    "pktgen",
    "sch_netem",
    "sch_fq",
    "sch_fq_codel",
    "sch_htb",
    "sch_tbf",
    "sch_ingress",
    "sch_mq",
    "sch_prio",
    "cls_u32",
    "cls_matchall",
    "cls_bpf",
    "cls_flower",
    "act_mirred",
    "act_gact",
    "act_police",
    "veth",
    "dummy",
    "bridge",
    "8021q",
    "ifb",
    "vrf",
    "tun",
    "crc32c_generic",
    "crc32c_intel",
]


def build(
    kernel: kernels.Kernel, driver: str, address: str, keys: tuple[Path, Path], host: str = "dut"
) -> bytes:
    """The initramfs of `host`. `keys`: dropbear's host key, and the public keys that may log in.

    Raises FwdtuiError if the kernel lacks the driver, or a generator's pktgen, or a program is missing.
    """
    host_key, authorized = keys
    loaded = (*_ALWAYS, _DRIVERS[driver], *(("pktgen",) if host == GENERATOR else ()))
    entries = [
        *_programs(),
        *_modules(kernel, loaded),
        cpio.file("init", guest.INIT, 0o755),
        cpio.file("etc/inittab", guest.INITTAB),
        cpio.file("etc/rc", guest.rc(loaded, address, host), 0o755),
        cpio.file("usr/sbin/boot-entry", guest.boot_entry(), 0o755),
        (
            cpio.file("usr/sbin/pktgen-send", pktgen.SEND, 0o755)
            if host == GENERATOR
            else cpio.file("usr/sbin/rules", scripts.RULES, 0o755)
        ),
        cpio.file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"),
        cpio.file("etc/shadow", "root:*:19000:0:99999:7:::\n", 0o600),
        cpio.file("etc/group", "root:x:0:\n"),
        cpio.file("etc/shells", "/bin/sh\n"),
        cpio.file("etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\n"),
        cpio.file("etc/hosts", f"127.0.0.1 localhost {host}\n"),
        cpio.file("etc/os-release", f'PRETTY_NAME="fwdtui VM lab, {kernel.label}"\nID=fwdtui-lab\n'),
        cpio.file("etc/profile", "export PATH=/usr/sbin:/sbin:/usr/bin:/bin\n"),
        cpio.folder("root", 0o700),
        cpio.folder("root/.ssh", 0o700),
        cpio.file("root/.ssh/authorized_keys", authorized.read_bytes(), 0o600),
        cpio.folder("etc/dropbear", 0o700),
        cpio.file("etc/dropbear/host_key", host_key.read_bytes(), 0o600),
        *(cpio.folder(name) for name in ("proc", "sys", "dev", "run", "var", "var/log", "mnt")),
        cpio.folder("tmp", 0o1777),
        cpio.device("dev/console", 5, 1),
        cpio.device("dev/null", 1, 3, 0o666),
        cpio.link("var/run", "/run"),
    ]
    # It is not compressed: 14 MB instead of 6, but an emulated machine would take more than half a second to
    # unpack it.
    return cpio.archive(entries)


def _programs() -> list[cpio.Entry]:
    paths = {}
    for name, target in _PROGRAMS.items():
        program = needs.find(name)
        if program is None:
            raise FwdtuiError(f"the VM lab needs {name} for the guest")
        paths[target] = Path(program)
    entries = [cpio.file(target, path.read_bytes(), 0o755) for target, path in paths.items()]
    entries += [
        cpio.file(str(path).lstrip("/"), path.read_bytes(), 0o755) for path in _libraries(paths.values())
    ]
    applets = _run(str(paths["bin/busybox"]), "--list").split()
    entries += [
        cpio.link(f"bin/{name}", "/bin/busybox")
        for name in applets
        if name not in (*_OURS, "busybox") and re.fullmatch(r"[\w.+-]+", name)
    ]
    # the places where the kernel and the shutdown look for them
    entries += [
        cpio.link(f"sbin/{name}", "/bin/busybox")
        for name in ("init", "modprobe", "reboot", "poweroff", "halt")
    ]
    plugins = Path("/usr/lib/tc")
    if plugins.is_dir():  # tables of netem
        entries += [cpio.file(f"usr/lib/tc/{one.name}", one.read_bytes()) for one in plugins.glob("*.dist")]
    return entries


def _libraries(programs: Iterable[Path]) -> list[Path]:
    """The shared libraries and loaders of these programs, as ldd lists them: where they are looked for."""
    libraries: dict[str, Path] = {}
    for program in programs:
        # not checked: for a static program, ldd says so and fails
        listing = _run("ldd", str(program), check=False)
        for line in listing.splitlines():
            path = re.search(r"(?:=> )?(/\S+) \(0x", line)
            if path:
                libraries[path[1]] = Path(path[1])
    return list(libraries.values())


def _modules(kernel: kernels.Kernel, loaded: tuple[str, ...]) -> list[cpio.Entry]:
    files = kernel.modules()
    wanted = (*loaded, *_AVAILABLE)
    known: dict[str, modules.Module] = {}
    contents: dict[str, bytes] = {}
    todo = list(wanted)
    while todo:  # reads only the wanted modules, and those that they depend on
        name = todo.pop()
        if name in known or name not in files:
            continue
        assert kernel.folder is not None
        contents[name] = kernels.content(files[name])
        known[name] = modules.read(str(files[name].relative_to(kernel.folder)), contents[name])
        todo += known[name].depends
    for name in loaded[len(_ALWAYS) :]:
        if files and name not in known:
            raise FwdtuiError(f"{kernel.label}: has no module {name}; try --kernel standard")
    chosen = modules.chosen(wanted, known)
    base = f"lib/modules/{kernel.version}"
    return [
        *(cpio.file(f"{base}/{module.path}", contents[module.name]) for module in chosen),
        cpio.file(f"{base}/modules.dep", modules.dependency_file(chosen)),
        cpio.file(f"{base}/modules.alias", modules.alias_file(chosen)),
        cpio.file(f"{base}/modules.symbols", ""),
    ]


def _run(*argv: str, check: bool = True) -> str:
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": SEARCH_PATH, "LC_ALL": "C"},
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FwdtuiError(f"the VM lab: {argv[0]}: {error}") from None
    if check and done.returncode:
        raise FwdtuiError(f"the VM lab: {argv[0]} failed (status {done.returncode})")
    return done.stdout
