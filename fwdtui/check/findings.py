"""What a check says: findings, what agrees, what was not checked, and how much it looked at."""

from dataclasses import dataclass

import msgspec


class Source(msgspec.Struct, frozen=True):
    """Where the data are: lines of a text, counted from 1, or a value file, for which they are None."""

    file: str
    first_line: int | None
    last_line: int | None


class Finding(msgspec.Struct, frozen=True):
    """One entry of the JSON of `fwdtui check`.

    `kind` of a finding: "table" (a ministat block contradicts its own rows, or the value file that it names),
    "claim" (a sentence contradicts the block it is about, or claims what it does not show), "cell" (the same
    of a cell of a Markdown table) or "revision" (a reference to files of another revision than the text's).
    Entries that are not findings have the kind "agrees" or "not-checked".

    `line` counts from 1, `text` is that line, `message` the reason in one sentence. `cell` is the text of a
    cell, `data` what the data say, `sources` where they are.
    """

    file: str
    line: int
    kind: str
    text: str
    message: str
    cell: str | None = None
    data: str | None = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """One text: what was found, how much was looked at, what was skipped.

    `claims` counts sentences that could be checked against a block or value files, `cells` cells that could
    be, `tables` Markdown tables with any cell that measures. `agreeing` are cells that agree with the data,
    and sentences that value files bear out; `unchecked` are cells and sentences that ought to be checked, but
    could not be.
    """

    findings: tuple[Finding, ...]
    blocks: int
    claims: int
    skipped: tuple[str, ...]
    tables: int = 0
    cells: int = 0
    agreeing: tuple[Finding, ...] = ()
    unchecked: tuple[Finding, ...] = ()
