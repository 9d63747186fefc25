"""Moments as shell scripts write them with date(1): ``March 18, 2016 at 04:02:56 PM CET``."""

import datetime
import re

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ZONES = {
    # hours east of Greenwich; the American ones as RFC 5322 defines them. Ambiguous names (BST, IST, and most
    # of Asia's) are omitted: an error of half a day is worse than not knowing
    "UTC": 0,
    "GMT": 0,
    "WET": 0,
    "WEST": 1,
    "CET": 1,
    "CEST": 2,
    "EET": 2,
    "EEST": 3,
    "EDT": -4,
    "EST": -5,
    "CDT": -5,
    "CST": -6,
    "MDT": -6,
    "MST": -7,
    "PDT": -7,
    "PST": -8,
}
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
_ZONE = r"(?P<zone>[A-Z]{1,5}|[+-]\d\d:?\d\d)"
_NAME = r"(?:[A-Z][a-z]{2,8},? )?"  # of the day of the week
_MONTH = r"(?P<month>[A-Z][a-z]{2,8})\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})", r"(?P<year>\d{4})"
_FORMS = (
    f"{_NAME}{_MONTH} {_DAY},? {_TIME} {_ZONE} {_YEAR}",  # date(1): Fri Mar 18 16:02:56 CET 2016
    f"{_NAME}{_MONTH} {_DAY}, {_YEAR}(?: at|,)? {_TIME} {_ZONE}",  # March 18, 2016 at 04:02:56 PM CET
    f"{_NAME}{_DAY} {_MONTH} {_YEAR} {_TIME} {_ZONE}",  # Fri, 18 Mar 2016 16:02:56 +0100
)
_PATTERNS = tuple(re.compile(form) for form in _FORMS)
_LONGEST = 60


def parse(text: str) -> str:
    """ISO 8601 with offset; "" if it is not a date or its zone is ambiguous. Never raises."""
    text = " ".join(text.split()) if len(text) <= _LONGEST else ""
    try:
        moment = datetime.datetime.fromisoformat(text) if text else None
        if moment is not None:
            return moment.isoformat(timespec="seconds") if moment.tzinfo else ""
    except ValueError:
        pass
    for pattern in _PATTERNS:
        if match := pattern.fullmatch(text):
            return _moment(match)
    return ""


def _moment(match: re.Match[str]) -> str:
    name, zone = match["month"][:3], _zone(match["zone"])
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    if zone is None or name not in _MONTHS:
        return ""
    try:
        return datetime.datetime(
            int(match["year"]),
            _MONTHS.index(name) + 1,
            int(match["day"]),
            hour,
            int(match["minute"]),
            int(match["second"] or 0),
            tzinfo=zone,
        ).isoformat(timespec="seconds")
    except ValueError:
        return ""


def _zone(text: str) -> datetime.timezone | None:
    if text[0] in "+-":
        digits = text[1:].replace(":", "")
        minutes = int(digits[:2]) * 60 + int(digits[2:])
        if minutes >= 24 * 60:
            return None
        return datetime.timezone(datetime.timedelta(minutes=minutes if text[0] == "+" else -minutes))
    hours = _ZONES.get(text)
    return None if hours is None else datetime.timezone(datetime.timedelta(hours=hours))
