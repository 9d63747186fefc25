"""Reads the settings of a FreeBSD host: one script, without root as far as the host allows.

All names of sysctls are asked for in addition to their values, since a value of several lines may contain
lines that look like another sysctl.
"""

from collections.abc import Sequence

from fwdtui.collectors.answers import ask
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.settings_shell import (
    LIMIT,
    PRELUDE,
    SECONDS,
    configuration_files,
    is_whole,
    source,
)
from fwdtui.collectors.watch import Watch
from fwdtui.core.host_settings import SettingsSource
from fwdtui.core.parse.fields import lines
from fwdtui.transport.base import Host

_SCRIPT = """\
take sysctl sysctl -ae
files /etc/rc.conf /etc/rc.conf.local /etc/rc.conf.misc /etc/defaults/vendor.conf /etc/rc.conf.d/* \\
  /usr/local/etc/rc.conf.d/*
files /boot/loader.conf /boot/loader.conf.local /boot/loader.conf.d/*.conf
files /etc/sysctl.conf /etc/sysctl.conf.local
files /etc/pf.conf /etc/ipfw.rules
take kenv kenv
take ifconfig ifconfig
take 'pf status' pfctl -si
take 'pf rules' pfctl -sr
take 'pf nat' pfctl -sn
take ipfw ipfw list
take 'kernel configuration' sh -c '
  c=$(sysctl -n kern.conftxt 2>/dev/null)
  if [ -n "$c" ]; then printf "%s\\n" "$c"; else config -x "$(sysctl -n kern.bootfile)"; fi'
take names sysctl -aN
take again sysctl -ae
"""


def script(watch: Watch) -> str:
    """The script that asks for everything."""
    return PRELUDE + _SCRIPT


async def read(host: Host, watch: Watch) -> Sequence[SettingsSource]:
    """See base.ReadsSettings."""
    import asyncio

    answer = await ask(host, script(watch), SECONDS, LIMIT)
    return await asyncio.to_thread(sources, answer)  # tens of thousands of lines


def sources(answer: Frame) -> Sequence[SettingsSource]:
    """The sources in the host's answer, including those that could not be read."""
    # if only some names were known, all other settings would be taken for further lines of the one before
    names = [line for line in lines(answer.text("names")) if line] if is_whole(answer, "names") else []
    settings = [source(answer, "sysctl", "sysctl", names=names, again="again")]
    settings += configuration_files(answer)
    settings.append(source(answer, "loader.conf", "kenv"))
    settings.append(source(answer, "ifconfig", "ifconfig"))
    settings.append(source(answer, "pf status", "pf status"))
    settings += [source(answer, "pf", name) for name in ("pf rules", "pf nat")]
    settings.append(source(answer, "ipfw", "ipfw"))
    settings.append(source(answer, "kernel config, FreeBSD", "kernel configuration"))
    return settings
