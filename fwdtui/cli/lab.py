"""`fwdtui lab up|down|status|env|rules`: the kernel lab by itself (Linux, root)."""

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One subcommand per action; --dir and --name select the lab."""
    from fwdtui.labs.kernel.topology import MODES

    which = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    which.add_argument("--dir", metavar="DIR", help="its folder (default: one in the user's state folder)")
    which.add_argument("--name", metavar="NAME", help="a name of its own, to run several labs")
    actions = parser.add_subparsers(dest="action", metavar="up|down|status|env|rules", required=True)

    def action(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[which], help=text, description=text, allow_abbrev=False)

    up = action("up", "bring up generator, DUT and sink")
    up.add_argument(
        "--mode",
        choices=MODES,
        help="where the DUT's work runs: rps (default): its own CPU, with real drops; "
        "inline: the sender's CPU, which cannot drop; napi: kernel threads",
    )
    action("down", "remove the lab")
    action("status", "print what is up; exits 0 if up, 1 if down or broken")
    env = action("env", "print the path of the lab's lab.toml, or of a variant of it")
    env.add_argument(
        "--rate", metavar="PPS", help="a steady rate such as 50k (by tcpreplay) instead of full load"
    )
    env.add_argument("--ipv6", action="store_true", help="IPv6 instead of IPv4")
    env.add_argument("--duration", metavar="TIME", help="the measured window of a run (default 10s)")
    rules = action("rules", "set the number of rules in the DUT's forward hook; none matches the traffic")
    rules.add_argument("count", metavar="N", type=int, help="how many; 0 removes them")


def run(args: argparse.Namespace) -> int:
    """Raises FwdtuiError: not root, a tool missing, a step that failed."""
    from fwdtui.labs.kernel import place

    where = place.find(args.dir, args.name)
    if args.action == "up":
        from fwdtui.labs.kernel.up import bring_up

        print(bring_up(where, args.mode))
        print(f"lab.toml: {where.lab_file}")
    elif args.action == "down":
        from fwdtui.labs.kernel.down import take_down

        print(take_down(where))
    elif args.action == "status":
        from fwdtui.labs.kernel.status import inspect

        found = inspect(where)
        print("\n".join(found.lines))
        return 0 if found.up else 1
    elif args.action == "env":
        from fwdtui.labs.kernel.labfile import read_load
        from fwdtui.labs.kernel.use import lab_file

        path = lab_file(where, read_load(args.rate, args.ipv6, args.duration))
        if path is None:
            print(f"fwdtui: {where.words} is not up: `fwdtui lab up` first", file=sys.stderr)
            return 1
        print(path)
    else:
        from fwdtui.labs.kernel.use import set_rules

        print(set_rules(where, args.count))
    return 0
