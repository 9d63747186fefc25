"""The values of a file with millions of them: an array of doubles, and a cache of what is computed."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fwdtui.stats.large import Digest

LARGE = 100_000
"""From this many values on, a container of its own and the import of numpy pay off."""


class LargeValues(Sequence[float]):
    """Values in file order, eight bytes each, where a tuple takes thirty-two. Do not change them.

    The functions of this package give the same numbers for it as for a tuple of the same values, but go
    through them in blocks with numpy.
    """

    def __init__(self, data: "array[float]") -> None:
        self.data = data
        self._digest: Digest | None = None

    @property
    def digest(self) -> "Digest":
        """What the tests and warnings need to know of the values, computed once."""
        if self._digest is None:
            from fwdtui.stats.large import digest  # late: small comparisons need no numpy

            self._digest = digest(self.data)
        return self._digest

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: Any) -> Any:
        return self.data[index]

    def __iter__(self) -> Iterator[float]:
        return iter(self.data)

    def __eq__(self, other: object) -> bool:
        return self.data == other.data if isinstance(other, LargeValues) else NotImplemented

    def __hash__(self) -> int:
        return hash((len(self.data), self.data[0], self.data[-1])) if self.data else 0

    def __repr__(self) -> str:
        return f"<{len(self.data)} values>"


def contained(values: "array[float]") -> Sequence[float]:
    """The values of a file in the container that suits their number."""
    return LargeValues(values) if len(values) >= LARGE else tuple(values)


def digest_all(sets: Iterable[Sequence[float]]) -> None:
    """Compute the digests of all LargeValues, two at a time: numpy lets other threads run meanwhile."""
    many = {id(one): one for one in sets if isinstance(one, LargeValues) and len(one)}
    if len(many) > 1:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda one: one.digest, many.values()))
