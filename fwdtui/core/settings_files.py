"""Which configuration files are read as settings, by their paths on a host, and how."""

import re

FILES_MOST = 200
"""The most files of one host or one imported configuration."""

# whole paths: no host reads a copy such as rc.conf.orig
_KINDS = tuple(
    (re.compile(path), kind)
    for path, kind in (
        (r"/etc/rc\.conf(\.local|\.misc)?|/etc/defaults/vendor\.conf", "rc.conf"),
        (r"(/usr/local)?/etc/rc\.conf\.d/(?!README)[\w-]+(/.+)?", "rc.conf"),  # named after services
        (r"/boot/loader\.conf(\.local|\.d/.+\.conf)?", "loader.conf"),
        (r"/etc/sysctl\.conf(\.local)?", "sysctl.conf"),
        (r"(/etc|/run|/usr/lib|/usr/local/lib)/sysctl\.d/.+\.conf", "sysctl.conf"),
        (r"/etc/pf\.conf|/etc/ipfw\.rules", "pf"),  # rules in their order; ipfw's may be a script
    )
)
"""A path -> its kind of text, one of settings_reading.PARSERS."""


def kind_of(path: str) -> str | None:
    """The kind of text in a host's file; None: it is not read."""
    return next((kind for whole, kind in _KINDS if whole.fullmatch(path)), None)
