"""The settings' difference as plain values for JSON; the fields are described in docs/settings.md."""

from fwdtui.report.settings_difference import SettingsDifference
from fwdtui.report.settings_wording import changes, remarks, sentence

MOST = 5000
"""Most differences that are listed; `differing` counts all."""


def plain(found: SettingsDifference) -> dict[str, object]:
    """One candidate's settings against the baseline's; a setting that is not set is null."""
    return {
        "base": found.base,
        "other": found.other,
        "cases": list(found.cases),
        "sentence": f"{sentence(found)}.",
        "remarks": [f"{text}." for text in remarks(found)],
        "compared": found.compared,
        "differing": len(found.differences),
        "changes": [one.text for one in changes(found.differences)[:MOST]],
        "differences": [
            {"role": one.role, "source": one.source, "key": one.key, "base": one.base, "other": one.other}
            for one in found.differences[:MOST]
        ],
        "varying": [
            {
                "label": one.label,
                "role": one.role,
                "source": one.source,
                "key": one.key,
                "values": list(one.values),
            }
            for one in found.varying[:MOST]
        ],
        "not_compared": [
            {"role": one.role, "source": one.source, "reason": one.reason} for one in found.not_compared
        ],
        "secrets": found.secrets,
        "volatile": found.volatile,
    }
