"""An event is told with its host, once, and with the name of its tool, once."""

import pytest

from fwdtui.core.event_text import told
from fwdtui.core.model import EventSample


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("link-down", "ix0: link is down", "gen: ix0: link is down"),
        ("note", "pkt-gen on gen: 0 pps for 5 s", "pkt-gen on gen: 0 pps for 5 s"),
        ("tool-ended", "pkt-gen on gen ended", "pkt-gen on gen ended"),
        ("note", "gen: no samples", "gen: no samples"),
        ("note", "pkt-gen was killed", "gen: pkt-gen was killed"),  # that is no name of the host
        ("note", "generation 2", "gen: generation 2"),
        ("note", "it stands on generators", "gen: it stands on generators"),
        ("note", "on gen-2 it failed", "gen: on gen-2 it failed"),
        ("note", "the next gen is slow", "gen: the next gen is slow"),  # nor is this
    ],
)
def test_a_text_gets_its_host_unless_it_names_it(code: str, text: str, said: str) -> None:
    assert told(EventSample(1.0, code, text, "gen")) == said
    assert told(EventSample(1.0, code, text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pkt-gen on gen: pkt-gen -f tx -i ix0", "started on gen: pkt-gen -f tx -i ix0"),
        ("pkt-gen on gen: doas /opt/pkt-gen -f tx", "started on gen: doas /opt/pkt-gen -f tx"),
        # the tool is not in the command, or only as a part of a word
        ("trafgen on gen: sh /tmp/send 8", "trafgen on gen: sh /tmp/send 8"),
        ("pkt-gen on gen: my-pkt-gen -f tx", "pkt-gen on gen: my-pkt-gen -f tx"),
        ("pkt-gen on sink: pkt-gen -f rx", "gen: pkt-gen on sink: pkt-gen -f rx"),
    ],
)  # fmt: skip
def test_a_start_names_its_tool_once(text: str, said: str) -> None:
    assert told(EventSample(1.0, "tool-started", text, "gen")) == said


def test_only_a_start_is_reworded() -> None:
    assert told(EventSample(1.0, "note", "top on gen: top ran", "gen")) == "top on gen: top ran"
