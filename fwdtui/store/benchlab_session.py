"""session.toml of an imported session: what a bench-lab tree says about the lab, and the factors."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import SCHEMA, Fact
from fwdtui.core.parse.dates import parse as parse_date
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.store import opening
from fwdtui.store.benchlab_factors import Described
from fwdtui.store.benchlab_plan import Planned
from fwdtui.store.benchlab_tree import Result
from fwdtui.store.schema import SESSION_FILE, CaseTable, SessionFile, encode_session

# cases for which a fact is listed one by one: session.toml must not outgrow what is read (opening.TEXT_MOST).
# With names or facts that are very long it does all the same; then none is
_MOST = 500


def file(
    planned: Planned, trim: str, tools: Mapping[str, Mapping[str, str]], cases: Collection[str]
) -> bytes:
    """session.toml as bytes. `tools`: case -> facts about the tools that made its logs; `cases`: all.

    Raises FwdtuiError if it would be larger than what is read of it.
    """
    of_session, of_cases = _factors(planned.described)
    whole = SessionFile(
        schema=SCHEMA,
        label=planned.label,
        created=_created(planned.results),
        imported=_now(),
        factors=of_session,
        cases={name: CaseTable(given) for name, given in of_cases.items() if given and name in cases},
    )
    for most in (_MOST, 0):
        facts = _facts(planned, trim, tools, most)
        header = encode_session(msgspec.structs.replace(whole, facts=facts))
        if len(header) <= opening.TEXT_MOST:
            return header
    raise FwdtuiError(
        f"{planned.target}: not imported: its {SESSION_FILE} would be larger than the "
        f"{opening.shown(opening.TEXT_MOST)} that is read of it, as it names {counted(len(cases), 'case')}; "
        "import parts of the tree one by one"
    )


def _factors(
    described: Sequence[Described],
) -> tuple[dict[str, FactorValue], dict[str, Mapping[str, FactorValue]]]:
    """The factors of a session and those of its cases: the image is the session's, if all have the same."""
    images = {one.factors.get("image", "") for one in described}
    of_session: dict[str, FactorValue] = {"image": images.pop()} if len(images) == 1 else {}
    of_session = {name: value for name, value in of_session.items() if value != ""}
    of_cases: dict[str, Mapping[str, FactorValue]] = {
        one.result.case: {name: value for name, value in one.factors.items() if name not in of_session}
        for one in described
    }
    return of_session, of_cases


def _facts(planned: Planned, trim: str, tools: Mapping[str, Mapping[str, str]], most: int) -> dict[str, Fact]:
    """What the tree says about the lab. Includes the folder's name, but not its path on this machine.

    What differs between more than `most` cases is left out.
    """
    name = clean(planned.tree.folder.name) or planned.place
    facts: dict[str, Fact] = {"imported_from": name, "trim": trim}
    if planned.place != name:  # other trees may have a folder of that name
        facts["imported_tree"] = planned.place
    infos = {one.case: one.info for one in planned.results if one.info is not None}
    for fact in ("image", "uname"):
        values = {case: text for case, info in infos.items() if (text := getattr(info, fact))}
        facts |= _by_case(fact, values, most)
    for case, info in infos.items() if len(infos) <= most else ():
        times = {f"started.{case}": info.started, f"ended.{case}": info.ended}
        facts |= {fact: value for fact, value in times.items() if value}
    for fact in dict.fromkeys(fact for of_case in tools.values() for fact in of_case):
        facts |= _by_case(fact, {case: of_case.get(fact, "") for case, of_case in tools.items()}, most)
    for kind in dict.fromkeys(kind for one in planned.described for kind in one.roles):
        name = f"generator{kind.removeprefix('sender')}.role"
        roles = {one.result.case: one.roles[kind] for one in planned.described if kind in one.roles}
        facts |= _by_case(name, roles, most)
    return facts


def _by_case(fact: str, values: Mapping[str, str], most: int) -> dict[str, Fact]:
    """A fact of the session or, where cases differ, of each case (``receiver.command.v6``). "": unknown."""
    if len(set(values.values())) == 1:
        return {fact: next(iter(values.values()))}
    if len(values) > most:
        return {}
    return {f"{fact}.{case}": value for case, value in values.items() if value}


def _created(results: Iterable[Result]) -> str:
    """When its first case began, according to .info; "" if no .info says: logs have no dates."""
    dates = [parse_date(result.info.started or "") for result in results if result.info is not None]
    known = [datetime.datetime.fromisoformat(text) for text in dates if text]
    return min(known).isoformat(timespec="seconds") if known else ""


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
