"""The raw logs of an iteration as cleaned text to scroll through; only both ends of a large log."""

import os
from collections.abc import Iterator
from pathlib import Path

from fwdtui.core.model import Iteration
from fwdtui.core.text import clean, clean_lines, decode
from fwdtui.store import opening, verifying

DMESG = "dmesg.txt"
END = 128 * 1024
"""How many bytes of a large log's beginning, and of its end, are shown."""
WIDEST = 2000
"""How many characters of a line are shown."""


def logs(folder: Path, iteration: Iteration) -> Iterator[str]:
    """The lines of all logs except kernel messages, each log under its name.

    The log that the value was taken from comes first, then the tools' logs, then profiles and the like.
    """
    names = sorted(
        (name for name in iteration.files if name != DMESG),
        key=lambda name: (name != iteration.source, not name.endswith(".log"), name),
    )
    if not names:
        yield "No raw log was saved with this iteration."
    if len(names) > 1:
        yield f"{len(names)} logs, one after the other: {', '.join(map(clean, names))}"
    for name in names:
        if len(names) > 1:
            yield ""
        yield from _log(folder, name, iteration)


def dmesg(folder: Path, iteration: Iteration, imported: bool) -> Iterator[str]:
    """The kernel messages of the hosts. As not every host shows them, none recorded is no proof of none."""
    if DMESG in iteration.files:
        yield from _log(folder, DMESG, iteration)
    elif imported:
        yield "An import has no kernel messages: whether there were any is not known."
    else:
        yield "No kernel message was recorded with this iteration."
        yield "Hosts that do not show theirs may have logged some; fwdtui doctor names them."


def _log(folder: Path, name: str, iteration: Iteration) -> Iterator[str]:
    if Path(name).name != name:
        yield f"── {clean(name)}: the name points outside the iteration's folder; it is not opened"
        return
    try:
        size, pieces = _ends(folder / name)
    except OSError as error:
        yield f"── {clean(name)}: {error.strerror or error}"
        return
    yield f"── {clean(name)}   {size} bytes"
    if why := verifying.difference(folder / name, iteration.files[name]):
        yield f"── ! {why}"
    yield from _lines(pieces[0])
    if len(pieces) > 1:
        left_out = size - sum(map(len, pieces))
        yield f"── {left_out} bytes are left out; the whole log is {clean(str(folder / name))}"
        yield from _lines(pieces[1])


def _ends(path: Path) -> tuple[int, list[bytes]]:
    with os.fdopen(opening.open_file(path), "rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        if size <= 2 * END:
            return size, [file.read()]
        head = file.read(END)
        file.seek(-END, 2)
        tail = file.read(END)
    # no half lines at the cut
    return size, [head.rpartition(b"\n")[0] or head, tail.partition(b"\n")[2] or tail]


def _lines(data: bytes) -> Iterator[str]:
    for line in clean_lines(decode(data)).rstrip("\n").split("\n"):
        shown = line.expandtabs(8)
        yield shown if len(shown) <= WIDEST else f"{shown[:WIDEST]}… {len(shown) - WIDEST} more characters"
