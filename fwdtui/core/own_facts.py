"""The facts of an iteration that differ from its session's: what has changed, and what is no longer there."""

from collections.abc import Collection, Mapping

from fwdtui.core.model import Fact

GONE = "–"
"""The value of a fact that the session has and the iteration does not, as tables show it."""


def own_facts(
    known: Mapping[str, Fact], now: Mapping[str, Fact], absent: Collection[str] = ()
) -> dict[str, Fact]:
    """The facts of `now` that differ from the session's, `known`; GONE for those of the session in `absent`.

    A fact that is neither in `now` nor in `absent` was not read, so the session's still holds. A name in
    `absent` that ends with a dot means all facts that begin with it and are not in `now`.
    """
    parts = tuple(name for name in absent if name.endswith("."))
    gone = [key for key in known if key not in now and (key in absent or key.startswith(parts))]
    return {key: one for key, one in now.items() if known.get(key) != one} | dict.fromkeys(gone, GONE)
