"""`nft list ruleset`, text and JSON."""

from dataclasses import replace
from pathlib import Path

import pytest
from fixtures import Agree, cases, linux

from fwdtui.core.parse.nft_ruleset import NftChain, NftCounter, NftRuleset, parse_nft_ruleset


def ruleset(captures: Path, name: str) -> NftRuleset:
    parsed = parse_nft_ruleset((captures / "linux" / f"nft-{name}.txt").read_text())
    assert parsed.skipped == ()
    return parsed.value


def ours(name: str) -> NftRuleset:
    parsed = parse_nft_ruleset(linux(f"nft-{name}"))
    assert parsed.skipped == ()
    return parsed.value


PINGS = NftCounter("inet", "lab", None, "pings", 5, 5 * 84)


@pytest.mark.parametrize("name", ["list", "a-list", "j-list"])
def test_tables_chains_rules_and_counters_are_the_same_in_every_form(name: str) -> None:
    found = ours(name)
    assert found.tables == ("inet lab",)
    assert found.rules == 3
    assert found.chains == (
        NftChain("inet", "lab", "arriving", 2, "input", "accept"),
        NftChain("inet", "lab", "through", 1, "forward", "drop"),
    )
    assert [replace(item, handle=None, rule=None) for item in found.counters] == [
        PINGS,
        NftCounter("inet", "lab", "arriving", None, 0, 0),
        NftCounter("inet", "lab", "through", None, 0, 0),
    ]


def test_handles_and_rule_texts_are_kept_where_they_are_printed() -> None:
    drop = ours("a-list").counters[1]
    assert drop.handle == 4
    assert drop.rule == 'iifname "east0" udp dport 7 counter packets 0 bytes 0 drop'
    assert ours("j-list").counters[1].handle == 4


def test_named_counters_alone() -> None:
    assert ours("list-counters").counters == (PINGS,)


def test_an_empty_ruleset_is_empty() -> None:
    assert parse_nft_ruleset("").value == NftRuleset()
    assert parse_nft_ruleset('{"nftables": [{"metainfo": {"version": "1.0.6"}}]}').value == NftRuleset()


def test_a_set_over_several_lines_counts_once_and_its_elements_are_no_rules() -> None:
    text = (
        "# Warning: table ip filter is managed by iptables-nft, do not touch!\n"
        "table ip filter {\n"
        "\tset bad {\n\t\ttype ipv4_addr\n\t\telements = { 192.0.2.1,\n\t\t\t     192.0.2.2 }\n\t}\n\n"
        "\tchain forward {\n\t\ttype filter hook forward priority filter; policy accept;\n"
        "\t\tip saddr @bad counter packets 3 bytes 4 drop "
        'comment "a } brace"\n'
        '\t\tip saddr 192.0.2.9 drop comment "{ no counter packets 9 bytes 9 {"\n'
        "\t\ttcp dport { 22,\n\t\t\t80 } accept\n"
        "\t\tjump other\n\t}\n\n\tchain other {\n\t}\n}\n"
    )
    parsed = parse_nft_ruleset(text)
    assert parsed.skipped == ()
    assert parsed.value.sets == 1
    assert [(chain.name, chain.rules) for chain in parsed.value.chains] == [("forward", 4), ("other", 0)]
    assert [(item.packets, item.bytes) for item in parsed.value.counters] == [(3, 4)]


def test_the_lab_s_ingress_chain_is_read() -> None:
    text = (
        'table netdev sink {\n\tchain in {\n\t\ttype filter hook ingress device "sink0" priority filter;'
        " policy accept;\n\t\tip daddr 198.19.16.0/20 counter packets 4167792 bytes 191718432 drop\n\t}\n}\n"
    )
    found = parse_nft_ruleset(text).value
    assert found.chains == (NftChain("netdev", "sink", "in", 1, "ingress", "accept"),)
    assert found.counters[0].packets == 4167792


def test_a_ruleset_that_ends_in_the_middle_is_said_to() -> None:
    parsed = parse_nft_ruleset("table ip t {\n\tchain c {\n\t\tcounter packets 5 bytes 6 drop\n")
    assert "the ruleset ends in the middle" in parsed.skipped
    assert parsed.value.rules == 1


def test_an_error_gives_nothing_and_is_said() -> None:
    parsed = parse_nft_ruleset("Operation not permitted (you must be root)\nnetlink: Error: cache failed\n")
    assert parsed.value == NftRuleset()
    assert len(parsed.skipped) == 2


def test_json_counters_that_are_no_numbers_are_missing() -> None:
    text = (
        '{"nftables":[{"rule":{"family":"ip","table":"t","chain":"c","expr":['
        '{"counter":{"packets":-1,"bytes":2}},{"counter":null},{"counter":{"packets":true,"bytes":1}}]}},'
        '{"rule":{"family":"ip\\u001b[31m","table":"t","chain":"c"}},{"chain":{"name":"x"}}]}'
    )
    parsed = parse_nft_ruleset(text)
    assert parsed.value.counters == ()
    assert parsed.value.rules == 2
    assert len(parsed.skipped) == 1
    assert "\x1b" not in parsed.value.chains[1].family


def test_sets_and_maps_are_counted_and_a_chain_needs_a_name() -> None:
    text = (
        "table inet f {\n\tset a {\n\t\ttype ipv4_addr\n\t}\n\tmap b {\n\t\ttype ipv4_addr : mark\n\t}\n"
        "\tchain {\n\t\taccept\n\t}\n\tchain c {\n\t\taccept\n\t}\n}\n"
    )
    found = parse_nft_ruleset(text).value
    assert found.sets == 2
    assert [(chain.name, chain.rules) for chain in found.chains] == [("c", 1)]


def test_a_table_that_opens_more_than_itself_is_said() -> None:
    parsed = parse_nft_ruleset("table inet f { chain c {\n")
    assert parsed.value.tables == () and "not a table" in parsed.skipped[0]


# the same in real results


@cases("name", ["list-ruleset-counters", "a-list-ruleset-counters", "j-list-ruleset-counters"])
def real_tables_chains_rules_and_counters_are_the_same_in_every_form(captures: Path, name: str) -> None:
    found = ruleset(captures, name)
    assert found.tables == ("inet filter",)
    assert found.rules == 4
    assert found.chains == (
        NftChain("inet", "filter", "input", 3, "input", "accept"),
        NftChain("inet", "filter", "forward", 1, "forward", "drop"),
    )
    assert [replace(item, handle=None, rule=None) for item in found.counters] == [
        NftCounter("inet", "filter", None, "c_named", 1, 84),
        NftCounter("inet", "filter", "input", None, 5000, 230000),
        NftCounter("inet", "filter", "input", None, 1, 84),
        NftCounter("inet", "filter", "forward", None, 0, 0),
    ]


def real_handles_and_rule_texts_are_kept_where_they_are_printed(captures: Path) -> None:
    drop = ruleset(captures, "a-list-ruleset-counters").counters[1]
    assert drop.handle == 4
    assert drop.rule == 'iifname "vethB" udp dport 9 counter packets 5000 bytes 230000 drop'
    assert ruleset(captures, "j-list-ruleset-counters").counters[1].handle == 4


def real_named_counters_alone(captures: Path) -> None:
    assert ruleset(captures, "list-counters").counters == (
        NftCounter("inet", "filter", None, "c_named", 1, 84),
    )


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_tables_chains_rules_and_counters_are_the_same_in_every_form,
        real_handles_and_rule_texts_are_kept_where_they_are_printed,
        real_named_counters_alone,
    )


def test_a_json_chain_without_rules_has_none_and_one_that_only_rules_name_is_a_chain() -> None:
    found = parse_nft_ruleset(
        '{"nftables":[{"table":{"family":"ip","name":"t"}},'
        '{"chain":{"family":"ip","table":"t","name":"empty"}},'
        '{"rule":{"family":"ip","table":"t","chain":"c","expr":[]}},'
        '{"rule":{"family":"ip","table":"t","chain":"c","expr":[]}},'
        '{"set":{"family":"ip","table":"t","name":"s"}},{"map":{"family":"ip","table":"t","name":"m"}},'
        '{"quota":{"family":"ip","table":"t","name":"q"}}]}'
    ).value
    assert found.tables == ("ip t",)
    assert found.chains == (NftChain("ip", "t", "empty", 0), NftChain("ip", "t", "c", 2))
    assert (found.rules, found.sets, found.counters) == (2, 2, ())
    assert NftChain("ip", "t", "c") == NftChain("ip", "t", "c", 0), "no rules but those that are listed"


def test_what_cannot_be_read_is_told_with_its_line() -> None:
    text = "table ip t {\n\tset s {\n\t\telements = { 1,\n\t\t\t2 } } } }\n}\nrubbish\n"
    parsed = parse_nft_ruleset(text)
    assert parsed.skipped == (
        "line 4: more braces closed than opened: '2 } } } }'",
        "line 5: not a table: '}'",
        "line 6: not a table: 'rubbish'",
    )


def test_a_json_ruleset_that_is_cut_off_says_so() -> None:
    parsed = parse_nft_ruleset('{"nftables": [')
    assert parsed.value == NftRuleset() and parsed.skipped[0].startswith("not JSON: ")


def test_comments_and_properties_of_a_chain_are_no_rules() -> None:
    text = (
        'table inet f {\n\tcomment "x"\n\tct helper ftp {\n\t\ttype "ftp" protocol tcp\n\t}\n'
        "\tcounter n {\n\t\tpackets 1 bytes 2\n\t}\n"
        '\tchain c { # handle 7\n\t\tcomment "y"\n\t\ttype filter hook forward priority 0;\n'
        "\t\tpolicy drop;\n\t\tdevices = { a, b }\n\t\tflags offload\n\t\taccept # handle 9\n\t}\n}\n"
    )
    parsed = parse_nft_ruleset(text)
    assert parsed.skipped == ()
    assert parsed.value.chains == (NftChain("inet", "f", "c", 1, "forward", None),)
    assert parsed.value.counters == (NftCounter("inet", "f", None, "n", 1, 2),)
