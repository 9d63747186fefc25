"""docs/hygiene.md has every rule as the program applies it."""

from pathlib import Path

import pytest

from fwdtui.core.findings import SEVERITIES
from fwdtui.core.hygiene.rules import RULES

DOCS = Path(__file__).resolve().parents[2] / "docs" / "hygiene.md"


@pytest.mark.parametrize("system", RULES)
def test_the_table_of_a_system_is_its_rules_worst_first(system: str) -> None:
    title = {"linux": "### Linux\n", "freebsd": "### FreeBSD\n"}[system]
    section = DOCS.read_text().partition(title)[2].partition("\n#")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    ordered = sorted(RULES[system], key=lambda rule: SEVERITIES.index(rule.severity))
    assert rows == [
        f"| `{rule.code}` | {rule.severity} | {rule.when} | {rule.why} | {rule.source} |" for rule in ordered
    ]


@pytest.mark.parametrize("system", RULES)
def test_a_code_is_a_word_that_no_other_rule_of_the_system_has(system: str) -> None:
    codes = [rule.code for rule in RULES[system]]
    assert len(codes) == len(set(codes))
    assert all(code.replace("-", "").isalpha() and code.islower() for code in codes)
