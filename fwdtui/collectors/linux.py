"""Linux, as the entry point `linux` of the group fwdtui.systems."""

from collections.abc import Sequence

from fwdtui.collectors.base import Check, Facts, Sampling
from fwdtui.collectors.watch import Watch
from fwdtui.transport.base import Host


class Linux:
    """`base.System` for Linux."""

    name = "linux"
    uname = "Linux"

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        from fwdtui.collectors.linux_sampler import LinuxSampling

        return LinuxSampling(watch, token, interval)

    async def facts(self, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
        from fwdtui.collectors.facts_linux import collect

        return await collect(host, watch, sysctls)

    async def checks(self, host: Host, watch: Watch) -> Sequence[Check]:
        from fwdtui.collectors.doctor_linux import checks

        return await checks(host, watch)


system = Linux()
