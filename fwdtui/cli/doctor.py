"""`fwdtui doctor [LAB]`: what each host has and what is missing."""

import argparse
import asyncio
from typing import Any

from fwdtui.cli.live import add_lab_file

_MARKS = {True: "ok", False: "FAIL", None: "-"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """LAB and --json."""
    add_lab_file(parser)
    parser.add_argument("--json", action="store_true", help="a list of objects, one per check")


def run(args: argparse.Namespace) -> int:
    """0: everything is there; 1: something is missing. Raises FwdtuiError if lab.toml is wrong."""
    from fwdtui.collectors.doctor import examine
    from fwdtui.collectors.lab_trust import open_lab
    from fwdtui.report import terminal
    from fwdtui.report.json_format import document

    async def checks() -> list[Any]:
        lab, pool = open_lab(args.lab)
        async with pool:
            return await examine(lab, pool, args.lab)

    results = asyncio.run(checks())
    if args.json:
        rows = [{"host": c.host, "what": c.what, "ok": c.ok, "found": c.found, "fix": c.fix} for c in results]
        terminal.write_document(document(rows))
    else:
        print("\n".join(_lines(results)))
    return 1 if any(check.ok is False for check in results) else 0


def _lines(results: list[Any]) -> list[str]:
    """A block per host. Each problem is followed by its fix."""
    lines: list[str] = []
    width = max((len(check.what) for check in results), default=0)
    host = None
    for check in results:
        if check.host != host:
            lines += [*([""] if lines else []), check.host]
            host = check.host
        lines.append(f"  {_MARKS[check.ok]:<6}{check.what:<{width}}  {check.found}")
        if check.fix:
            lines.append(f"  {'':<6}{'':<{width}}  → {check.fix}")
    lacks = sum(check.ok is False for check in results)
    verdict = "everything is there" if not lacks else f"{lacks} problem{'s' if lacks > 1 else ''} to fix"
    return [*lines, "", verdict]
