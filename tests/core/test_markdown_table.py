"""Pipe tables of Markdown: what is one, and what its cells are."""

from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.markdown_table import MOST_COLUMNS, MarkdownTable, parse_markdown_tables


def read(text: str) -> list[list[tuple[str, ...]]]:
    """The cells of every table, header first."""
    return [[row.cells for row in (table.header, *table.rows)] for table in parse_markdown_tables(text).value]


def only(text: str) -> MarkdownTable:
    [table] = parse_markdown_tables(text).value
    return table


def test_a_table_with_pipes_all_around() -> None:
    assert read("text\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n\ntext\n") == [
        [("a", "b"), ("1", "2"), ("3", "4")]
    ]


def test_pipes_at_the_ends_may_be_missing() -> None:
    assert read("Frame Size | median \n---|---\n64   |152694 \n") == [
        [("Frame Size", "median"), ("64", "152694")]
    ]


def test_lines_count_from_one() -> None:
    table = only("a\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n")
    assert (table.first_line, table.last_line) == (3, 6)
    assert [row.line for row in table.rows] == [5, 6]


def test_a_table_without_rows_ends_with_its_dashes() -> None:
    table = only("| a |\n|---|\n")
    assert (table.first_line, table.last_line, table.rows) == (1, 2, ())


def test_an_empty_first_cell_is_a_cell() -> None:
    assert read("| | a |\n|-|-|\n| x | 1 |\n") == [[("", "a"), ("x", "1")]]


def test_an_escaped_pipe_is_text() -> None:
    assert read("| a | b |\n|-|-|\n| x \\| y | 1 |\n") == [[("a", "b"), ("x | y", "1")]]


def test_short_rows_lack_cells_and_long_ones_lose_them() -> None:
    assert read("| a | b |\n|-|-|\n| 1 |\n| 1 | 2 | 3 |\n") == [[("a", "b"), ("1",), ("1", "2")]]


def test_dashes_with_another_number_of_cells_make_no_table() -> None:
    assert read("| a | b |\n|---|\n| 1 | 2 |\n") == []


def test_a_heading_that_is_underlined_is_no_table() -> None:
    assert read("a\n---\n1\n") == []


def test_what_ends_a_table() -> None:
    head, row = "| a | b |\n|-|-|\n", "| 1 | 2 |\n"
    for end in ("\n", "=> it is faster\n", "# | a |\n", "```\n"):
        assert read(head + row + end + row) == [[("a", "b"), ("1", "2")]], end


def test_tables_one_after_the_other() -> None:
    one = "| a | b |\n|-|-|\n| 1 | 2 |\n"
    assert len(read(f"{one}\n{one}")) == 2
    # without a blank line between, the second header is a row like any other
    assert len(read(one + one)) == 1


def test_it_may_be_quoted_or_belong_to_a_list_item() -> None:
    assert read("> | a | b |\n> |-|-|\n> | 1 | 2 |\n") == [[("a", "b"), ("1", "2")]]
    assert read("- item\n\n    | a | b |\n    |-|-|\n    | 1 | 2 |\n") == [[("a", "b"), ("1", "2")]]


def test_control_characters_are_removed() -> None:
    assert read("| a\x1b[31m | b |\n|-|-|\n| \x07\u202e1 | 2 |\n") == [[("a[31m", "b"), ("1", "2")]]


def test_more_columns_than_are_read_are_told() -> None:
    def wide(columns: int) -> str:
        return f"{'| a ' * columns}|\n{'|-' * columns}|\n"

    assert len(parse_markdown_tables(wide(MOST_COLUMNS)).value) == 1
    parsed = parse_markdown_tables("\n" + wide(MOST_COLUMNS + 1))
    assert parsed.value == ()
    assert parsed.skipped == (f"line 2: a table of more than {MOST_COLUMNS} columns is not read",)


@given(st.text(alphabet="|-:ab1 \\\n`#>", max_size=200))
def test_any_text_is_read_and_each_cell_is_from_it(text: str) -> None:
    for table in parse_markdown_tables(text).value:
        assert 0 < table.first_line < table.last_line <= text.count("\n") + 1
        for row in (table.header, *table.rows):
            assert len(row.cells) <= len(table.header.cells)
            assert all(cell.replace("|", "\\|") in text.replace("\\|", "|").replace("|", "\\|") or not cell
                       for cell in row.cells)  # fmt: skip


def test_a_lone_pipe_is_one_empty_cell() -> None:
    assert read("|\n|-|\n|\n| 1 |\n") == [[("",), ("",), ("1",)]]


def test_a_table_of_one_column_is_read_and_has_64_at_most() -> None:
    assert read("| a |\n|-|\n| 1 |\n") == [[("a",), ("1",)]]
    assert MOST_COLUMNS == 64
