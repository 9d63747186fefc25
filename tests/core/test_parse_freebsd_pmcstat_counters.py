"""pmcstat's counters: the format of its sources, as no FreeBSD host with a PMU was at hand."""

from fixtures.freebsd import PMCSTAT_COUNTERS as TEXT

from fwdtui.core.parse.pmcstat_counters import PmcstatReader, parse_pmcstat_counters


def test_a_row_is_the_sum_over_all_cores() -> None:
    found = parse_pmcstat_counters(TEXT)
    assert found.value == (
        {"unhalted-cycles": 120, "instructions": 1200},
        {"unhalted-cycles": 122, "instructions": 1202},
    )
    assert not found.skipped


def test_the_header_that_comes_again_changes_nothing() -> None:
    assert len(parse_pmcstat_counters(f"{TEXT}\n{TEXT}").value) == 4


def test_counters_of_a_process_are_none_of_the_machine() -> None:
    found = parse_pmcstat_counters("# p/ instructions \n 5 \n")
    assert not found.value
    assert found.skipped == (
        "line 1: a header without system-wide counters: '# p/ instructions'",
        "line 2: not a row of the header's columns: '5'",
    )


def test_a_torn_row_is_skipped_and_said() -> None:
    found = parse_pmcstat_counters(TEXT + "  100   20 \n")
    assert len(found.value) == 2 and "not a row" in found.skipped[0]


def test_why_it_cannot_start_is_kept() -> None:
    reader = PmcstatReader()
    said = "pmcstat: ERROR: Initialization of the pmc(3) library failed: No such file or directory"
    assert reader.feed(said) is None
    assert reader.words == [said]
