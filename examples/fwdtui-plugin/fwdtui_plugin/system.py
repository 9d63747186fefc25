"""The system `linux-routes`: fwdtui's own Linux, plus the number of IPv4 routes."""

from collections.abc import Sequence
from dataclasses import replace

from fwdtui.collectors.base import Check, Facts, Profiles, ReadsSettings, Sampling
from fwdtui.collectors.systems import by_name
from fwdtui.collectors.watch import Watch
from fwdtui.core.host_settings import SettingsSource
from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.transport.base import Host

_COUNT = "tail -n +2 /proc/net/route | wc -l"  # the first line is a heading


class LinuxRoutes:
    """Leaves counters and everything else to fwdtui's own Linux."""

    name = "linux-routes"
    uname = "Linux"

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        """The same as for any Linux."""
        return by_name("linux").sampling(watch, token, interval)

    async def facts(self, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
        """Linux's facts, and the number of routes for the top of the report."""
        found = await by_name("linux").facts(host, watch, sysctls)
        routes = await _routes(host)
        if routes is None:
            return replace(found, notes=(*found.notes, "routes"))
        return replace(found, values={**found.values, "routes": routes})

    async def checks(self, host: Host, watch: Watch) -> Sequence[Check]:
        """Linux's checks, and one more for `fwdtui doctor`: a router without routes forwards nothing."""
        routes = await _routes(host)
        check = Check(
            watch.host,
            "routes",
            ok=None if routes is None else routes > 0,
            found="not known" if routes is None else f"{routes} of IPv4",
            fix="" if routes else "add them: ip route add ...",
        )
        return [*await by_name("linux").checks(host, watch), check]

    async def settings(self, host: Host, watch: Watch) -> Sequence[SettingsSource]:
        """The same configuration as of any Linux, for comparisons."""
        linux = by_name("linux")
        return await linux.settings(host, watch) if isinstance(linux, ReadsSettings) else ()

    async def profile(self, host: Host, asked: Asked) -> Capture:
        """By the same profiler as any Linux; its check is among Linux's."""
        linux = by_name("linux")
        return await linux.profile(host, asked) if isinstance(linux, Profiles) else Capture(problem="none")


async def _routes(host: Host) -> int | None:
    done = await host.run(_COUNT)
    count = done.stdout.strip()
    return int(count) if done.status == 0 and count.isdigit() else None


SYSTEM = LinuxRoutes()
