"""Asks a host for many texts at once, and distinguishes what could not be read from what is not there.

Everything is read only and at a low priority. `take NAME COMMAND...` prints what the command prints as
section NAME, then its status and its errors as section ``end NAME``: a section without an end was not
finished.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from fwdtui.collectors.frames import Frame
from fwdtui.core import redaction, settings_reading
from fwdtui.core.host_settings import SettingsSource
from fwdtui.core.parse import packet_steering, processors
from fwdtui.core.parse.fields import lines, shown, whole
from fwdtui.core.settings_files import FILES_MOST, kind_of

SECONDS = 25.0
"""Time for all commands together. Each of them has ten seconds, if the host has timeout(1)."""
LIMIT = 16 << 20
"""Most bytes of a host's answer."""

PRELUDE = """\
renice -n 10 -p $$ >/dev/null 2>&1
t=; timeout 1 true 2>/dev/null && t='timeout 10'
take() {
  n=$1; shift
  mark "$n"
  command -v "$1" >/dev/null 2>&1 || { mark "end $n"; echo 127; return; }
  { e=$($t "$@" 2>&1 1>&3); } 3>&1
  s=$?
  mark "end $n"
  printf '%s\\n%s\\n' "$s" "$e"
}
files() { for f; do case $f in *'*'*) ;; *) take "$f" head -c 1048577 "$f";; esac; done; }
"""
FILE_MOST = 1 << 20
"""Largest configuration file in bytes.

The script's `files` reads one byte more, to notice a larger one, and leaves out a pattern that matches no
file.
"""

_TIMED_OUT, _SIGNALLED = 124, 128
_GONE = re.compile(r"No such file or directory|Protocol not available|not loaded|No such process")
_MAY_BE_OFF = frozenset({"pf status", "pf rules", "pf nat", "ipfw"})  # not in the kernel: there are no rules
_BUSYBOX = re.compile(r"BusyBox v\S+ .{0,80}multi-call binary")  # before its usage: it lacks an option
_UNSUPPORTED = re.compile(r"not supported")
_REFUSED = re.compile(
    r"sysctl: (?:permission denied on key '([^']{1,300})'|reading key \"([^\"]{1,300})\"|"
    r"error: '([^']{1,300})'|([a-z][\w.%-]{1,300}): )|grep: (?:\./)?([^\s:]{1,300}): "
)

_SETTING_OF: Mapping[str, Callable[[str], str | None]] = {
    "processors": processors.setting_of,
    "steering": packet_steering.setting_of,
}
"""Kind of source -> the setting that a file is about, where the two have different names."""


def source(
    answer: Frame, kind: str, name: str, *, section: str = "", names: Iterable[str] = (), again: str = ""
) -> SettingsSource:
    """The source `name`, of one of the kinds of settings_reading, from a section (default: `name`).

    `again`: the section with a second reading of the same settings.
    """
    section = section or name
    status, errors = _ended(answer, section)
    text = answer.text(section)
    if status is None:
        return SettingsSource(name, missing="no answer, or not finished in time")
    if _cut_off(status, errors) or (status != 0 and not text.strip()):
        return _without(name, status, errors)
    later = answer.text(again) if again and is_whole(answer, again) else None
    return settings_reading.source(kind, name, text, names=names, again=later, unread=_refused(kind, errors))


def configuration_files(answer: Frame) -> list[SettingsSource]:
    """Every configuration file in the answer. A pattern that matched no file is left out."""
    files = [(name, kind) for name in answer.sections if "*" not in name and (kind := kind_of(name))]
    return [_file(answer, kind, name) for name, kind in files[:FILES_MOST]]


def _file(answer: Frame, kind: str, name: str) -> SettingsSource:
    if len(answer.text(name).encode("utf-8", "backslashreplace")) > FILE_MOST:
        return SettingsSource(name, missing="larger than 1 MiB")
    return source(answer, kind, name)


def _ended(answer: Frame, section: str) -> tuple[int | None, list[str]]:
    """The status of a section's command (None: it was not finished), and its lines on stderr."""
    if f"end {section}" not in answer.sections:
        return None, []
    status, *errors = lines(answer.text(f"end {section}"))
    return whole(status.strip()), [line.strip() for line in errors if line.strip()]


def is_whole(answer: Frame, section: str) -> bool:
    """Whether a section's command came to its end by itself, with whatever status."""
    status, errors = _ended(answer, section)
    return status is not None and not _cut_off(status, errors)


def _cut_off(status: int, errors: list[str]) -> bool:
    """Whether a command was ended before it had printed everything: by timeout(1), or by a signal.

    The exit status of FreeBSD's sysctl is the number of names that it complained about (sysctl.c), so it may
    look like a signal's; there are then at least as many lines of errors.
    """
    return (status == _TIMED_OUT or _SIGNALLED < status < _SIGNALLED + 65) and len(errors) < status


def _without(name: str, status: int, errors: list[str]) -> SettingsSource:
    """A source of which nothing could be read, with the reason: if possible in the host's words."""
    told = " ".join(errors)
    if status == 127:
        return SettingsSource(name, missing="not installed")
    if status == _TIMED_OUT:
        return SettingsSource(name, missing="no result within 10 s")
    if _cut_off(status, errors):
        return SettingsSource(name, missing=f"it was ended by signal {status - _SIGNALLED}")
    if _GONE.search(told) and (name.startswith("/") or name in _MAY_BE_OFF):
        return SettingsSource(name, absent=True)
    if _BUSYBOX.match(told):
        return SettingsSource(name, missing="not shown by busybox's program")
    if _UNSUPPORTED.search(told):
        return SettingsSource(name, missing="not supported")
    reason = redaction.in_text(shown(errors[0])[1:-1]) if errors else f"status {status}"
    return SettingsSource(name, missing=reason)


def _refused(kind: str, errors: list[str]) -> list[str]:
    """The keys that the command names in its errors, except stable_secret, which gives an error if unset."""
    matches = (_REFUSED.match(line) for line in errors)
    named = [next(filter(None, match.groups())) for match in matches if match]
    setting_of = _SETTING_OF.get(kind)
    keys = dict.fromkeys((setting_of and setting_of(file)) or file.replace("/", ".") for file in named)
    return [key for key in keys if not key.endswith("stable_secret")]
