"""A system whose modules are imported when they are used: listing systems costs nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fwdtui.collectors.base import Check, Facts, Sampling
from fwdtui.collectors.watch import Watch
from fwdtui.transport.base import Host


@dataclass(frozen=True, slots=True)
class LateSystem:
    """`base.System` made of functions elsewhere, each written as ``"package.module:name"``.

    `sampler` makes a Sampling, `collector` and `examiner` are the coroutines behind facts and checks.
    """

    name: str
    uname: str
    sampler: str
    collector: str
    examiner: str

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        made: Sampling = _named(self.sampler)(watch, token, interval)
        return made

    async def facts(self, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
        found: Facts = await _named(self.collector)(host, watch, sysctls)
        return found

    async def checks(self, host: Host, watch: Watch) -> Sequence[Check]:
        found: Sequence[Check] = await _named(self.examiner)(host, watch)
        return found


def _named(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)
