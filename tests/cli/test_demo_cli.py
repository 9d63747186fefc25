"""`fwdtui demo` and `fwdtui` alone: what they refuse, in one line."""

import os
import subprocess
import sys

import pytest
from forked import run

from fwdtui.cli import main
from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import needs


def on_a_terminal(arguments: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Exit status and what was printed, on a pseudo-terminal."""
    code = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-m", "fwdtui", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("arguments", [("demo",), ("demo", "--examples"), ()])
def test_without_a_terminal_it_is_one_line_and_status_2(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "needs a terminal" in done.stderr
    assert done.stdout == "" and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["demo"], ["demo", "--examples"], []])
def test_a_dumb_terminal_is_refused_with_the_way_out(arguments):
    status, printed = on_a_terminal(arguments, {"TERM": "dumb"})
    assert status == 2
    assert "TERM=dumb" in printed and "compare or report" in printed and "\x1b" not in printed


def test_the_kernel_and_the_examples_exclude_each_other():
    done = run("demo", "--kernel", "--examples")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


def test_drop_reasons_without_a_kernel_are_refused_and_nothing_untrue_is_said_of_freebsd(capsys):
    """docs/drop-reasons.md: FreeBSD does tell reasons, by dtrace."""
    assert main(["demo", "--drop-reasons"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--drop-reasons needs --kernel" in line and "FreeBSD" not in line


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs root, to give it up")
def test_the_kernel_demo_without_root_is_refused_in_one_line(tmp_path):
    from fwdtui.cli import demo

    process = os.fork()
    if process == 0:  # in a child, as nobody: what it says goes to a file
        status = 1
        try:
            said = os.open(tmp_path / "said", os.O_CREAT | os.O_WRONLY)
            import argparse

            parser = argparse.ArgumentParser()
            demo.add_arguments(parser)
            os.setuid(65534)
            try:
                demo.run(parser.parse_args(["--kernel"]))
            except FwdtuiError as error:
                os.write(said, str(error).encode())
                status = 0
        finally:
            os._exit(status)
    assert os.waitpid(process, 0)[1] == 0
    text = (tmp_path / "said").read_text()
    assert "needs root" in text and "\n" not in text


def test_the_kernel_demo_elsewhere_than_on_linux_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "platform", "freebsd14")
    with pytest.raises(FwdtuiError, match="namespaces; this is freebsd14"):
        needs.require()
