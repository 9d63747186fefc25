"""What a sampler prints, cut into frames: whole ones only, whatever else is printed."""

import re

from hypothesis import given
from hypothesis import strategies as st

from fwdtui.collectors.answers import ask
from fwdtui.collectors.frames import FrameReader
from fwdtui.transport.base import Completed

WHOLE = [b"@T B 12 P", b"@T dev", b"eth0: 1 2", b"lo: 3", b"@T stat", b"cpu0 1", b"@T E 12"]


def fed(*lines: bytes) -> tuple[list, FrameReader]:
    reader = FrameReader("T")
    return [frame for line in lines if (frame := reader.feed(line))], reader


def test_a_frame_has_its_number_its_kind_and_its_sections() -> None:
    (frame,), reader = fed(*WHOLE)
    assert (frame.seq, frame.kind) == (12, "P")
    assert dict(frame.sections) == {"dev": "eth0: 1 2\nlo: 3", "stat": "cpu0 1"}
    assert frame.text("nothing") == ""
    assert reader.broken == 0


def test_a_frame_that_is_cut_short_is_none() -> None:
    for cut in range(1, len(WHOLE)):
        frames, reader = fed(*WHOLE[:cut], *WHOLE)
        assert len(frames) == 1 and len(frames[0].sections) == 2
        assert reader.broken == 1


def test_the_end_of_another_frame_does_not_complete_this_one() -> None:
    frames, reader = fed(*WHOLE[:-1], b"@T E 13")
    assert frames == [] and reader.broken == 1


def test_another_samplers_marks_are_content() -> None:
    (frame,), _ = fed(b"@T B 1 M", b"@T messages", b"@U E 1", b"@T1 B 2 P", b"@T E 1")
    assert frame.text("messages") == "@U E 1\n@T1 B 2 P"


def test_bytes_that_are_no_text_stay_visible() -> None:
    (frame,), _ = fed(b"@T B 1 M", b"@T messages", b"\xff\x00\x1b[2J", b"@T E 1")
    assert frame.text("messages").startswith("\\xff")


def test_what_stands_before_the_first_frame_is_kept_to_say_what_went_wrong() -> None:
    _, reader = fed(b"sh: awk: not found\x1b[1m", b"", *[b"noise"] * 50)
    assert reader.stray[0] == "sh: awk: not found[1m"
    assert len(reader.stray) == 5


def test_a_frame_without_end_does_not_fill_the_memory() -> None:
    reader = FrameReader("T")
    for line in (b"@T B 1 P", b"@T dev"):
        reader.feed(line)
    block = b"x" * 60_000
    for _ in range(200):
        assert reader.feed(block) is None
    assert reader.broken == 1
    assert reader.feed(b"@T E 1") is None
    assert [f.seq for line in WHOLE if (f := reader.feed(line))] == [12]


@given(st.lists(st.one_of(st.binary(max_size=30), st.sampled_from(WHOLE))))
def test_nothing_that_is_printed_raises(lines: list[bytes]) -> None:
    reader = FrameReader("T")
    for line in lines:
        reader.feed(line)


async def test_an_answer_of_many_megabytes_is_read_up_to_its_limit() -> None:
    """One large set of nft would else take all other sections with it."""

    class Large:
        async def run(self, script: str, **_: object) -> Completed:
            mark = re.search(r"@[0-9a-f]{16} ", script)
            assert mark is not None
            rules = b"rule\n" * ((9 << 20) // 5)
            parts = [b"B 0 F\n", b"nft\n", rules, b"sysctl\na=1\n", b"E 0\n"]
            text = b"".join(b"\n" + mark[0].encode() + part if part != rules else part for part in parts)
            return Completed(text, b"", 0)

    found = await ask(Large(), "true", limit=16 << 20)  # type: ignore[arg-type]
    assert len(found.text("nft")) > 9_000_000 and found.text("sysctl").strip() == "a=1"
