"""FreeBSD `pciconf -lv` (and -lvbc): which chip each device has.

Source: usr.sbin/pciconf/pciconf.c, list_devs() and list_verbose(); pciconf(8). A device begins with
``igb0@pci0:0:20:0:``; its strings follow, indented, in quotes. Up to 12 the ids are in ``chip=0xDDDDVVVV``
and ``card=``; since then in vendor, device, subvendor, subdevice. A device without driver is ``none3``.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_DEVICE = re.compile(r"([A-Za-z][\w-]*[0-9])@pci([0-9]{1,5}(?::[0-9]{1,3}){3}):\s*(.*)", re.ASCII)
_ID = re.compile(r"(class|chip|card|rev|vendor|device|subvendor|subdevice)=0x([0-9a-f]{1,8})")
_STRING = re.compile(r"(vendor|device|class|subclass)\s*=(.*)")


@dataclass(frozen=True, slots=True)
class PciDevice:
    """One device; ids are lower-case hex without 0x, "" where not printed."""

    name: str  # driver and unit, for most drivers the interface: "ix0"; cxgbe's is "t5nex0"
    selector: str  # domain:bus:slot:function
    vendor: str = ""
    device: str = ""
    kind: str = ""  # "network"
    subkind: str = ""  # "ethernet"
    vendor_id: str = ""
    device_id: str = ""

    @property
    def model(self) -> str:
        """``"Intel Corporation Ethernet Connection I354"``; "" if the strings are not known (no -v)."""
        return f"{self.vendor} {self.device}".strip()


def parse(text: str) -> Parsed[tuple[PciDevice, ...]]:
    """All devices in printed order; capabilities and bars are ignored. Never raises."""
    devices: list[dict[str, str]] = []
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        if match := _DEVICE.fullmatch(line):
            devices.append({"name": match[1], "selector": match[2], **_ids(match[3])})
        elif "@pci" in line.partition("=")[0]:
            skipped.line(number, "not a device line", line)
        elif devices and (string := _STRING.fullmatch(line.strip())):
            key = {"class": "kind", "subclass": "subkind"}.get(string[1], string[1])
            devices[-1].setdefault(key, string[2].strip().removeprefix("'").removesuffix("'"))
    return Parsed(tuple(PciDevice(**device) for device in devices), skipped.done())


def _ids(text: str) -> dict[str, str]:
    ids = dict(_ID.findall(text))
    chip = ids.get("chip", "")
    if len(chip) == 8:
        ids = {"device": chip[:4], "vendor": chip[4:]}
    return {f"{key}_id": ids[key] for key in ("vendor", "device") if key in ids}
