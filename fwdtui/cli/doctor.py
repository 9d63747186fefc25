"""`fwdtui doctor [LAB]`: what each host has, what is missing, and which settings distort results."""

import argparse
import asyncio
from typing import Any

from fwdtui.cli.live import add_lab_file

_MARKS = {True: "ok", False: "FAIL", None: "-"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add LAB, --strict and --json."""
    add_lab_file(parser)
    parser.add_argument(
        "--strict",
        action="store_true",
        help="also fail on lab hygiene: on any finding that is wrong or noisy, and on a host where it cannot "
        "be read",
    )
    parser.add_argument("--json", action="store_true", help="a list of objects, one per check and finding")


def run(args: argparse.Namespace) -> int:
    """Check the lab, and return 0: nothing is missing, or 1: something is missing.

    Findings of lab hygiene make it 1 only with --strict. Notes do not even then, except the note that nothing
    could be read of a host. Raises FwdtuiError if lab.toml is wrong.
    """
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
        terminal.write_document(document(list(map(_row, results))))
    else:
        print("\n".join(_lines(results, args.strict)))
    failed = any(check.ok is False for check in results)
    return 1 if failed or (args.strict and (_unclean(results) or _unseen(results))) else 0


def _unclean(results: list[Any]) -> int:
    """The number of findings of lab hygiene for which --strict fails."""
    from fwdtui.core.findings import NOTE

    return sum(check.finding is not None and check.finding.severity != NOTE for check in results)


def _unseen(results: list[Any]) -> list[str]:
    """The hosts to which no rule of lab hygiene could be applied, since none of their settings was read."""
    from fwdtui.core.hygiene.unread import says_nothing

    return [check.host for check in results if check.finding is not None and says_nothing(check.finding)]


def _row(check: Any) -> dict[str, Any]:
    """A check as JSON. For a finding, `ok` is null, and there are fields of its own."""
    row = {"host": check.host, "what": check.what, "ok": check.ok, "found": check.found, "fix": check.fix}
    if (one := check.finding) is None:
        return row
    own = {"code": one.code, "severity": one.severity, "interface": one.where}
    return {**row, "hygiene": {**own, "why": one.why, "source": one.source}}


def _lines(results: list[Any], strict: bool = False) -> list[str]:
    """A block per host. Each problem is followed by its fix, a finding by the reason why it matters."""
    lines: list[str] = []
    width = max((len(check.what) for check in results), default=0)
    host = None
    for check in results:
        if check.host != host:
            lines += [*([""] if lines else []), check.host]
            host = check.host
        mark = _MARKS[check.ok] if check.finding is None else check.finding.severity
        lines.append(f"  {mark:<6}{check.what:<{width}}  {check.found}")
        why = "" if check.finding is None else check.finding.why
        lines += [f"  {'':<6}{'':<{width}}  {told}" for told in (why, check.fix and f"→ {check.fix}") if told]
    lacks = sum(check.ok is False for check in results)
    verdict = "nothing is missing" if not lacks else f"{lacks} problem{'s' if lacks > 1 else ''} to fix"
    if strict and (unclean := _unclean(results)):
        verdict += f"; --strict fails on {unclean} finding{'s' if unclean > 1 else ''} of lab hygiene"
    if strict and (unseen := _unseen(results)):
        verdict += f"; the lab hygiene of {', '.join(unseen)} could not be read"
    return [*lines, "", *_hygiene(results), verdict]


def _hygiene(results: list[Any]) -> list[str]:
    """One line with the number of findings of each severity; no line if there are none."""
    from fwdtui.core.findings import counted

    counts = counted(check.finding for check in results if check.finding is not None)
    return [f"lab hygiene: {counts} (nothing was changed)"] if counts else []
