"""The value files that a text links by the names of sets, as our own reports do below "Data"."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from fwdtui.check.cells.candidates import Candidate
from fwdtui.check.cells.files import Data, at_path
from fwdtui.core.parse.ministat_block import Block, Row

_ITEM = re.compile(r"\s*[-*+] \[((?:[^\[\]\\]|\\.){1,1000})\]\(<?([^)\s>]{1,2000}+)>?\)\s*$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENDINGS = (".pps", ".dat")  # of our reports' value files; other links lead to headings and texts


@dataclass(frozen=True, slots=True)
class Links:
    """`paths`: what a list item links by the words of its link; `lines`: where that item is."""

    paths: Mapping[str, str]
    lines: Mapping[str, int]

    def of_row(self, data: Data, block: Block, row: Row) -> Candidate | None:
        """The value file that a row is linked to; None if there is none."""
        name = self.name_of(block, row)
        return self.file_of(data, name) if name else None

    def name_of(self, block: Block, row: Row) -> str:
        """The words of the link to a row's value file; "" if there is none.

        They are the row's name, perhaps without the unit that is its last word.
        """
        name = block.name(row)
        return next((one for one in (name, name.rpartition(" ")[0]) if one in self.paths), "")

    def file_of(self, data: Data, name: str) -> Candidate | None:
        """The value file of such a link; its folder may have been renamed."""
        path = self.paths[name]
        if found := at_path(data, path):
            return found
        same = data.by_name.get(path.rpartition("/")[2], ())
        return same[0] if len(same) == 1 else None


def links_of(lines: Sequence[str]) -> Links:
    """The links of a text that are list items of their own. Words that link two files link none."""
    paths: dict[str, str] = {}
    at: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if match := _ITEM.match(line):
            words, path = html.unescape(_ESCAPED.sub(r"\1", match[1])), unquote(match[2])
            paths[words] = path if paths.get(words, path) == path else ""
            at.setdefault(words, number)
    return Links({words: path for words, path in paths.items() if path}, at)


def missing(links: Links, data: Data, blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """The lines of links to value files of sets that `data` does not have, each with what it links."""
    names = dict.fromkeys(links.name_of(block, row) for block in blocks for row in block.rows)
    for name in filter(None, names):
        path = links.paths[name]
        if path.endswith(_ENDINGS) and links.file_of(data, name) is None:
            yield links.lines[name], path
