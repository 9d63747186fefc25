"""Events of performance counters, as ``--count`` and lab.toml's [dut] count name them."""

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab_tables import Events


def events(text: str | None) -> tuple[str, ...] | None:
    """``"cycles,instructions"`` -> ``("cycles", "instructions")``; () for an empty text; None stays None.

    Raises FwdtuiError for what is not the name of an event.
    """
    if text is None:
        return None
    try:
        return tuple(Events.read([part.strip() for part in text.split(",") if part.strip()]))
    except ValueError as error:
        raise FwdtuiError(f"--count: {error}") from None
