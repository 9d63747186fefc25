"""The theme's colours as styles of a drawn page."""

from collections.abc import Mapping

from textual.color import Color, ColorParseError

from fwdtui.ui.report.rendered import VERDICTS


def page_style(variables: Mapping[str, str]) -> dict[str, str]:
    """Styles of rich for `rendered.lines`; a colour that is none is left to the terminal."""

    def colour(name: str) -> str:
        try:
            found = Color.parse(variables.get(name, "")).rich_color
        except ColorParseError:
            return ""
        return found.name if found.triplet is None else found.triplet.hex

    heading = f"bold {colour('primary')}"
    styles = {
        "h1": heading,
        "h2": heading,
        "h3": heading,
        "strong": "bold",
        "em": "italic",
        "code": colour("secondary"),
        "code_block": "none",
        "item.bullet": colour("accent"),
        "link": "none",
        "link_url": "dim",
        "table.header": "bold",
    }
    styles |= {verdict: f"bold {colour(f'verdict-{verdict}')}" for verdict in VERDICTS}
    return {name: " ".join(style.split()) or "none" for name, style in styles.items()}
