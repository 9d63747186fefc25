"""Dates as shell scripts write them, in all the forms and zones that mean one moment."""

import datetime
import zoneinfo

import pytest

from fwdtui.core.parse.dates import parse

WINTER, SUMMER = "2016-01-18", "2016-07-18"


@pytest.mark.parametrize(
    ("name", "place", "day"),
    [
        ("UTC", "Etc/UTC", WINTER),
        ("GMT", "Europe/London", WINTER),
        ("WET", "Europe/Lisbon", WINTER),
        ("WEST", "Europe/Lisbon", SUMMER),
        ("CET", "Europe/Paris", WINTER),
        ("CEST", "Europe/Paris", SUMMER),
        ("EET", "Europe/Helsinki", WINTER),
        ("EEST", "Europe/Helsinki", SUMMER),
        ("EST", "America/New_York", WINTER),
        ("EDT", "America/New_York", SUMMER),
        ("CST", "America/Chicago", WINTER),
        ("CDT", "America/Chicago", SUMMER),
        ("MST", "America/Denver", WINTER),
        ("MDT", "America/Denver", SUMMER),
        ("PST", "America/Los_Angeles", WINTER),
        ("PDT", "America/Los_Angeles", SUMMER),
    ],
)
def test_a_zone_is_as_far_from_greenwich_as_the_places_that_use_it(name: str, place: str, day: str) -> None:
    there = datetime.datetime.fromisoformat(f"{day}T16:02:56").replace(tzinfo=zoneinfo.ZoneInfo(place))
    assert there.tzname() == name
    month = there.strftime("%b")
    assert parse(f"Mon {month} 18 16:02:56 {name} 2016") == there.isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "Fri Mar 18 16:02:56 CET 2016",
        "March 18, 2016 at 04:02:56 PM CET",
        "Mar 18, 2016, 4:02:56 p.m. +0100",
        "Fri, 18 Mar 2016 16:02:56 +01:00",
        "2016-03-18T16:02:56+01:00",
        "  Fri  Mar 18\t16:02:56 CET 2016\n",
    ],
)
def test_each_form_gives_the_moment(text: str) -> None:
    assert parse(text) == "2016-03-18T16:02:56+01:00"


@pytest.mark.parametrize(
    ("hour", "expected"), [("12", "00"), ("1", "01"), ("11", "11"), ("0", ""), ("13", "")]
)
def test_before_noon_there_are_hours_one_to_twelve(hour: str, expected: str) -> None:
    found = parse(f"March 18, 2016 at {hour}:30:00 AM UTC")
    assert found == (expected and f"2016-03-18T{expected}:30:00+00:00")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2016-03-18T16:02:56",  # no zone
        "Fri Mar 18 16:02:56 IST 2016",  # Israel, India or Ireland
        "Fri Feb 30 16:02:56 CET 2016",
        "Fri Foo 18 16:02:56 CET 2016",
        "Fri Mar 18 16:02:56 +2400 2016",
        "Fri Mar 18 24:02:56 CET 2016",
        "Fri Mar 18 16:02:56 CET 2016" + " " * 40 + "x" * 40,
    ],
)
def test_what_is_no_certain_moment_is_none(text: str) -> None:
    assert parse(text) == ""


@pytest.mark.parametrize(("zone", "found"), [("+2359", "+23:59"), ("-0730", "-07:30"), ("+0000", "+00:00")])
def test_an_offset_is_hours_and_minutes(zone: str, found: str) -> None:
    assert parse(f"Fri Mar 18 16:02:56 {zone} 2016") == f"2016-03-18T16:02:56{found}"


@pytest.mark.parametrize(("length", "read"), [(43, True), (59, True), (60, True), (61, False), (90, False)])
def test_up_to_sixty_characters_may_be_a_date(length: int, read: bool) -> None:
    found = parse("Fri Mar 18 16:02:56 CET 2016".ljust(length))
    assert found == ("2016-03-18T16:02:56+01:00" if read else "")


def test_without_seconds_it_is_the_full_minute() -> None:
    assert parse("March 18, 2016 at 04:02 PM CET") == "2016-03-18T16:02:00+01:00"
