"""Shell code around lab.toml's start commands, and what can be told from a command or a shell's message."""

import re
import shlex

from fwdtui.core.lab import Endpoint

# a whole word without quotes or expansions
_WORD = re.compile(r"(?<![^\s;&|()])[^\s;&|()<>\"'`$\\]+(?![^\s;&|()<>])")
# a command whose first word is the program itself: no assignment, no expansion, no function
_COMMAND = re.compile(r"\s*([\w./+-]+)(?!\S)", re.ASCII)

_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.", re.DOTALL)
_REDIRECTED = re.compile(r"[0-9]*[<>]&[0-9-]|&>|>\|")
_BETWEEN = re.compile(r"\|\||&&|[;\n()]|(?<!\|)&")  # what separates two pipelines
_HOLDS = re.compile(r"\s(?:-[a-z]*i[a-z]*|--ignore-interrupts)(?!\S)")  # the option of tee

# timeout -s INT -k 5 60 COMMAND; GNU's and FreeBSD's also take --signal=INT and --preserve-status
_LIMIT = re.compile(
    r"(?<![^\s;&|()/])timeout(?P<options>(?:\s+-[sk]\s*\w+|\s+-[a-z-]+(?:=\w+)?)*)"
    r"\s+(?P<limit>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?P<unit>[smhd]?)\s"
)
_FOREGROUND = re.compile(r"\s-(?:f|-f[a-z]*)(?!\S)")
_SENT = re.compile(r"\s(?:-s\s*|--signal=)(\w+)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_NUMBERS = {"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "TERM": 15}

# dash, FreeBSD, busybox, ksh: "pkt-gen: not found"; bash, zsh: "command not found"; then timeout, env ...
_NOT_FOUND = (
    re.compile(r"(?:^|[:\s])([^\s:]{1,200}): (?:command |inaccessible or )?not found(?: \[[^]]*\])?$"),
    re.compile(r"command not found: ([^\s:]{1,200})$"),
    re.compile(r"failed to run command ['\"]?([^\s'\"]{1,200})['\"]?: No such file or directory$"),
    re.compile(
        r"^(?:env|nice|stdbuf|ionice|chrt|taskset|sudo|doas|exec): (?:failed to execute )?"
        r"['\"]?([^\s'\":]{1,200})['\"]?: (?:No such file or directory|command not found)$"
    ),
)

# messages of the dynamic linkers of glibc and musl, which exit with 127, like a shell that finds no program
_NO_LIBRARY = re.compile(r"(?:^|: )(?:error while loading|Error loading) shared librar(?:y|ies)\b")

ESCAPES = "on Linux, a signal does not reach what timeout runs; write timeout --foreground"
"""What to do about a command that `escapes`."""

VERSION_PROBE = """\
found=$(command -v "$program") || { echo "no $program here"; exit 1; }
said=$("$found" --version 2>/dev/null)
status=$?
case $status in 126 | 127)
  said=$("$found" --version 2>&1 | head -n 1)
  echo "${said:-$program cannot run here (status $status)}"
  exit 1 ;;
esac
printf '%s\\n' "$said" | head -n 1
"""
"""Prints the version of ``$program``: for `Tool.probe` of programs that support --version.

Some exit with a status other than 0 after printing it, as trafgen does.
"""


def as_given(endpoint: Endpoint) -> str:
    """The start command, unmodified."""
    return endpoint.start or ""


def inner(command: str) -> str:
    """`command` in a shell of its own, which waits for the program's summary after an INT to the group."""
    return "/bin/sh -c " + shlex.quote(f"trap : INT\n{command}")


def line_buffered(endpoint: Endpoint) -> str:
    """The start command with stdout flushed after each line, if the host has a working stdbuf.

    For programs that use stdio and are linked to it dynamically; others are not affected.
    """
    command = inner(endpoint.start or "")
    return f"if stdbuf -oL true 2>/dev/null; then stdbuf -oL {command}; else {command}; fi"


def probe_of(program: str, probe: str, start: str | None) -> str:
    """`probe` with ``$program`` set to the word of `start` that names `program`, or to `program`.

    If `program` is empty (any program), it is the first word of `start`, or empty if that is not a plain
    name.
    """
    quoted = shlex.quote(program)
    if not program and (first := _COMMAND.match(start or "")):
        quoted = shlex.quote(first[1])
    for word in _WORD.findall(start or ""):
        folder, _, name = word.rpartition("/")
        if program and name == program and folder.startswith(("/", "~/")):
            home = folder.startswith("~")
            quoted = ("$HOME" if home else "") + shlex.quote(word.removeprefix("~") if home else word)
            break
    return f"program={quoted}\n{probe}"


def missing_program(line: str) -> str | None:
    """The program that a shell (or timeout, env ...) could not find, from one line of output."""
    for pattern in _NOT_FOUND:
        if match := pattern.search(line.rstrip()):
            return match[1]
    return None


def lacks_a_library(line: str) -> bool:
    """Whether one line of output says that a program is there but a library of it is not."""
    return _NO_LIBRARY.search(line) is not None


def another_user(command: str) -> str | None:
    """The program that runs the tool as another user, whom our signals do not reach (kill(2), EPERM)."""
    return next((word for word in _WORD.findall(command) if word in ("sudo", "doas", "su")), None)


def printed_through(command: str, program: str) -> str:
    """The program that `program` pipes its output to, if an INT ends it too, so that the last lines get lost.

    "" if there is none: `program` is the last of its pipe, or only ``tee -i`` comes after it.
    """
    plain = _REDIRECTED.sub(" ", _QUOTED.sub(" ", command))
    for pipeline in _BETWEEN.split(plain):
        commands = [one.removeprefix("&") for one in pipeline.split("|")]
        named = [[word.rpartition("/")[2] for word in one.split()] for one in commands]
        place = max((n for n, words in enumerate(named) if program in words), default=len(named))
        for words, one in zip(named[place + 1 :], commands[place + 1 :], strict=True):
            if words and not (words[0] == "tee" and _HOLDS.search(one)):
                return words[0]
    return ""


def has_time_limit(command: str) -> bool:
    """Whether timeout(1) is one of the command's words."""
    return any(word.rpartition("/")[2] == "timeout" for word in _WORD.findall(command))


def escapes(command: str, system: str = "") -> bool:
    """Whether timeout(1) may leave the process group with the tool, so that our signals do not reach it.

    GNU's does so without --foreground; FreeBSD's stays in it. `system`: the host's; "": it is not known.
    """
    found = _LIMIT.search(command) if system in ("", "linux") else None
    return found is not None and not _FOREGROUND.search(found["options"])


def time_limit(command: str) -> tuple[float, int] | None:
    """The seconds that a timeout(1) in it allows, and the number of the signal that it then sends."""
    if not (match := _LIMIT.search(command)):
        return None
    named = _SENT.search(match["options"])
    name = named[1].removeprefix("SIG") if named else "TERM"
    number = int(name) if name.isdecimal() else _NUMBERS.get(name, 0)
    return float(match["limit"]) * _SECONDS[match["unit"]], number


def first_word(command: str) -> str:
    """The first word of a start command, for messages."""
    match = _WORD.search(command)
    return match[0] if match else ""
