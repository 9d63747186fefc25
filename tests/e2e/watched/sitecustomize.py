"""Loaded by Python in the programs of a test's terminal: SIGUSR2 writes down what each task waits for."""

import asyncio
import os
import signal
from pathlib import Path
from types import FrameType


def _write(number: int, frame: FrameType | None) -> None:
    path = Path(os.environ["FWDTUI_TASKS"])
    try:
        tasks = asyncio.all_tasks()
    except RuntimeError:
        path.write_text("no event loop runs\n")
        return
    with path.with_suffix(".part").open("w") as file:
        for task in tasks:
            waits = [task.get_name()]
            inner = task.get_coro()
            while inner is not None and len(waits) < 30:
                waits.append(getattr(inner, "__qualname__", repr(inner)))
                inner = getattr(inner, "cr_await", None) or getattr(inner, "ag_await", None)
            if "MessagePump._get_message" not in waits:  # a widget without anything to do
                print(" > ".join(waits), file=file)
    path.with_suffix(".part").replace(path)


if "FWDTUI_TASKS" in os.environ:
    signal.signal(signal.SIGUSR2, _write)
