"""The bounds of a file's depth and numbers: the last that is read, and the first that is not."""

import pytest

from fwdtui.core.bounded import check, toml
from fwdtui.core.errors import FwdtuiError


@pytest.mark.parametrize(("lists", "read"), [(42, True), (62, True), (63, True), (64, False), (95, False)])
def test_sixty_four_levels_are_read(lists: int, read: bool) -> None:
    """The file itself is the first level."""
    text = f"a = {'[' * lists}{']' * lists}"
    if read:
        found, depth = toml(text, "file")["a"], 1
        while found:
            (found,), depth = found, depth + 1
        assert depth == lists
    else:
        with pytest.raises(FwdtuiError, match="file: nested more than 64 levels deep"):
            toml(text, "file")


@pytest.mark.parametrize(("parts", "read"), [(42, True), (63, True), (64, False), (65, False), (96, False)])
@pytest.mark.parametrize("part", ["a", '"b c"', "'d'"])
def test_so_are_the_parts_of_a_dotted_key(parts: int, read: bool, part: str) -> None:
    text = f"{' . '.join([part] * parts)} = 1"
    if read:
        assert toml(text, "file")
    else:
        with pytest.raises(FwdtuiError, match="nested more than 64 levels deep"):
            toml(text, "file")


@pytest.mark.parametrize(
    ("number", "read"),
    [
        (0, True),
        (2**64 - 1, True),
        (2**64, False),
        (-(2**63), True),
        (-(2**63) - 1, False),
    ],
)
@pytest.mark.parametrize("place", ["{n}", "[[{n}]]", "{{b = {n}}}"])
def test_an_integer_has_sixty_four_bits(number: int, read: bool, place: str) -> None:
    text = f"a = {place.format(n=number)}"
    if read:
        toml(text, "file")
    else:
        with pytest.raises(FwdtuiError, match="file: an integer in it has more than 64 bits"):
            toml(text, "file")


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert toml("\ufeffa = 1", "file") == {"a": 1}


def test_what_is_no_table_is_checked_as_well() -> None:
    check([1, "x", None, True, 2.5], "file")
    with pytest.raises(FwdtuiError, match="an integer"):
        check([{"a": [2**64]}], "file")
