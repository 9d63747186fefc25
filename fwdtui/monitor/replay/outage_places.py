"""Finds, in the series of an iteration, the outages that its warning is about."""

from fwdtui.core.model import Iteration
from fwdtui.core.steady import OUTAGE
from fwdtui.monitor.replay.iteration_series import IterationSeries


def outage_places(series: IterationSeries, iteration: Iteration | None) -> list[tuple[float, float]]:
    """Start and end of each outage, in seconds since the blast began; empty without such a warning."""
    if iteration is None or not any(caution.code == "outage" for caution in iteration.warnings):
        return []
    flow = "received" if "received" in series.flows else "forwarded"
    if flow not in iteration.metrics:
        return []
    least = iteration.metrics[flow].median * OUTAGE
    places: list[tuple[float, float]] = []
    for point in series.refreshed(flow):
        if point.value is None or point.value >= least:
            continue
        begin, end = point.at - point.seconds - series.began, point.at - series.began
        if places and begin - places[-1][1] < point.seconds / 2:
            places[-1] = places[-1][0], end
        else:
            places.append((begin, end))
    return places


def told(places: list[tuple[float, float]]) -> str:
    """The places in words: ``12.0 s to 13.0 s of the blast``; at most the first three, and how many more."""
    if not places:
        return ""
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    listed = ", ".join(f"{begin:.1f} s to {end:.1f} s" for begin, end in places[:3])
    return f"{listed}{more} of the blast"
