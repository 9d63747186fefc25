"""Markdown drawn as lines: inert whatever the labels are, quick whatever the size; and the command."""

import gc
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from preview_rig import page, previewed, settled, told
from waiting import seen

from fwdtui.core.shell_words import quote
from fwdtui.report import export
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices
from fwdtui.report.settings_markdown import DIFFERENCE
from fwdtui.report.sides import load_sides
from fwdtui.ui.report import rendered
from fwdtui.ui.report.page import Page, page_style

STYLES = page_style({})
HOSTILE = "[red]x[/] [@click=app.quit]q[/] [l](http://e.org) http://e.org **b** \x1b[2J<b> `c` | \uf8ff"
ROW = (
    "| forwarding.case | 5/5 | 570 734.2 | 172 061.2 | −67.8 % ± 4.7 % | <0.0001 "
    "| inconclusive: about 19 more iterations |\n"
)
TABLE = (
    "| case | n | median, baseline | median, candidate | difference of means | p, adjusted | verdict |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
)


def text(parts) -> list[str]:
    return [strip.text.rstrip() for part in parts for strip in part]


async def test_a_hostile_label_is_shown_and_does_nothing(folder, session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paths = [
        session(f"{HOSTILE} {name}", {HOSTILE: [1.0, 2.0, 3.0]}, facts={"k": f"{HOSTILE}{name}"}, name=name)
        for name in "ab"
    ]
    async with previewed(folder, paths, (160, 40)) as pilot:
        for key in ("x", "x", "i", "t"):
            lines = pilot.app.screen.query_one(Page)._lines
            assert any("[@click=app.quit]q[/]" in line for line in page(pilot))
            assert not any("\x1b" in line for line in page(pilot))
            segments = [segment for line in lines for segment in line]
            assert not [s for s in segments if s.style is not None and (s.style.link or s.style.meta)]
            await pilot.press(key)
            await settled(pilot)
        assert "http://e.org" in told(pilot, "heading")
        await pilot.click("#page", offset=(3, 1))
        assert pilot.app.is_running


@pytest.mark.parametrize("width", [60, 79, 100, 200])
def test_numbers_and_verdicts_of_a_table_are_never_torn(width: int) -> None:
    lines = text(rendered.lines(TABLE + ROW * 3, width, STYLES))
    assert sum("570 734.2" in line and "172 061.2" in line for line in lines) == 3
    assert sum("inconclusive:" in line for line in lines) == 3
    assert sum("4.7 %" in line for line in lines) == 3
    if width >= 79:
        assert max(map(len, lines)) <= width


def test_a_block_of_ministats_is_as_wide_as_it_is() -> None:
    bar = f"+{'-' * 74}+"
    assert bar in text(rendered.lines(f"```\n{bar}\n```\n", 40, STYLES))


def test_a_picture_is_named_and_the_verdict_of_a_case_has_its_colour() -> None:
    styles = page_style({"verdict-slower": "#f07167"})
    parts = [*rendered.lines("x: **slower**: by 3 %.\n\n![Medians](r.d/m.svg)\n", 60, styles)]
    assert "▦ Medians  r.d/m.svg" in text(parts)
    coloured = [s.text for part in parts for strip in part for s in strip if s.style and s.style.color]
    assert coloured == ["slower"]


def test_the_source_is_every_line_and_one_too_long_goes_on_after_a_mark() -> None:
    line = "word " * 30
    lines = text(rendered.source(f"# t\n\n{line}\n", 40, STYLES))
    assert lines[:2] == ["# t", ""] and all(one.startswith("↪ ") for one in lines[3:])
    assert " ".join(one.removeprefix("↪ ").strip() for one in lines[2:]).split() == line.split()


def test_the_beginning_of_a_large_report_does_not_wait_for_its_end() -> None:
    # 7 sessions: 180 rows, and 300 cases with a block of seven sets each, ten times what a large report has
    block = "```\n" + f"|{' ' * 74}|\n" * 30 + "```\n\n"
    cases = "".join(f"## case{n}\n\n" + "who: **faster**: by 1 %.\n\n" * 6 + block for n in range(300))
    gc.disable()  # a look through the objects of all tests takes as long as the whole report
    try:
        began = time.process_time()
        drawing = rendered.lines(f"# t\n\n{TABLE}{ROW * 180}\n{cases}", 100, STYLES)
        assert len(next(drawing)) > 180
        first = time.process_time() - began
        assert sum(map(len, drawing)) > 300 * 40
        whole = time.process_time() - began
    finally:
        gc.enable()
    assert first < whole / 2  # about a fifth: a bound in seconds would be one on the machine


@pytest.mark.parametrize(
    "word", ["a b", "it's", "-x", "ü€", "$(rm)", "\x1b[2J'\\x", "a\n1", "\udcff7", "\u202ex"]
)
def test_a_word_of_the_command_is_that_word_for_a_shell_and_inert_on_the_screen(word: str) -> None:
    import os

    quoted = quote(word)
    assert quoted.isprintable() and quoted.encode()
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash, and sh need not know $'...'")
    done = subprocess.run([bash, "-c", f"printf %s {quoted}"], capture_output=True, check=True)
    assert done.stdout == os.fsencode(word)


async def test_sessions_below_the_folder_of_the_app_are_named_relative_to_it(folder, pair, monkeypatch):
    monkeypatch.chdir(folder)
    async with previewed(folder, pair) as pilot:
        assert "report n311215 n311215-UDP2 -o n311215-n311215-UDP2.md" in told(pilot, "command")
        await seen(pilot, lambda: page(pilot))


def test_a_folder_that_looks_like_an_option_is_none(session, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder.parent)
    paths = [session(name, {"x": [1.0, 2.0, 3.0]}).relative_to(folder.parent) for name in ("-a", "b")]
    monkeypatch.chdir(folder)
    compared = judge_sides(load_sides([path.name for path in paths]))
    command = export.command(Path("-o.md"), compared, Choices(title="-t"))
    assert command == "fwdtui report ./-a b -o ./-o.md --title=-t"


def test_many_labels_make_a_name_that_can_still_be_read(session) -> None:
    paths = [session(f"n31{n}000-with-a-patch", {"x": [1.0, 2.0, 3.0]}) for n in range(4)]
    compared = judge_sides(load_sides([str(path) for path in paths]))
    assert export.default_out(compared).name == "n310000-with-a-patch-and-3-others.md"


def test_what_a_browser_folds_stands_open_under_its_title() -> None:
    text = f"<details><summary>{DIFFERENCE}</summary>\n\n```diff\n-a: 1\n+a: 2\n```\n\n</details>\n"
    drawn = [strip.text.rstrip() for part in rendered.lines(text, 60, STYLES) for strip in part]
    assert [line for line in drawn if line] == [f"▾ {DIFFERENCE}", "-a: 1", "+a: 2"]
