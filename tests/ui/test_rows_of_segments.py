"""Lines of panels as rows of segments, exactly as wide as the panel."""

import pytest
from rich.style import Style
from textual.strip import Strip

from fwdtui.ui.draw.panel import fitted

RED, BLUE = Style(color="red", bgcolor="black"), Style(color="blue", bgcolor="black")


@pytest.mark.parametrize(
    ("line", "shown", "narrow"),
    [
        ([("abc", RED)], "abc     ", True),
        ([("abc", RED), ("", BLUE), ("de", BLUE)], "abcde   ", True),
        ([("abcdefgh", RED)], "abcdefgh", True),
        ([("abcde", RED), ("fghi", BLUE)], "abcdefg…", True),
        ([("⣿⣀┈▁…", RED)], "⣿⣀┈▁…   ", True),
        ([("日本", RED), ("x", BLUE)], "日本x   ", False),
        ([("日本語日本", RED)], "日本語 …", False),
        ([("o\u0308", RED)], "o\u0308       ", False),  # two characters in one cell
        ([("é", RED)], "é       ", True),  # not among the usual ones
        ([], "        ", True),
    ],
)
def test_a_line_is_cut_or_filled_to_the_width(
    line: list[tuple[str, Style]], shown: str, narrow: bool
) -> None:
    row = fitted(line, 8)
    assert ("".join(text for text, _, _ in row), Strip(row).cell_length) == (shown, 8)
    assert row.narrow == narrow


def test_pieces_keep_their_styles_and_what_is_filled_has_the_background_of_the_last() -> None:
    styles = [(text, style) for text, style, _ in fitted([("ab", RED), ("c", BLUE)], 5)]
    assert styles == [("ab", RED), ("c", BLUE), ("  ", Style(bgcolor="black"))]
