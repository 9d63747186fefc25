"""Linux, as the entry point `linux` of the group fwdtui.systems."""

from fwdtui.collectors.base import Sampling
from fwdtui.collectors.watch import Watch


class Linux:
    """`base.System` for Linux."""

    name = "linux"
    uname = "Linux"

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        from fwdtui.collectors.linux_sampler import LinuxSampling

        return LinuxSampling(watch, token, interval)


system = Linux()
