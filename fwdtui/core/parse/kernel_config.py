"""The configuration that a kernel was built with: Linux's .config, FreeBSD's configuration file.

Sources: Documentation/kbuild/kconfig-language.rst (/proc/config.gz, /boot/config-RELEASE); config(5) and
config(8) -x, sysctl kern.conftxt. Notes never quote a line.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_SET = re.compile(r"(CONFIG_[A-Za-z0-9_]+)=(.*)")
_UNSET = re.compile(r"# (CONFIG_[A-Za-z0-9_]+) is not set")
_DIRECTIVE = re.compile(r"([a-z]+)\s+(\S.*)")


def parse_linux(text: str) -> Parsed[dict[str, str]]:
    """``CONFIG_NET=y`` -> {"CONFIG_NET": "y"}; ``# CONFIG_X is not set`` -> "n". Never raises."""
    options: dict[str, str] = {}
    skipped = Skipped()
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if match := _SET.fullmatch(line):
            options[match[1]] = match[2].strip('"')
        elif match := _UNSET.fullmatch(line):
            options[match[1]] = "n"
        elif line and not line.startswith("#"):
            skipped.note(f"line {number}: not an option")
    return Parsed(options, skipped.done())


def parse_freebsd(text: str) -> Parsed[dict[str, str]]:
    """``options INET`` -> {"options INET": ""}, ``options HZ=100`` -> {"options HZ": "100"}. Never raises."""
    options: dict[str, str] = {}
    single: dict[str, list[str]] = {}
    skipped = Skipped()
    for number, raw in enumerate(lines(text), 1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        match = _DIRECTIVE.fullmatch(line)
        if not match:
            skipped.note(f"line {number}: not a directive")
            continue
        word, rest = match[1], " ".join(match[2].split())
        if word in ("ident", "machine", "cpu", "maxusers", "include"):
            single.setdefault(word, []).append(rest)
        else:
            for one in rest.split(",") if word in ("options", "nooptions") else [rest]:
                name, _, value = one.strip().partition("=")
                options[f"{word} {name}"] = value
    options |= {word: " ".join(values) for word, values in single.items()}
    return Parsed(options, skipped.done())
