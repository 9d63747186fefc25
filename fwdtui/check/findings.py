"""What a check says: findings, and how much it looked at."""

from dataclasses import dataclass

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """One contradiction; the JSON of `fwdtui check` is a list of these.

    `kind` is "table" (a ministat block contradicts its own rows) or "claim" (a sentence contradicts the block
    it is about). `line` counts from 1, `text` is that line, `message` the reason in one sentence.
    """

    file: str
    line: int
    kind: str
    text: str
    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """One text: what was found, how many blocks and claims (sentences) were looked at, what was skipped."""

    findings: tuple[Finding, ...]
    blocks: int
    claims: int
    skipped: tuple[str, ...]
