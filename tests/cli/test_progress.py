"""The line of progress on stderr: what is done, what is next, and a time left that can be believed."""

import pytest

from fwdtui.cli.progress import Progress, in_one_line
from fwdtui.report.cells import columns_of


class Clock:
    """A clock that the test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_an_import_with_a_slow_beginning_tells_no_wild_time(clock, capsys):
    """3,950 iterations: the first took 12.5 s, the others a 64th of a second each."""
    with Progress("importing", clock) as progress:
        for done in range(3950):
            progress(done, 3950, "r1 inet4")
            clock.now += 12.5 if done == 0 else 1 / 64
    assert capsys.readouterr().err.splitlines() == [
        "importing 1/3950  r1 inet4",  # nothing is known yet
        "importing 641/3950  r1 inet4  52 s left",
        "importing 1281/3950  r1 inet4  42 s left",
        "importing 1921/3950  r1 inet4  32 s left",
        "importing 2561/3950  r1 inet4  22 s left",
        "importing 3201/3950  r1 inet4  12 s left",
        "importing 3841/3950  r1 inet4  2 s left",
    ]


def test_charts_have_no_time_left_before_the_second_is_drawn(clock, capsys):
    """The first one loads modules."""
    with Progress("drawing", clock) as progress:
        for done, seconds in enumerate((20.0, 11.0, 11.0, 11.0)):
            progress(done, 4, f"{done}.svg")
            clock.now += seconds
        progress(4, 4, "README.md")
    assert capsys.readouterr().err.splitlines() == [
        "drawing 1/4  1.svg",
        "drawing 2/4  2.svg  22 s left",
        "drawing 3/4  3.svg  11 s left",
        "drawing 4/4  README.md",
    ]


def test_without_a_total_there_is_no_time_left(clock, capsys):
    with Progress("reading", clock) as progress:
        for done in (1, 2, 3):
            clock.now += 20.0
            progress(done, 0, "MB, -")
    assert capsys.readouterr().err.splitlines() == [f"reading {done}  MB, -" for done in (1, 2, 3)]


def test_what_takes_less_than_a_second_is_not_told(clock, capsys):
    with Progress("reading", clock) as progress:
        for done in range(10):
            progress(done, 10, "x")
            clock.now += 0.05
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["設定" * 30, "case\t" * 20, "r1 " * 40])
def test_a_line_that_is_drawn_again_and_again_is_no_wider_than_the_terminal(name, monkeypatch):
    """A wider one wraps, and only its last row is cleared."""
    monkeypatch.setenv("COLUMNS", "60")
    line = in_one_line(f"reading 3/9  {name}  12 s left")
    assert columns_of(line) == 59 and "\t" not in line
    assert line.startswith("reading 3/9  ") and line.endswith("  12 s left")
