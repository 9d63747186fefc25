"""Any session written is read back equal."""

import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.model import Caution, Cost, Iteration, RateSample, Summary, Window
from fwdtui.core.text import clean
from fwdtui.monitor.replay.target import find
from fwdtui.report.iterations import iteration_folder
from fwdtui.store import SessionWriter, list_sessions, read_samples, read_session
from fwdtui.store.annotations import drop

rates = st.floats(0, 1e12)
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)
names = words.map(clean)
summaries = st.builds(Summary, median=rates, mean=rates, min=rates, max=rates, n=st.integers(1, 10**6))
windows = st.builds(
    Window,
    method=st.sampled_from(["steady", "netbenches"]),
    start=st.none() | rates,
    end=st.none() | rates,
    kept=st.integers(0, 1000),
    head=st.integers(0, 1000),
    tail=st.integers(0, 1000),
    notes=st.lists(words, max_size=3).map(tuple),
)
costs = st.builds(
    Cost,
    unit=words,
    scope=st.sampled_from(["dut", "machine"]),
    summary=st.none() | summaries,
    why=words,
    parts=st.dictionaries(words, rates, max_size=2),
    ticks=st.none() | st.integers(0, 10**9),
    enabled=st.none() | st.floats(0, 1),
)
iterations = st.builds(
    Iteration,
    index=st.just(0),
    value=st.none() | rates,
    source=words,
    origin=words,
    window=st.none() | windows,
    metrics=st.dictionaries(st.sampled_from(["offered", "forwarded", "received"]), summaries),
    warnings=st.lists(st.builds(Caution, words, words), max_size=3).map(tuple),
    costs=st.dictionaries(words, costs, max_size=2),
)
samples = st.lists(
    st.builds(
        RateSample,
        role=st.sampled_from(["generator", "receiver"]),
        t=rates,
        interval=rates,
        pps=rates,
        packets=st.none() | rates,
        bps=st.none() | rates,
    ),
    max_size=5,
).map(tuple)
facts = st.dictionaries(
    words.filter(bool),
    words | st.integers(-(2**62), 2**62) | st.booleans() | st.floats(-1e9, 1e9) | st.lists(words, max_size=3),
    max_size=4,
)
cases = st.dictionaries(
    names,
    st.lists(st.tuples(iterations, samples, st.binary(max_size=50)), min_size=1, max_size=3),
    max_size=3,
)


@settings(max_examples=120, deadline=None)
@given(label=names, facts=facts, cases=cases)
def test_any_session_written_is_read_back_equal(label, facts, cases):
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "session"
        written = {}
        with SessionWriter.create(
            folder, label=label, created="2026-01-02T03:04:05+00:00", facts=facts
        ) as writer:
            for case, contents in cases.items():
                for iteration, series, log in contents:
                    writing = writer.begin(case)
                    writing.append(*series)
                    writing.attach("receiver.log", log)
                    writing.commit(iteration)
                    written[case, writing.index] = (iteration, series, log, writing.folder)
        session = read_session(folder, verify=True)
        assert session.problems == ()
        assert (session.label, session.facts) == (label, facts)
        assert [case.name for case in session.cases] == sorted(cases)
        for case in session.cases:
            for iteration in case.iterations:
                original, series, log, place = written.pop((case.name, iteration.index))
                same = msgspec.structs.replace(iteration, index=0, files={})
                assert same == original
                assert read_samples(place).samples == series
                assert (place / "receiver.log").read_bytes() == log
        assert not written
        assert [found.path for found in list_sessions(Path(root))] == [str(folder)]


@pytest.mark.parametrize("case", ["session.toml", "annotations.toml", "Session.TOML", "recording-001.jsonl"])
def test_a_case_may_be_called_as_a_file_of_the_session(case, tmp_path):
    folder = tmp_path / "session"
    with SessionWriter.create(folder, label="a", created="2026-01-02T03:04:05+00:00") as writer:
        writer.check(case)
        writer.begin(case).commit(Iteration(0, 1000.0))
    drop(folder, case, 1, "a cable")
    session = read_session(folder, verify=True)
    assert session.problems == () and [one.name for one in session.cases] == [case]
    (kept,) = session.cases[0].iterations
    assert (kept.value, kept.dropped) == (1000.0, "a cable")
    place = Path(iteration_folder(session, session.cases[0], kept))
    assert (place / "iteration.json").is_file() and find(place).iteration == 1
    assert find(folder / case / "1").iteration is not None
