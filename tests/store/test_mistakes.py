"""A wrong type in a file is named by its key, what belongs there and what stands there."""

from pathlib import Path

import pytest

from fwdtui.core import lab
from fwdtui.core.errors import FwdtuiError
from fwdtui.store.schema import decode_iteration, decode_session

SESSION = 'schema = 1\nlabel = "x"\ncreated = ""\n'
TOML = {
    'schema = "1"\nlabel = ""\ncreated = ""\n': "schema: expected an integer, got a string",
    "schema = 1\n": "label: missing",
    SESSION + "facts = 3\n": "facts: expected a table, got an integer",
    SESSION + "[facts]\na = 1\n[facts.b]\nc = 2\n": (
        "facts.b: expected a boolean, an integer, a number, a string or an array, got a table"
    ),
    SESSION + '[facts]\na = ["x", "y"]\nb = ["x", 2]\n': "facts.b[1]: expected a string, got an integer",
}
HEAD = '{"schema":1,"case":"a","index":1,"value":1,"unit":"","source":"","window":null,'
JSON = {
    "[]": "expected an object, got an array",
    '{"schema":1,"case":"a","index":1.5}': "index: expected an integer, got a number",
    HEAD + '"metrics":{"m":{"median":"x"}}}': "metrics.m.median: expected a number, got a string",
    HEAD + '"metrics":{},"warnings":[{"code":1}]}': "warnings[0].code: expected a string, got an integer",
    HEAD + '"metrics":{},"warnings":[{"code":"a"}]}': "warnings[0].text: missing",
    '{"a": ': "the JSON ends too early",
    '{"a": {"b": ' + "9" * 5000 + "}}": "a number in it is out of range",
}


@pytest.mark.parametrize("text, told", TOML.items(), ids=TOML.values())
def test_a_session_file(text, told):
    with pytest.raises(FwdtuiError) as wrong:
        decode_session(text.encode(), Path("session.toml"))
    assert str(wrong.value) == f"session.toml: {told}"


@pytest.mark.parametrize("text, told", JSON.items(), ids=JSON.values())
def test_an_iteration_file(text, told):
    with pytest.raises(FwdtuiError) as wrong:
        decode_iteration(text.encode(), "iteration.json")
    assert str(wrong.value) == f"iteration.json: {told}"


def test_a_byte_order_mark_at_the_start_is_no_mistake():
    assert decode_session(b"\xef\xbb\xbf" + SESSION.encode(), Path("session.toml")).label == "x"
    text = '[dut]\nhost = "d"\nin = "a"\nout = "b"\n'
    assert lab.parse("\ufeff" + text) == lab.parse(text)
