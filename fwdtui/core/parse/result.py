"""What every parser returns: what it could read, and what it had to skip."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """`value` is what was read (empty, never None, when nothing was); `skipped` says what was not, and why.

    Each entry of `skipped` is one short cleaned line such as ``line 7: 11 fields, 9 expected: 'em0 …'``.
    """

    value: T
    skipped: tuple[str, ...] = ()
