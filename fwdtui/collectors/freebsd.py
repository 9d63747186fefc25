"""FreeBSD, as the entry point `freebsd` of the group fwdtui.systems."""

from fwdtui.collectors.base import Sampling
from fwdtui.collectors.watch import Watch


class Freebsd:
    """`base.System` for FreeBSD."""

    name = "freebsd"
    uname = "FreeBSD"

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        from fwdtui.collectors.freebsd_sampler import FreebsdSampling

        return FreebsdSampling(watch, token, interval)


system = Freebsd()
