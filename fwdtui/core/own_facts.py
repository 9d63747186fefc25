"""The facts of an iteration that are not its session's: what has changed, and what is not there any more."""

from collections.abc import Collection, Mapping

from fwdtui.core.model import Fact

GONE = "–"
"""An iteration's own fact in place of one of its session's that it does not have; as tables write it."""


def own_facts(
    known: Mapping[str, Fact], now: Mapping[str, Fact], absent: Collection[str] = ()
) -> dict[str, Fact]:
    """Those of `now` that are not `known`, the session's; GONE for those of the session that are `absent`.

    What is neither in `now` nor absent was not read, so that the session's stands. A name in `absent` that
    ends with a dot is of all facts that begin with it and are not there now.
    """
    parts = tuple(name for name in absent if name.endswith("."))
    gone = [key for key in known if key not in now and (key in absent or key.startswith(parts))]
    return {key: one for key, one in now.items() if known.get(key) != one} | dict.fromkeys(gone, GONE)
