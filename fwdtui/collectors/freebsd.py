"""FreeBSD, as the entry point `freebsd` of the group fwdtui.systems."""

from collections.abc import Sequence

from fwdtui.collectors.base import Check, Facts, Sampling
from fwdtui.collectors.watch import Watch
from fwdtui.transport.base import Host


class Freebsd:
    """`base.System` for FreeBSD."""

    name = "freebsd"
    uname = "FreeBSD"

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        from fwdtui.collectors.freebsd_sampler import FreebsdSampling

        return FreebsdSampling(watch, token, interval)

    async def facts(self, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
        from fwdtui.collectors.facts_freebsd import collect

        return await collect(host, watch, sysctls)

    async def checks(self, host: Host, watch: Watch) -> Sequence[Check]:
        from fwdtui.collectors.doctor_freebsd import checks

        return await checks(host, watch)


system = Freebsd()
