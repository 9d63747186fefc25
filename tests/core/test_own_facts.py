"""Which facts an iteration has of its own, beside those of its session."""

from fwdtui.core.own_facts import own_facts


def test_what_has_changed_or_is_new_is_the_iterations_own() -> None:
    assert own_facts({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": True}) == {"b": 3, "c": True}


def test_what_the_host_does_not_have_any_more_is_gone() -> None:
    known = {"a": 1, "if.x": "1", "if.y": "2"}
    assert own_facts(known, {"if.y": "2"}, {"a", "if.", "never"}) == {"a": "–", "if.x": "–"}
    assert own_facts(known, known, {"a", "if."}) == {}, "what is there is not gone, whoever says so"


def test_what_was_not_read_this_once_is_not_gone() -> None:
    assert own_facts({"a": 1, "b": 2}, {"a": 1}) == {}
