"""`fwdtui trust FOLDER`: show which commands a lab could run, and allow them as they are now."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError

if TYPE_CHECKING:
    from fwdtui.transport.ssh_files import TextFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add FOLDER, and options for folders that were trusted before."""
    parser.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="a folder with lab.toml or experiment.toml, or such a file",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="trust without asking, as happens anyway if stdin is not a terminal",
    )
    parser.add_argument("--list", action="store_true", help="list what is trusted and whether it has changed")
    parser.add_argument("--forget", action="store_true", help="stop trusting FOLDER")


def run(args: argparse.Namespace) -> int:
    """Run the command, and return 0: done, or 1: the answer was no, or there was nothing to forget.

    Raises FwdtuiError.
    """
    if args.list:
        if args.folder or args.forget or args.yes:
            raise FwdtuiError("--list shows everything that is trusted; it takes no other argument")
        return _list()
    if args.folder is None:
        raise FwdtuiError("trust needs a FOLDER (. is this one); --list shows what is trusted")
    return _forget(Path(args.folder)) if args.forget else _trust(Path(args.folder), args.yes)


def _trust(path: Path, yes: bool) -> int:
    from fwdtui.collectors.lab_trust import to_trust
    from fwdtui.core.text import visible
    from fwdtui.transport import trusted

    listed = [(root, files) for root, files in to_trust(path) if files]
    if not listed:
        print(f"{path}: nothing to trust: these are your own files")
        return 0
    new = [(root, files) for root, files in listed if not trusted.is_allowed(root, files)]
    if not new:
        print(f"{path} is already trusted, unchanged")
        return 0
    for root, files in new:
        for file in files:
            _show(root, file)
        since = trusted.difference(root, files)
        for gone in since.gone if since else ():
            print(f"── {visible(str(gone))}   (trusted before; it is gone)\n")
    asked = sys.stdin.isatty() and not yes
    if asked and not sys.stdout.isatty():  # a pager, say: the user reads the output, but cannot be asked
        why = "the output is not a terminal, so nobody is asked; --yes trusts what is shown"
        raise FwdtuiError(f"{path}: not trusted: {why}")
    if asked and not _agreed(sum(len(files) for _, files in new)):
        print("not trusted: none of its commands will run")
        return 1
    for root, files in new:
        trusted.allow(root, files)
    print(f"{path} may run these commands until one of its files changes")
    return 0


def _show(root: Path, file: "TextFile") -> None:
    """Print a whole file. Changes are marked if an earlier version was trusted."""
    from fwdtui.core.text import visible
    from fwdtui.transport import trusted

    changed = trusted.changes(root, file)
    since = trusted.difference(root, [file])
    before = "a new file" if since and since.new else "trusted before"
    state = "" if changed is None else f"   ({before}; + marks what is new)"
    print(f"── {visible(str(file.path.absolute()))}{state}")
    for mark, line in [(" ", line) for line in file.lines] if changed is None else changed:
        print(f"{mark} {visible(line)}")
    print()


def _agreed(count: int) -> bool:
    print(
        "A lab's ssh_config can run programs on this computer;"
        " start, stop and at_rate, and the commands of an experiment, run on its hosts."
    )
    print(
        f"Trust {'this file' if count == 1 else f'these {count} files'} as shown? [y/N] ", end="", flush=True
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _list() -> int:
    from fwdtui.collectors.lab_trust import standing
    from fwdtui.core.model import by_local_clock
    from fwdtui.core.text import visible
    from fwdtui.transport import trusted

    for entry in trusted.allowed():
        state = standing(entry.root)
        shown = f"   {visible(state)}" if state else ""
        when = visible(by_local_clock(entry.when)[:16].replace("T", " "))
        print(f"{when}  {visible(str(entry.root))}{shown}")
    if not trusted.allowed():
        print("no folder is trusted")
    return 0


def _forget(path: Path) -> int:
    from fwdtui.transport import trusted

    if trusted.forget(path):
        print(f"{path} is no longer trusted")
        return 0
    print(f"{path} was not trusted", file=sys.stderr)
    return 1
