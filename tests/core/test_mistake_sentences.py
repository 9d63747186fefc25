"""What is wrong in a file is told with its key, what belongs there and what stands there."""

from typing import Annotated, Any

import msgspec
import pytest

from fwdtui.core.mistakes import mistake


class Port(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    speed: Annotated[int, msgspec.Meta(ge=1)] = 1
    queue: int | str | None = None


class Plan(msgspec.Struct, forbid_unknown_fields=True):
    first: Port
    ports: list[Port] = []
    hosts: dict[str, Port] = {}
    limits: dict[str, int] = {}


FIRST = {"name": "e0"}


def told(plain: Any, path: str = "plan.toml", kind: Any = Plan) -> str:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(plain, Plan)
    return mistake(raised.value, plain, path, kind)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"prots": []}, "prots: unknown key; expected one of first, ports, hosts, limits"),
        ({"ports": {}}, "ports: expected an array, got a table"),
        ({"ports": [FIRST, 3]}, "ports[1]: expected a table, got an integer"),
        ({"ports": [FIRST, {"name": None}]}, "ports[1].name: expected a string, got null"),
        ({"first": {**FIRST, "queue": 1.5}},
         "first.queue: expected an integer or a string, got a number"),
        ({"first": {"name": "e0", "speed": 0}}, "first.speed: expected int >= 1"),
        ({"first": {}}, "first.name: missing"),
        ({"first": {**FIRST, "sped": 1}}, "first.sped: unknown key; expected one of name, speed, queue"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_key(more: dict[str, Any], sentence: str) -> None:
    assert told({"first": FIRST, **more}) == sentence


def test_null_is_expected_only_where_a_file_can_have_one() -> None:
    wrong = {"first": {**FIRST, "queue": 1.5}}
    assert told(wrong, "plan.json") == "first.queue: expected an integer, a string or null, got a number"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"hosts": {"a": FIRST, "b": {}}}, "hosts.b.name: missing"),
        ({"hosts": {"a": FIRST, "b": {**FIRST, "sped": 1}}},
         "hosts.b.sped: unknown key; expected one of name, speed, queue"),
        ({"hosts": {"a": FIRST, "b": True}}, "hosts.b: expected a table, got a boolean"),
        ({"limits": {"a": 1, "b": True, "c": 2}}, "limits.b: expected an integer, got a boolean"),
        ({"limits": {"a": 1, "b": [], "c": 2}}, "limits.b: expected an integer, got an array"),
    ],
)  # fmt: skip
def test_in_a_table_of_any_keys_the_wrong_one_is_named(more: dict[str, Any], sentence: str) -> None:
    """msgspec says only that it is one of them."""
    assert told({"first": FIRST, **more}) == sentence


def test_a_table_that_is_missing_is_said_to_be_one() -> None:
    assert told({}) == "first: missing; expected a table"
    assert told([]) == "expected a table, got an array"


def test_of_a_file_of_unknown_form_only_the_key_is_told() -> None:
    assert told({"first": FIRST, "prots": []}, kind=None) == "prots: unknown key"
    assert told({}, kind=None) == "first: missing"


def test_in_json_a_table_is_an_object() -> None:
    assert told({"first": 1}, "plan.json") == "first: expected an object, got an integer"
    assert told([], "plan.json") == "expected an object, got an array"


def test_a_value_that_no_file_can_hold_is_named_by_its_type() -> None:
    assert (
        told({"first": FIRST, "limits": {"a": 1, "b": b"x"}}) == "limits.b: expected an integer, got a bytes"
    )
