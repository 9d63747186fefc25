"""However the bytes are cut, the lines are the same, and no line can eat the memory."""

from hypothesis import given
from hypothesis import strategies as st

from fwdtui.transport.lines import LineSplitter


def lines_of(chunks: list[bytes], limit: int) -> tuple[list[bytes], int]:
    splitter = LineSplitter(limit)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return lines + splitter.finish(), splitter.oversize


@given(st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"x", b"\n")), max_size=20))
def test_chunks_make_no_difference(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    parts = whole.split(b"\n")
    kept = [part for part in parts[:-1] if len(part) <= 8]
    if parts[-1] and len(parts[-1]) <= 8:
        kept.append(parts[-1])
    lines, oversize = lines_of(chunks, limit=8)
    assert lines == kept
    assert oversize == sum(len(part) > 8 for part in parts)
    assert lines_of([whole], limit=8) == (lines, oversize)


def test_a_line_of_ten_megabytes_is_dropped_whole_and_counted_once() -> None:
    splitter = LineSplitter()
    lines = splitter.feed(b"1\n")
    for _ in range(320):
        lines += splitter.feed(b"9" * 32768)
        assert len(splitter._tail) <= splitter.limit
    lines += splitter.feed(b"\n2\n")
    assert (lines, splitter.oversize) == ([b"1", b"2"], 1)
