"""A sequence whose items are made only when they are asked for."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Made(Sequence[T]):
    """A subclass defines `__len__` and `one`; slicing gives a tuple."""

    @abstractmethod
    def one(self, place: int) -> T:
        """The item at `place`, which is at least 0 and less than the length."""

    def some(self, first: int, last: int) -> tuple[T, ...]:
        """The items from `first` to before `last`, both within the length."""
        return tuple(map(self.one, range(first, last)))

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...

    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        if isinstance(place, slice):
            first, last, step = place.indices(len(self))
            return self.some(first, last) if step == 1 else tuple(map(self.one, range(first, last, step)))
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self.one(place)
