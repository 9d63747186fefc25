"""Connects to all hosts of a lab."""

import asyncio
from collections.abc import Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab
from fwdtui.transport.errors import HostError, HostKeyError
from fwdtui.transport.ssh import SshPool


class NotReachedError(FwdtuiError):
    """Some hosts of the lab cannot be reached; `errors` has one error for each of them."""

    def __init__(self, errors: Sequence[HostError]) -> None:
        super().__init__("; ".join(str(error) for error in errors))
        self.errors = tuple(errors)


async def reach(lab: Lab, pool: SshPool) -> None:
    """Connect to all hosts concurrently. Raises HostKeyError, or NotReachedError with every host's reason."""

    async def connect(name: str) -> None:
        await (await pool.open(name, name)).connect()

    outcomes = await asyncio.gather(*map(connect, lab.hosts()), return_exceptions=True)
    failed = [one for one in outcomes if isinstance(one, BaseException)]
    keys = [one for one in failed if isinstance(one, HostKeyError)]
    others = [one for one in failed if not isinstance(one, HostError)]
    if keys or others:
        raise (keys or others)[0]
    if errors := [one for one in failed if isinstance(one, HostError)]:
        raise NotReachedError(errors)
