"""`fwdtui lab up|down|status|env|rules|...`: the kernel lab and the VM lab without the app (Linux, root)."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fwdtui.labs.kernel.place import Place

_MACHINE = ("driver", "queues", "cpus")
_VM_ONLY = (*_MACHINE, "kernel", "append", "vm_generator")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add one subcommand per action. --dir and --name select the lab."""
    from fwdtui.labs.kernel.topology import MODES

    which = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    which.add_argument("--dir", metavar="DIR", help="the lab's folder; default: one in your state folder")
    which.add_argument("--name", metavar="NAME", help="the lab's name, to run several at once")
    actions = parser.add_subparsers(
        dest="action", metavar="up|down|status|env|rules|boot-entry|reboot|reset", required=True
    )

    def action(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[which], help=text, description=text, allow_abbrev=False)

    up = action("up", "bring up generator, DUT and sink")
    up.add_argument(
        "--mode",
        choices=MODES,
        help="where the DUT's work runs: rps (default): its own CPU, with real drops; "
        "inline: the sender's CPU, which cannot drop; napi: kernel threads",
    )
    up.add_argument("--vm", action="store_true", help="the DUT is a virtual machine with a kernel of its own")
    up.add_argument(
        "--driver", metavar="DRIVER", help="driver of the DUT's ports: virtio (default), vmxnet3, e1000e"
    )
    up.add_argument("--queues", metavar="N", type=int, help="receive queues of each port (virtio; default 1)")
    up.add_argument(
        "--cpus",
        metavar="N",
        type=int,
        help="number of the DUT's CPUs (default 2, or one for each queue)",
    )
    _add_boot(up)
    up.add_argument(
        "--vm-generator",
        metavar="KERNEL",
        nargs="?",
        const="cloud",
        help="the generator is also a virtual machine and sends with its kernel's pktgen; KERNEL as in "
        "--kernel (default: cloud)",
    )
    action("down", "remove the lab")
    action("status", "print what is up; exits 0 if up, 1 if down or broken")
    env = action("env", "print the path of the lab's lab.toml, or of a variant of it")
    env.add_argument(
        "--rate",
        metavar="PPS",
        help="a steady rate such as 50k, or full (default: full load; VM lab: 20k, with --vm-generator 5k)",
    )
    env.add_argument("--ipv6", action="store_true", help="IPv6 instead of IPv4")
    env.add_argument("--duration", metavar="TIME", help="the measured window of a run (default 10s)")
    rules = action("rules", "set the number of rules in the DUT's forward hook; none matches the traffic")
    rules.add_argument("count", metavar="N", type=int, help="how many; 0 removes them")
    entry = action("boot-entry", "VM lab: make or change a boot entry, or list them")
    entry.add_argument("entry", metavar="ENTRY", nargs="?", help="its name; without one all are listed")
    _add_boot(entry)
    for name, text in (
        ("reboot", "VM lab: reboot the DUT by its own command, and wait until it is back"),
        ("reset", "VM lab: reset the DUT, even one that hangs, and wait until it is back"),
    ):
        boot = action(name, text)
        boot.add_argument(
            "entry", metavar="ENTRY", nargs="?", help="the boot entry, from now on (default: the same again)"
        )
        boot.add_argument("--generator", action="store_true", help="the generator instead of the DUT")


def _add_boot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kernel",
        metavar="KERNEL",
        help="the VM's kernel: cloud (default; standard for e1000e), standard, a Debian package "
        "linux-image-..., or the path of a package, of a folder with boot/ and lib/modules/, or of a bzImage",
    )
    parser.add_argument("--append", metavar="OPTIONS", help="more options for the VM's kernel command line")


def run(args: argparse.Namespace) -> int:
    """Run the action, and return the exit status.

    Raises FwdtuiError if the user is not root, a tool is missing or a step fails.
    """
    from fwdtui.labs.kernel import place

    sends = bool(getattr(args, "vm_generator", None))
    where = place.find(args.dir, args.name, getattr(args, "vm", False), sends)
    if args.action == "up":
        _up(where, args)
    elif args.action == "down":
        from fwdtui.labs.kernel.down import take_down

        print(take_down(where))
    elif args.action == "status":
        return _status(where)
    elif args.action == "env":
        return _env(where, args)
    elif args.action == "rules":
        if where.vm:
            from fwdtui.labs.vm import use as vm_use

            print(vm_use.set_rules(where, args.count))
        else:
            from fwdtui.labs.kernel.use import set_rules

            print(set_rules(where, args.count))
    else:
        _boot(where, args)
    return 0


def _up(where: "Place", args: argparse.Namespace) -> None:
    from fwdtui.core.errors import FwdtuiError

    if args.vm:
        if args.mode:
            raise FwdtuiError("--mode works only without --vm: a virtual machine forwards with its own CPUs")
        from fwdtui.labs.vm.machine import Machine
        from fwdtui.labs.vm.up import bring_up

        given = {name: getattr(args, name) for name in _MACHINE if getattr(args, name) is not None}
        given.setdefault("cpus", max(2, given.get("queues", 1)))
        machine = Machine(**given) if any(getattr(args, name) is not None for name in _MACHINE) else None
        append, generator = args.append or "", args.vm_generator
        print(bring_up(where, machine, args.kernel, append, generator, _say))
    else:
        wrong = [name for name in _VM_ONLY if getattr(args, name) is not None]
        if wrong:
            raise FwdtuiError(f"--{wrong[0].replace('_', '-')} works only with a virtual machine: add --vm")
        from fwdtui.labs.kernel.up import bring_up as bring_up_kernel_lab

        print(bring_up_kernel_lab(where, args.mode))
    print(f"lab.toml: {where.lab_file}")


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _status(where: "Place") -> int:
    if where.vm:
        from fwdtui.labs.vm.status import inspect
    else:
        from fwdtui.labs.kernel.status import inspect
    status = inspect(where)
    print("\n".join(status.lines))
    return 0 if status.up else 1


def _env(where: "Place", args: argparse.Namespace) -> int:
    from fwdtui.labs.kernel.labfile import read_load
    from fwdtui.labs.kernel.use import lab_file

    path = lab_file(where, read_load(args.rate, args.ipv6, args.duration, where.vm, where.vm_generator))
    if path is None:
        print(f"fwdtui: {where.words} is not up: `fwdtui lab up` first", file=sys.stderr)
        return 1
    print(path)
    return 0


def _boot(where: "Place", args: argparse.Namespace) -> None:
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.labs.vm import use
    from fwdtui.labs.vm.guests import DUT, GENERATOR

    if args.action == "boot-entry":
        if args.entry:
            print(use.add_entry(where, args.entry, args.kernel, args.append or ""))
        elif args.kernel or args.append:
            raise FwdtuiError("boot-entry: a name is missing")
        else:
            print("\n".join(use.entries_told(where)))
    else:
        host = GENERATOR if args.generator else DUT
        act = use.reboot if args.action == "reboot" else use.reset
        print(act(where, args.entry, host))
