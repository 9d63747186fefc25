"""/proc/cmdline of Linux: the words that the boot loader gave to the kernel.

Source: Documentation/admin-guide/kernel-parameters.rst. Words may be quoted; a name may occur several times
(``console=``); what follows ``--`` goes to init. A word that comes after one that names a secret
(``--password WORD``) is hidden together with it.
"""

import re

from fwdtui.core.parse.fields import Parsed, lines
from fwdtui.core.redaction import MARK, is_secret_name

_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
INIT = "-- (to init)"


def parse(text: str) -> Parsed[dict[str, str]]:
    """Name -> value, "" for a word without one; several values are joined by blanks. Never raises."""
    options: dict[str, list[str]] = {}
    words = iter(_WORD.findall(" ".join(lines(text))))
    for word in words:
        if word == "--":
            options[INIT] = _arguments(list(words))
            break
        name, equals, value = word.partition("=")
        if not equals and name.startswith("-") and is_secret_name(name):
            next(words, None)
            value = MARK
        options.setdefault(name, []).append(value.strip('"'))
    return Parsed({name: " ".join(values).strip() for name, values in options.items()})


def _arguments(words: list[str]) -> list[str]:
    kept: list[str] = []
    hide = False
    for word in words:
        name, equals, _ = word.partition("=")
        secret = is_secret_name(name) and name.startswith("-")
        kept.append(MARK if hide else f"{name}={MARK}" if secret and equals else word)
        hide = secret and not equals
    return kept
