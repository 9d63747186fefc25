"""The command line: one file per command, and only the chosen one is imported.

Exit status: 0 done; 1 the answer is "no"; 2 usage, data or connection error, with one clear line on stderr;
130 on Ctrl-C; 141 if the reader of stdout went away. Errors that a user can meet never give a traceback.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import argparse

from fwdtui.cli.streams import guarded, replace_closed

# name -> one line of help. Each is a module fwdtui.cli.<name>: add_arguments(parser), run(args) -> status.
COMMANDS = {
    "demo": "open the app on a built-in lab: simulated, or in this kernel",
    "live": "watch and record a lab; its blasts become iterations",
    "run": "unattended iterations: start the generator, measure, stop, settle",
    "experiment": "a whole design: levels, order, reboots, repetitions, until it is decided",
    "profile": "where the DUT's CPU time goes: take, show, compare, draw, fold and import profiles",
    "sessions": "list recorded or imported sessions",
    "compare": "compare result sets: verdicts, ministat's table, JSON or Markdown",
    "report": "write a Markdown report with charts and data files beside it",
    "import": "import a bench-lab result tree into sessions",
    "check": "check the claims and ministat tables of published Markdown",
    "replay": "play a recording on the live screen: seek, step, change the speed",
    "trust": "let the ssh_config, lab.toml and experiment.toml of a folder run commands",
    "doctor": "check what each host of a lab has and what is missing",
    "lab": "labs on this machine: hosts in namespaces, the DUT also as a VM (Linux, root)",
}

_LONGEST = 1000  # characters of a message: the arguments in it may have any length
_NAMING = frozenset(
    ("--into", "--sessions", "--session", "--case", "--lab", "--data", "--dir", "--name", "--below",
     "--beside", "--metric", "--x", "--series", "--order", "--link", "--frame", "--rate", "--under", "--idle",
     "--event", "--generator", "--kernel", "--vm-generator")
)  # fmt: skip
"""Options that name something: a folder, a session, a case, a metric, a factor, a link, a kernel.

Their values must not be empty. An empty value would mean the current folder, or a default: if a script's
variable for --metric is not set, a gate on that metric would be judged by the rate instead.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # OpenBLAS would start a thread per core when numpy is loaded, although nothing here multiplies matrices
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        replace_closed()
        with guarded():
            return _main(arguments)
    except OSError:  # standard error itself cannot be written: nothing can be reported
        return 2


def _main(arguments: list[str]) -> int:
    try:
        try:
            status = _dispatch(arguments)
        except SystemExit as ended:  # --help and --version: their output must arrive too
            sys.stdout.flush()
            return int(ended.code or 0)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # the reader went away (`| head`): no message, and nothing more to flush into the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}")
    except Exception as error:
        from fwdtui.core.errors import FwdtuiError

        if not isinstance(error, FwdtuiError):
            raise
        return _fail(str(error))


def _fail(message: str) -> int:
    from fwdtui.core.text import clean

    message = clean(message)
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
    print(f"fwdtui: {message}", file=sys.stderr)
    return 2


def _dispatch(arguments: list[str]) -> int:
    import argparse

    from fwdtui.core.errors import FwdtuiError

    class Parser(argparse.ArgumentParser):
        """Reports a usage error in one line, like every other error."""

        def error(self, message: str) -> NoReturn:
            raise FwdtuiError(f"{message}{_dashed(message, arguments)} (see {self.prog} --help)")

        def _print_message(self, message: str, file: Any = None) -> None:
            (file or sys.stderr).write(message)  # argparse's own method hides that a disk is full

    if arguments and arguments[0] in COMMANDS:
        name = arguments[0]
        module = importlib.import_module(f"fwdtui.cli.{name}_" if name == "import" else f"fwdtui.cli.{name}")
        parser = Parser(prog=f"fwdtui {name}", description=COMMANDS[name], allow_abbrev=False)
        module.add_arguments(parser)
        options = parser.parse_args(arguments[1:])
        _refuse_nameless(parser, arguments)
        if "" in arguments:
            _refuse_nothing(parser, options, "." in arguments)
        status: int = module.run(options)
        return status
    parser = Parser(
        prog="fwdtui",
        description="See, record and compare packet-forwarding benchmarks.\n"
        "Without a command, the app opens ./lab.toml, else ./sessions, else a menu.",
        epilog="commands:\n"
        + "\n".join(f"  {name:<12}{text}" for name, text in COMMANDS.items())
        + "\n\nfwdtui COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    from fwdtui import __version__

    parser.add_argument("--version", action="version", version=f"fwdtui {__version__}")
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments[:1])
    if options.command is not None:
        parser.error(f"no such command: {options.command!r} (commands: {', '.join(COMMANDS)})")
    return _open_app()


def _refuse_nothing(parser: "argparse.ArgumentParser", options: "argparse.Namespace", here: bool) -> None:
    """Refuse an empty argument: it is an unset variable of a script, not the current folder.

    `here`: "." was given as well. An empty argument that has become a path can then not be distinguished from
    it.
    """
    for action in parser._get_positional_actions():  # argparse has no public way to list them
        value = getattr(options, action.dest, None)
        if (
            isinstance(action.choices, dict) and value in action.choices
        ):  # an action with arguments of its own
            _refuse_nothing(action.choices[value], options, here)
            continue
        for one in value if isinstance(value, list) else [value]:
            if one == "" or (not here and str(one) == "."):
                parser.error(f"{action.metavar or action.dest}: the argument is empty")


def _refuse_nameless(parser: "argparse.ArgumentParser", arguments: list[str]) -> None:
    """Refuse an empty value of an option that names something: that is an unset variable as well."""
    for argument, after in zip(arguments, [*arguments[1:], None], strict=True):
        option, equals, value = argument.partition("=")
        if option in _NAMING and (value if equals else after) == "":
            parser.error(f"{option}: the argument is empty")


def _dashed(message: str, arguments: list[str]) -> str:
    """A hint for ``--margin -1%``: argparse takes the value to be an option, and does not say so."""
    if not message.endswith("expected one argument"):
        return ""
    names = message.removeprefix("argument ").partition(":")[0].split("/")
    for place, value in enumerate(arguments[1:]):
        if arguments[place] in names and value.startswith("-"):
            return f"; if {value} is its value, write {arguments[place]}={value}"
    return ""


def _open_app() -> int:
    from pathlib import Path

    from fwdtui.cli.demo import without_lab

    if Path("lab.toml").is_file():
        from fwdtui.cli.screen import live_screen

        return live_screen(Path("lab.toml"), Path("sessions"), None, "default", {})
    return without_lab()
