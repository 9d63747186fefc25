"""Sessions with factors, made by hand: a patch and a setting that only help together."""

from collections.abc import Mapping, Sequence

from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Case, Iteration, Session

Given = Mapping[str, FactorValue]

NOISE = (-3.0, 1.0, 0.0, 4.0, -2.0)
"""What the iterations of a set differ by, in thousandths of its mean."""


def values(mean: float) -> list[float]:
    """Five values around `mean`, with a spread of 0.3 %."""
    return [mean * (1.0 + noise / 1000.0) for noise in NOISE]


def case(name: str, factors: Given, numbers: Sequence[float], unit: str = "pps") -> Case:
    """A case with a value per iteration."""
    iterations = tuple(Iteration(index, value, unit) for index, value in enumerate(numbers, 1))
    return Case(name, iterations, factors)


def session(label: str, factors: Given, *cases: Case) -> Session:
    """A session in /s, which is not on disk."""
    return Session(f"/s/{label}", label, "", cases=cases, factors=factors)


MEANS: Mapping[tuple[str, str, str], float] = {
    ("old", "off", "inet4"): 870e3,
    ("old", "off", "inet6"): 860e3,
    ("old", "on", "inet4"): 872e3,
    ("old", "on", "inet6"): 862e3,
    ("new", "off", "inet4"): 480e3,
    ("new", "off", "inet6"): 474e3,  # the patch costs as much as with inet4
    ("new", "on", "inet4"): 960e3,
    ("new", "on", "inet6"): 950e3,
}


def cube() -> list[Session]:
    """Image x config x af: a session for each image, a case for each combination of the others."""
    return [
        session(
            image,
            {"image": image},
            *(
                case(f"{config}.{af}", {"config": config, "af": af}, values(mean))
                for (of, config, af), mean in MEANS.items()
                if of == image
            ),
        )
        for image in ("old", "new")
    ]


def apart() -> list[Session]:
    """The same with a session for each image and config, as an import of config folders makes them."""
    return [
        session(
            f"{image}.{config}",
            {"image": image, "config": config},
            *(case(af, {"af": af}, values(MEANS[image, config, af])) for af in ("inet4", "inet6")),
        )
        for image in ("old", "new")
        for config in ("off", "on")
    ]
