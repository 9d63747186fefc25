"""Tables and links of a Markdown document, from parts that `escape` has made safe."""

import os
from collections.abc import Container, Sequence
from urllib.parse import quote


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Container[int] = ()) -> str:
    """A table of cells that are escaped already; `right`: the places of the columns of figures."""
    lines = [head, ["---:" if place in right else "---" for place in range(len(head))], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def link(path: str) -> str:
    """The target of a link to a file, percent-encoded, whatever the file's name."""
    return quote(os.fsencode(path), safe="/._-~")  # a name may hold bytes that are not UTF-8
