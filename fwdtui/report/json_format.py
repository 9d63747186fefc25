"""`compare --format json`: the contract's structs, field by field; a number that does not exist is null."""

from collections.abc import Mapping, Sequence

import msgspec

from fwdtui.core.text import visible_json
from fwdtui.report import bearing, experiment_json, settings_json
from fwdtui.report.experiment_summary import ExperimentSummary
from fwdtui.report.settings_difference import SettingsDifference
from fwdtui.report.settings_levels import NOTHING_BETWEEN, BetweenLevels
from fwdtui.stats.results import Comparison, Interaction

SCHEMA = 1


class _Document(msgspec.Struct, frozen=True):
    schema: int
    comparisons: tuple[Comparison, ...]
    interactions: tuple[Interaction, ...]


def render(
    comparisons: Sequence[Comparison],
    interactions: Sequence[Interaction] = (),
    settings: Sequence[SettingsDifference] = (),
    between: BetweenLevels = NOTHING_BETWEEN,
    experiments: Sequence[ExperimentSummary] = (),
    drop_reasons: Sequence[Mapping[str, object]] = (),
) -> str:
    """One JSON document, indented, with a line end. NaN and infinity come out as null.

    An interval that does not exist is ``[null, null]``: its two numbers do not exist. ``marked_by`` has the
    codes of the warnings that bear on the verdict: the table's ``!``. ``settings`` says how the hosts'
    settings differ (docs/settings.md), and ``settings_between`` how they differ between levels of the other
    factors; both are empty if no side has settings. ``experiments``: those of the sessions. ``drop_reasons``:
    why packets were dropped, for each comparison that has reasons (report/drop_reasons.py).
    """
    plain = msgspec.to_builtins(_Document(SCHEMA, tuple(comparisons), tuple(interactions)))
    for one, comparison in zip(plain["comparisons"], comparisons, strict=True):
        one["marked_by"] = bearing.codes(comparison)
        for name in ("ci_absolute", "ci_percent"):
            one["difference"][name] = one["difference"][name] or (None, None)
    for one in plain["interactions"]:
        one["ci_ratio"] = one["ci_ratio"] or (None, None)
    plain["settings"] = [settings_json.plain(one) for one in settings]
    plain["settings_between"] = [
        {"factor": one.factor, **settings_json.plain(one.found)} for one in between.told
    ]
    plain["experiments"] = [experiment_json.plain(one) for one in experiments]
    plain["drop_reasons"] = list(drop_reasons)
    return document(plain)


def document(content: object) -> str:
    """`content` as JSON with a line end; what would act on a terminal is a ``\\u`` escape.

    JSON cannot hold a name whose bytes are not UTF-8: these bytes are spelled out.
    """
    try:
        data = msgspec.json.encode(content)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_utf8(msgspec.to_builtins(content)))
    return visible_json(msgspec.json.format(data, indent=2).decode()) + "\n"


def _utf8(held: object) -> object:
    if isinstance(held, str):
        return held.encode("utf-8", "backslashreplace").decode()
    if isinstance(held, dict):
        return {_utf8(key): _utf8(value) for key, value in held.items()}
    return [_utf8(value) for value in held] if isinstance(held, list | tuple) else held
