"""Spoils blasts that a busy machine might have starved, so that tests which cannot bear that fail at once.

    SPOIL=1,2 PYTHONPATH=scripts/spoiled .venv/bin/python -m pytest --beside 6 tests/experiments

`SPOIL`: numbers of trials, whose first attempts do not count in any experiment (the first `SPOIL_ATTEMPTS` of
each, by default 1); or ``run``: the first blast of each ``fwdtui run`` has no value. What is spoilt is
repeated, as it would be on a busy machine. A test that fails has counted attempts, or has taken the first
attempt to be the one that counts. Because of its name, Python imports this module in every process of the
tests and of the commands that they start. docs/testing.md says which tests are right to fail.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

WHY = "dut gave no counters for 9.9 s: it was starved."
SPOIL = os.environ.get("SPOIL", "")
ATTEMPTS = int(os.environ.get("SPOIL_ATTEMPTS", "1"))


def _spoilt(iteration: Any) -> Any:
    from fwdtui.monitor.run.soundness import spoilt

    return spoilt(iteration, WHY)


def _attempts(module: ModuleType) -> None:
    whole = module.Attempts._judge

    def judge(self: Any, iteration: Any, samples: Any) -> Any:
        judged, planned = whole(self, iteration, samples), self._recorder.planned
        mine = planned is not None and planned.attempt <= ATTEMPTS and str(planned.trial) in SPOIL.split(",")
        return _spoilt(judged) if mine and judged is iteration else judged

    module.Attempts._judge = judge


def _first_of_a_run(module: ModuleType) -> None:
    whole = module.Unattended._judge

    def judge(self: Any, iteration: Any, samples: Any) -> Any:
        judged, first = whole(self, iteration, samples), not hasattr(self, "_had_one")
        self._had_one = True
        return _spoilt(judged) if first and judged.value is not None else judged

    module.Unattended._judge = judge


_PATCHES: Mapping[str, Callable[[ModuleType], None]] = {
    "run": {"fwdtui.monitor.run.unattended": _first_of_a_run},
    "": {},
}.get(SPOIL, {"fwdtui.monitor.experiment.trial": _attempts})


class _Patched(Loader):
    def __init__(self, loader: Loader, name: str) -> None:
        self._loader, self._name = loader, name

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _PATCHES[self._name](module)


class _Finder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in _PATCHES:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _Patched(spec.loader, name)
        return spec


if _PATCHES:
    sys.meta_path.insert(0, _Finder())
