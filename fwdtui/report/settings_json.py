"""The settings' difference as plain values for JSON; the fields are described in docs/settings.md."""

from fwdtui.report.settings_difference import SettingsDifference
from fwdtui.report.settings_wording import changes, remarks, sentence

MOST = 5000
"""The most differences that are listed; `differing` counts all."""


def plain(difference: SettingsDifference) -> dict[str, object]:
    """One candidate's settings against the baseline's; a setting that is not set is null."""
    return {
        "base": difference.base,
        "other": difference.other,
        "cases": list(difference.cases),
        "sentence": f"{sentence(difference)}.",
        "remarks": [f"{text}." for text in remarks(difference)],
        "compared": difference.compared,
        "differing": len(difference.differences),
        "changes": [one.text for one in changes(difference.differences)[:MOST]],
        "differences": [
            {"role": one.role, "source": one.source, "key": one.key, "base": one.base, "other": one.other}
            for one in difference.differences[:MOST]
        ],
        "varying": [
            {
                "label": one.label,
                "role": one.role,
                "source": one.source,
                "key": one.key,
                "values": list(one.values),
            }
            for one in difference.varying[:MOST]
        ],
        "not_compared": [
            {"role": one.role, "source": one.source, "reason": one.reason} for one in difference.not_compared
        ],
        "secrets": difference.secrets,
        "volatile": difference.volatile,
    }
