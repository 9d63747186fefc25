"""The table of factors that an import inferred, and the factors that it could not know."""

from collections.abc import Sequence

from fwdtui.core.factors import in_order, level, levels_of
from fwdtui.core.shell_words import quote
from fwdtui.core.text import clean, visible
from fwdtui.report.cells import columns_of, pad
from fwdtui.store.benchlab_factors import GIVEN
from fwdtui.store.benchlab_plan import Plan

_NOT_ONE = "–"
_MOST_PLACES = 4
_UNEXPLAINED = ("image", "config")  # factors that need no explanation


def lines(plan: Plan) -> list[str]:
    """The table of cases and factors, where these were found, and one line for each unknown factor."""
    return [*_table(plan), *_why(plan), *unknown(plan), *map(visible, plan.notes)]


def left_out(plan: Plan) -> list[str]:
    """Notes on files that an import would not use, as far as that is known before any log is read.

    An import itself prints them.
    """
    trees = {session.tree.folder: session.tree for session in plan.sessions}
    return [visible(f"note: {note}") for tree in trees.values() for note in tree.notes]


def _table(plan: Plan) -> list[str]:
    names = in_order(name for one in plan.described for name in one.factors)
    roles = any(one.roles for one in plan.described)
    rows = [("session", "case", *names, *(["roles"] if roles else []))]
    for session in plan.sessions:
        for one in session.described:
            cells = [
                level(name, one.factors[name]).shown if name in one.factors else _NOT_ONE for name in names
            ]
            further = [one.shown_roles or _NOT_ONE] if roles else []
            rows.append((session.label, one.result.case, *cells, *further))
    cleaned = [tuple(map(clean, row)) for row in rows]
    sizes = [max(map(columns_of, column)) for column in zip(*cleaned, strict=True)]
    return ["  ".join(map(pad, row, sizes)).rstrip() for row in cleaned]


def _why(plan: Plan) -> list[str]:
    """Where each factor was found: a line for each way. A factor in its usual place needs none."""
    shown = {name for one in plan.described for name in one.factors} | {"roles"}
    said = dict.fromkeys((name, why) for one in plan.described for name, why in one.why.items())
    return [
        clean(f"  {name}: {why}")
        for name, why in said
        if name in shown and (name not in _UNEXPLAINED or why.startswith(GIVEN))
    ]


def unknown(plan: Plan) -> list[str]:
    """One line for each factor that some results do not have, with the option that gives it."""
    told = []
    for name in in_order(name for one in plan.described for name in one.factors):
        lacking = [
            f"{session.label} {one.result.case}"
            for session in plan.sessions
            for one in session.described
            if one.factors.get(name) == ""
        ]
        if not lacking:
            continue
        levels = levels_of(name, [{name: level(name, one.factors.get(name, ""))} for one in plan.described])
        known = [one.text for one in levels if one.known]
        beside = f", where others beside it have {_some(known)}" if known else ""
        # `given` takes a text with a brace for a pattern, and one that ends in .toml for a file
        example = next((one for one in known if "{" not in one and not one.endswith(".toml")), "VALUE")
        word = quote(f"{name}={example}")
        told.append(clean(f"{name} is not known in {_some(lacking)}{beside}. To set it: --factors {word}"))
    return told


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MOST_PLACES} more" if len(texts) > _MOST_PLACES else ""
    return ", ".join(texts[:_MOST_PLACES]) + more
