"""Where in the course of an iteration the outage is that it is warned of."""

from fwdtui.core.model import Iteration
from fwdtui.core.steady import OUTAGE
from fwdtui.monitor.replay.course import Course


def outage_places(found: Course, iteration: Iteration | None) -> list[tuple[float, float]]:
    """From when to when, in seconds since the blast began; empty where it is not known or not warned of."""
    if iteration is None or not any(caution.code == "outage" for caution in iteration.warnings):
        return []
    flow = "received" if "received" in found.flows else "forwarded"
    if flow not in iteration.metrics:
        return []
    least = iteration.metrics[flow].median * OUTAGE
    places: list[tuple[float, float]] = []
    for point in found.inside(flow):
        if point.value is None or point.value >= least:
            continue
        begin, end = point.at - point.seconds - found.began, point.at - found.began
        if places and begin - places[-1][1] < point.seconds / 2:
            places[-1] = places[-1][0], end
        else:
            places.append((begin, end))
    return places


def told(places: list[tuple[float, float]]) -> str:
    """``12.0 s to 13.0 s of the blast``; of many, the first ones."""
    if not places:
        return ""
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    listed = ", ".join(f"{begin:.1f} s to {end:.1f} s" for begin, end in places[:3])
    return f"{listed}{more} of the blast"
