"""Regenerate the screenshots of README.md from the app itself, on the example sessions.

python scripts/screenshots.py
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from fwdtui.ui.app import FwdtuiApp

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "screenshots"
SIZE = (110, 34)
SHOTS: dict[str, Sequence[str]] = {
    "sessions": (),
    "compare": ("c",),
    "charts": ("c", "n"),
    "ministat": ("c", "n", "n"),
}


async def shoot(name: str, keys: Sequence[str]) -> None:
    """Drive the app with keys and write what it shows."""
    app = FwdtuiApp(
        ROOT / "sessions", note="Example sessions: c compares the two, ? shows the keys, q leaves."
    )
    async with app.run_test(size=SIZE) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await app.workers.wait_for_complete()
            await pilot.pause()
        await pilot.pause(0.5)
        (OUT / f"{name}.svg").write_text(app.export_screenshot(title="fwdtui"))


async def main() -> None:
    """All of them."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name, keys in SHOTS.items():
        await shoot(name, keys)


if __name__ == "__main__":
    asyncio.run(main())
