"""How sessions were compared, so that it can be repeated: on the next start, and by the command line."""

from dataclasses import dataclass

from fwdtui.core.units import in_full
from fwdtui.report.factor_view import AS_GIVEN, FactorView


@dataclass(frozen=True, slots=True)
class ComparedHow:
    """The settings of a comparison.

    `margin` and `confidence` are in percent; None: the usual ones. `view`: what is compared by factors.
    """

    margin: float | None = None
    confidence: float | None = None
    view: FactorView = AS_GIVEN

    def options(self) -> list[str]:
        """The command-line arguments that ask for these settings."""
        words = list(self.view.options())
        if self.margin is not None:
            words += ["--margin", f"{in_full(self.margin)}%"]
        if self.confidence is not None:
            words += ["--confidence", in_full(self.confidence)]
        return words


AS_USUAL = ComparedHow()
