"""Reads the settings of a Linux host: one script, without root as far as the host allows."""

from collections.abc import Sequence

from fwdtui.collectors import facts_linux, settings_hardware
from fwdtui.collectors.answers import ask
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.settings_shell import LIMIT, PRELUDE, SECONDS, configuration_files, source
from fwdtui.collectors.watch import Watch, is_interface
from fwdtui.core.host_settings import SettingsSource
from fwdtui.transport.base import Host

ETHTOOL = ("-k", "-c", "-l", "-g", "-x", "-a")
"""Offloads, coalescing, channels, rings, RSS and pause frames of the lab's interfaces and their cards."""

_SCRIPT = """\
sysctls() {{
  if command -v sysctl >/dev/null; then take "$1" sysctl -a
  else take "$1" sh -c 'cd /proc/sys && grep -r "" .'; fi
}}
sysctls sysctl
files /etc/sysctl.conf /etc/sysctl.d/*.conf /usr/lib/sysctl.d/*.conf /usr/local/lib/sysctl.d/*.conf \\
  /run/sysctl.d/*.conf
take 'kernel command line' cat /proc/cmdline
take 'ip addr' ip -d addr
{hardware}
take nft sh -c 'nft -s list ruleset 2>/dev/null || nft list ruleset'
{tables}
take 'kernel configuration' sh -c '
  if [ -r /proc/config.gz ]; then gzip -dc /proc/config.gz
  elif [ -r "/boot/config-$(uname -r)" ]; then cat "/boot/config-$(uname -r)"
  else echo "neither /proc/config.gz nor /boot/config-$(uname -r) can be read" >&2; exit 1; fi'
sysctls again
"""


def script(watch: Watch) -> str:
    """The script that asks for everything."""
    hardware = settings_hardware.processors() + settings_hardware.of_cards(watch.interfaces, ETHTOOL)
    tables = "\n".join(
        f"take {name} sh -c '{facts_linux.IPTABLES.format(name=name)}'" for name in ("iptables", "ip6tables")
    )
    return PRELUDE + _SCRIPT.format(hardware=hardware, tables=tables)


async def read(host: Host, watch: Watch) -> Sequence[SettingsSource]:
    """See base.ReadsSettings."""
    import asyncio

    answer = await ask(host, script(watch), SECONDS, LIMIT)
    return await asyncio.to_thread(sources, answer, watch)  # tens of thousands of lines


def sources(answer: Frame, watch: Watch) -> Sequence[SettingsSource]:
    """The sources in the host's answer, including those that could not be read."""
    settings = [source(answer, "sysctl", "sysctl", again="again")]
    settings += configuration_files(answer)
    settings.append(source(answer, "cmdline", "kernel command line"))
    settings.append(source(answer, "ip addr", "ip addr"))
    settings.append(source(answer, "processors", "processors"))
    cards = [name for name in answer.text("cards").split() if is_interface(name)]
    for name in dict.fromkeys((*watch.interfaces, *cards)):
        settings.append(source(answer, "interrupts", f"interrupts {name}"))
        settings.append(source(answer, "steering", f"steering {name}"))
        settings.append(source(answer, "flow hash", f"ethtool -n {name}"))
        settings += [source(answer, "ethtool", f"ethtool {option} {name}") for option in ETHTOOL]
    settings.append(source(answer, "nft", "nft"))
    settings += [source(answer, "iptables", name) for name in ("iptables", "ip6tables")]
    settings.append(source(answer, "kernel config, Linux", "kernel configuration"))
    return settings
