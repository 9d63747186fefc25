"""Which configuration files are read as settings, by their paths on a host, and how."""

from collections.abc import Mapping

FILES_MOST = 200
"""Most files of one host or one imported configuration."""

_KINDS: Mapping[str, str] = {
    "/etc/rc.conf": "rc.conf",
    "/etc/defaults/vendor.conf": "rc.conf",
    "/usr/local/etc/rc.conf.d/": "rc.conf",
    "/boot/loader.conf": "loader.conf",
    "/etc/sysctl.conf": "sysctl.conf",
    "/etc/sysctl.d/": "sysctl.conf",
    "/run/sysctl.d/": "sysctl.conf",
    "/usr/lib/sysctl.d/": "sysctl.conf",
    "/usr/local/lib/sysctl.d/": "sysctl.conf",
    "/etc/pf.conf": "pf",
    "/etc/ipfw.rules": "pf",  # a script or a list of rules: lines in their order
}
"""How a path begins -> its kind of text, one of settings_reading.PARSERS."""


def kind_of(path: str) -> str | None:
    """The kind of text in a host's file; None: it is not read."""
    return next((kind for start, kind in _KINDS.items() if path.startswith(start)), None)
