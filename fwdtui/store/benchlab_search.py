"""An iteration that is a search for a VPN gateway's equilibrium: generator and receiver in one, in Mb/s."""

from collections.abc import Mapping

from fwdtui.core.model import Caution, Iteration, Summary, Window
from fwdtui.core.parse.equilibrium import UNIT, Search
from fwdtui.core.units import grouped

METHOD = "equilibrium"
HIGHEST = "highest"
"""The metric for the highest rate that the search saw, at whatever loss."""


def iteration(index: int, search: Search, source: str, origin: str) -> Iteration:
    """The value is what the search printed as its result. A search that did not end has none."""
    cautions = []
    if search.estimate is None:
        text = "The search for the equilibrium did not end, so there is no value; repeat this iteration."
        cautions.append(Caution("no-equilibrium", text))
    elif search.recomputed is not None and search.recomputed != search.estimate:
        text = (
            f"The log gives {grouped(search.estimate)} {UNIT} as its result, but its last step gives "
            f"{grouped(search.recomputed)} {UNIT}: was the log edited?"
        )
        cautions.append(Caution("equilibrium-differs", text))
    if search.better is not None and search.starts <= 1:
        offered, forwarded = search.better
        text = (
            f"A step of the search forwarded {grouped(forwarded)} of {grouped(offered)} {UNIT}, which is more"
            f" than its result, {grouped(search.estimate or 0.0)} {UNIT}: losses did not grow with the load,"
            " so the result is not the highest load without loss; repeat this iteration."
        )
        cautions.append(Caution("equilibrium-unsteady", text))
    if search.starts > 1:
        text = (
            f"The log holds {search.starts} searches, and the value is the last result in it; leave only one "
            "search in the log and import it again."
        )
        cautions.append(Caution("several-runs", text))
    steps = len(search.steps)
    note = (
        f"The result of a search of {steps} step{'s' * (steps != 1)} for the highest load that is forwarded "
        "without loss."
    )
    return Iteration(
        index=index,
        value=search.estimate,
        unit=UNIT,
        source=source,
        origin=origin,
        window=Window(METHOD, None, None, steps, notes=(note,)),
        metrics=highest(search.maximum),
        warnings=tuple(cautions),
    )


def highest(value: float | None) -> Mapping[str, Summary]:
    """The metric of the highest rate seen, in the iteration's unit; empty if it is not known."""
    return {} if value is None else {HIGHEST: Summary(value, value, value, value, 1)}
