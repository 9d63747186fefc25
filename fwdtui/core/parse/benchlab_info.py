"""The .info file that bench-lab.sh writes beside each configuration, in both of its forms.

Old form: ``Image: PATH``, ``CFG: PATH``, a bare uname line, ``Start time:``, ``End time:``.
New form: shell assignments ``IMAGE="…" CFG="…" PKTGEN="…" UNAME="…"``, often without a last newline.
Source: BSDRP's bench-lab.sh and its published results.
"""

import re

import msgspec

from fwdtui.core.parse.fields import shown
from fwdtui.core.text import clean

_ASSIGNMENT = re.compile(r'^([A-Z_][A-Z0-9_]*)=(?:"(.*)"|\'(.*)\'|(.*))$')
_FIELD = re.compile(r"^(Image|CFG|Start time|End time|PKTGEN|UNAME)\s*:\s*(.*)$", re.IGNORECASE)
_UNAME = re.compile(r"^(FreeBSD|Linux|OpenBSD|NetBSD|DragonFly) \S+ ")
_IMAGE_FILE = re.compile(r"(?:BSDRP-)?(.+?)(?:-(?:upgrade|full))?-[a-z0-9]+-(?:vga|serial)\.img(?:\.xz)?$")


class BenchInfo(msgspec.Struct, frozen=True):
    """What was measured: `image` names the build, `config` the DUT's configuration, `traffic` the profile.

    An empty string means that the field is empty; None that the file does not have it.
    """

    image: str | None = None
    config: str | None = None
    traffic: str | None = None
    uname: str | None = None
    started: str | None = None
    ended: str | None = None
    skipped: tuple[str, ...] = ()

    def split(self, key: str) -> tuple[str, str] | None:
        """The name of a result (``"320657.inet4"``) as (session, case); None if the file does not say.

        The names contain dots themselves, so the parts come from the file and are only verified here.
        """
        new_case = ".".join(part for part in (self.config, self.traffic) if part)
        if self.image and new_case and key == f"{self.image}.{new_case}":
            return self.image, new_case
        for case in (new_case, self.config or "", self.traffic or ""):
            if case and key.endswith(f".{case}"):
                return key[: -len(case) - 1], case
        if self.image and key.startswith(f"{self.image}."):
            return self.image, key[len(self.image) + 1 :]
        if self.image and key == self.image:
            return key, "default"
        return None


def parse(text: str) -> BenchInfo:
    """Either form. Never raises; lines of neither form are in `skipped`."""
    fields: dict[str, str] = {}
    skipped: list[str] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = clean(raw).strip()
        if not line:
            continue
        if match := _ASSIGNMENT.match(line):
            fields[match[1].lower()] = next(part for part in match.groups()[1:] if part is not None)
        elif match := _FIELD.match(line):
            fields[match[1].lower()] = match[2].strip()
        elif _UNAME.match(line):
            fields["uname"] = line
        else:
            skipped.append(f"line {number}: {shown(line)}")
    return BenchInfo(
        image=_image(fields.get("image")),
        config=_last_part(fields.get("cfg")),
        traffic=_last_part(fields.get("pktgen")),
        uname=fields.get("uname"),
        started=fields.get("start time"),
        ended=fields.get("end time"),
        skipped=tuple(skipped),
    )


def _image(value: str | None) -> str | None:
    """``…/BSDRP-296935D4304-upgrade-amd64-vga.img.xz`` -> ``296935D4304``; a plain name stays as it is."""
    name = _last_part(value)
    if name and (match := _IMAGE_FILE.fullmatch(name)):
        return match[1]
    return name


def _last_part(value: str | None) -> str | None:
    return None if value is None else value.rstrip("/").rpartition("/")[2]
