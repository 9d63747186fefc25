"""How settings of two sides differ, which of them could not be compared, and how one sentence says it."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.check.claims import claims_in
from fwdtui.core.host_settings import EVERYTHING, SECRET, HostSettings, SettingsSource
from fwdtui.report.settings_difference import Difference, NotCompared, SettingsDifference, Varying, compare
from fwdtui.report.settings_lines import MOST, unified
from fwdtui.report.settings_wording import changes, folded, remarks, sentence, told

LABELS = ("r1", "r2")


def host(*sources: SettingsSource, roles: tuple[str, ...] = ("dut",)) -> HostSettings:
    return HostSettings("h", roles=roles, sources=sources)


def sysctl(**values: str) -> SettingsSource:
    return SettingsSource("sysctl", {key.replace("__", "."): value for key, value in values.items()})


def of(base: list[HostSettings], other: list[HostSettings]) -> SettingsDifference:
    return compare(base, other, LABELS, ["inet4"])


def between(base: SettingsSource, other: SettingsSource) -> SettingsDifference:
    return of([host(base)], [host(other)])


IGB = [f"dev.igb.{number}.iflib.tx_abdicate" for number in range(3)]
MANY = {f"net.x{number}": "1" for number in range(1201)}


def test_the_sentence_of_the_issue() -> None:
    base, other = (dict.fromkeys(IGB, value) for value in "01")
    found = between(SettingsSource("sysctl", MANY | base), SettingsSource("sysctl", MANY | other))
    assert f"{sentence(found)}." == (
        "The only difference found in 1,204 settings is dev.igb.{0,1,2}.iflib.tx_abdicate: 0 -> 1."
    )


def test_what_a_file_sets_and_the_kernel_then_has_is_one_difference() -> None:
    file = SettingsSource("/etc/sysctl.conf", dict.fromkeys(IGB, "1"))
    base = host(sysctl(**dict.fromkeys(IGB, "0")), SettingsSource("/etc/sysctl.conf", absent=True))
    found = of([base], [host(sysctl(**dict.fromkeys(IGB, "1")), file)])
    assert sentence(found) == (
        "The only difference found in 6 settings is "
        "dev.igb.{0,1,2}.iflib.tx_abdicate: 0 -> 1 (sysctl, /etc/sysctl.conf)"
    )
    # a file that says something else is another difference
    found = of([base], [host(sysctl(**dict.fromkeys(IGB, "2")), file)])
    assert sentence(found) == (
        "2 differences found in 6 settings: dev.igb.{0,1,2}.iflib.tx_abdicate: 0 -> 2; "
        "dev.igb.{0,1,2}.iflib.tx_abdicate: not set -> 1 (/etc/sysctl.conf)"
    )


def test_the_loaders_variables_only_repeat_its_files() -> None:
    def loaded(value: str) -> HostSettings:
        values = {"net.isr.maxthreads": value}
        return host(*(SettingsSource(name, values) for name in ("/boot/loader.conf", "kenv")))

    assert sentence(of([loaded("1")], [loaded("4")])) == (
        "The only difference found in 2 settings is net.isr.maxthreads: 1 -> 4 (/boot/loader.conf)"
    )
    alone = between(SettingsSource("kenv", {"a": "1"}), SettingsSource("kenv", {"a": "2"}))
    assert sentence(alone) == "The only difference found in 1 setting is a: 1 -> 2 (kenv)"


def test_no_difference_and_several() -> None:
    same = between(sysctl(a="1", b="2"), sysctl(a="1", b="2"))
    assert sentence(same) == "The 2 settings that were compared agree" and same.compared == 2
    assert not list(claims_in(1, f"{sentence(same)}.")), (
        "`check` reads no claim about what was measured in it"
    )
    base, other = ({f"net.{name}": value for name in "vwxyz"} for value in ("1", "a b"))
    found = between(sysctl(**base), sysctl(**other))
    assert sentence(found) == (
        '5 differences found in 5 settings: net.v: 1 -> "a b"; net.w: 1 -> "a b"; '
        'net.x: 1 -> "a b"; and 2 more'
    )


def test_a_setting_of_one_side_only_is_a_difference() -> None:
    found = between(sysctl(a="1", b=""), sysctl(a="1", c="2"))
    assert found.differences == (
        Difference("dut", "sysctl", "b", "", None),
        Difference("dut", "sysctl", "c", None, "2"),
    )
    assert sentence(found).endswith('b: "" -> not set; c: not set -> 2')


def test_files_alone_are_said_to_be_such() -> None:
    base = host(SettingsSource("/etc/rc.conf", {"a": "1"}), SettingsSource("/etc/sysctl.conf", {"b": "1"}))
    assert sentence(of([base], [base])) == "The 2 settings of 2 configuration files that were compared agree"


def test_hosts_are_compared_by_role_the_dut_first() -> None:
    one = [host(sysctl(a="1"), roles=("generator", "receiver")), host(sysctl(a="1"))]
    two = [
        host(sysctl(a="2")),
        host(sysctl(a="3"), roles=("generator",)),
        host(sysctl(a="1"), roles=("receiver",)),
    ]
    found = of(one, two)
    assert sentence(found) == (
        "2 differences found in 3 settings of 3 hosts: a: 1 -> 2; generator: a: 1 -> 3"
    )
    same = of(one, one)
    assert same.compared == 2 and same.roles == ("dut", "generator")  # one host with two roles counts once


# --- what could not be compared


def test_a_side_without_settings() -> None:
    assert sentence(of([host(sysctl(a="1"))], [])) == (
        "No settings were compared: the DUT (no settings of it in r2)"
    )
    both = [host(sysctl(a="1")), host(sysctl(a="1"), roles=("generator",))]
    assert sentence(of(both[:1], both)) == (
        "The 1 setting that was compared agrees; not compared: generator (no settings of it in r1)"
    )
    gone = host(SettingsSource(EVERYTHING, missing="dut: connection refused"))
    assert sentence(of([host(sysctl(a="1"))], [gone])) == (
        "No settings were compared: the DUT (not read in r2: dut: connection refused)"
    )


def test_a_source_that_is_missing_on_one_side_or_on_both() -> None:
    refused = SettingsSource("pf rules", missing="Permission denied")
    rules = SettingsSource("pf rules", {"rules": "pass"})
    for base, other, who in ((refused, rules, "r1"), (rules, refused, "r2")):
        found = of([host(sysctl(a="1"), base)], [host(sysctl(a="1"), other)])
        assert sentence(found) == (
            f"The 1 setting that was compared agrees; not compared: pf rules (Permission denied in {who})"
        )
    found = of([host(sysctl(a="1"), refused)], [host(sysctl(a="1"), refused)])
    assert found.not_compared == (
        NotCompared("dut", "pf rules", "Permission denied in r1"),
        NotCompared("dut", "pf rules", "Permission denied in r2"),
    )
    found = of([host(sysctl(a="1"))], [host(sysctl(a="1"), rules)])
    assert found.not_compared == (NotCompared("dut", "pf rules", "not read in r1"),)


def test_what_was_refused_on_one_side_is_not_known_though_the_other_has_nothing() -> None:
    refused = SettingsSource("pf rules", missing="Permission denied")
    for nothing in (SettingsSource("pf rules", absent=True), SettingsSource("pf rules")):
        found = of([host(sysctl(a="1"), refused)], [host(sysctl(a="1"), nothing)])
        assert found.not_compared == (NotCompared("dut", "pf rules", "Permission denied in r1"),)
    lacks = SettingsSource("pf rules", missing="not installed")
    assert of([host(sysctl(a="1"), lacks)], [host(sysctl(a="1"), nothing)]).not_compared == ()
    found = of([host(sysctl(a="1"), refused)], [host(sysctl(a="1"), lacks)])
    assert NotCompared("dut", "pf rules", "Permission denied in r1") in found.not_compared


@pytest.mark.parametrize("cause", ["not installed", "not supported"])
def test_what_neither_side_has_is_nothing_to_compare(cause: str) -> None:
    lacks = SettingsSource("nft", missing=cause)
    assert of([host(sysctl(a="1"), lacks)], [host(sysctl(a="1"), lacks)]).not_compared == ()
    has = SettingsSource("nft", {"ip t": "x"})
    found = of([host(sysctl(a="1"), lacks)], [host(sysctl(a="1"), has)])
    assert found.not_compared == (NotCompared("dut", "nft", f"{cause} in r1"),) and found.differences == ()


@pytest.mark.parametrize("name", ["nft", "iptables", "ip6tables", "pf status", "pf rules", "pf nat", "ipfw"])
def test_without_the_program_of_a_firewall_there_are_no_rules(name: str) -> None:
    lacks = SettingsSource(name, missing="not installed")
    assert of([host(sysctl(a="1"), lacks)], [host(sysctl(a="1"), lacks)]).not_compared == ()


def without_ethtool() -> list[SettingsSource]:
    return [
        SettingsSource(f"ethtool {option} {card}", missing="not installed")
        for card in ("eth0", "eth1")
        for option in ("-n", "-k", "-c", "-l", "-g", "-x", "-a")
    ]


def test_a_card_has_settings_also_where_there_is_no_ethtool_to_show_them() -> None:
    """Neither side shows its rings: nobody knows whether these agree."""
    side = [host(sysctl(a="1"), *without_ethtool())]
    found = of(side, side)
    assert len(found.not_compared) == 14 * 2
    assert found.not_compared[:2] == (
        NotCompared("dut", "ethtool -n eth0", "not installed in r1"),
        NotCompared("dut", "ethtool -n eth0", "not installed in r2"),
    )
    assert sentence(found) == (
        "The 1 setting that was compared agrees; not compared: ethtool (not installed in r1), "
        "ethtool (not installed in r2)"
    )
    assert remarks(found) == [
        "without ethtool nobody knows whether offloads, rings, queues, RSS, coalescing and flow "
        "control differ: install it on every host"
    ]


def test_what_the_cards_of_both_sides_do_not_support_is_nothing_to_compare() -> None:
    lacks = SettingsSource("ethtool -x eth0", missing="not supported")
    found = of([host(sysctl(a="1"), lacks)], [host(sysctl(a="1"), lacks)])
    assert found.not_compared == () and remarks(found) == []


def test_a_side_without_ethtool_is_not_known_to_have_what_the_other_shows_nothing_of() -> None:
    lacks, empty = (
        SettingsSource("ethtool -a eth0", missing="not installed"),
        SettingsSource("ethtool -a eth0"),
    )
    found = of([host(sysctl(a="1"), lacks)], [host(sysctl(a="1"), empty)])
    assert found.not_compared == (NotCompared("dut", "ethtool -a eth0", "not installed in r1"),)


def test_a_file_that_does_not_exist_sets_nothing() -> None:
    absent = SettingsSource("/etc/rc.conf.local", absent=True)
    there = SettingsSource("/etc/rc.conf.local", {"a": "1"})
    found = between(absent, there)
    assert found.differences == (Difference("dut", "/etc/rc.conf.local", "a", None, "1"),)
    assert between(absent, absent).not_compared == ()
    # not even where nobody looked for it on the other side
    assert of([host(sysctl(a="1"), absent)], [host(sysctl(a="1"))]).not_compared == ()


def test_secrets_are_counted_and_never_called_equal() -> None:
    found = between(sysctl(a=SECRET, b="1", c=f"x {SECRET}"), sysctl(a=SECRET, b="1", c=f"x {SECRET}"))
    assert (found.compared, found.secrets, found.differences) == (1, 2, ())
    assert remarks(found) == ["2 secrets are not kept, so nobody knows whether they differ"]
    found = between(sysctl(a=SECRET, c=f"x {SECRET}"), sysctl(a=SECRET, c=f"y {SECRET}"))
    assert remarks(found) == ["1 secret is not kept, so nobody knows whether it differs"]
    assert [one.key for one in found.differences] == ["c"]
    only = between(sysctl(a=SECRET), sysctl(a=SECRET))
    assert sentence(only) == "No settings were compared: they are secrets, or change by themselves"


def test_a_secret_that_an_older_session_kept_is_neither_told_nor_a_difference() -> None:
    """fwdtui knows more forms of secrets than it did when the first of these was recorded."""

    def rc_conf(arguments: str) -> SettingsSource:
        return SettingsSource("/etc/rc.conf", {"mysql_args": arguments, "gateway_enable": "YES"})

    kept, hidden = rc_conf("-phunter2 -u root"), rc_conf(f"-p{SECRET} -u root")
    for base, other in ((kept, hidden), (hidden, kept), (kept, rc_conf("-pother -u root"))):
        found = between(base, other)
        assert (found.compared, found.secrets, found.differences) == (1, 1, ())
    both = of([host(kept), host(hidden)], [host(hidden)])
    assert (both.secrets, both.varying) == (1, ())
    (other_user,) = between(kept, rc_conf(f"-p{SECRET} -u bench")).differences
    assert (other_user.base, other_user.other) == (f"-p{SECRET} -u root", f"-p{SECRET} -u bench")


def test_the_kernels_options_sound_like_secrets_and_are_none() -> None:
    options = [
        SettingsSource("kernel configuration", {"options DEBUG_KEY": text}) for text in ("1000", "2000")
    ]
    assert [(one.base, one.other) for one in between(*options).differences] == [("1000", "2000")]


def test_what_changes_by_itself_is_left_out_on_both_sides_and_counted() -> None:
    one = SettingsSource("sysctl", {"a": "1", "b": "2"}, volatile=7, unsteady=("c",))
    two = SettingsSource("sysctl", {"a": "1", "b": "2", "c": "5", "kern.cp_time": "9"}, volatile=5)
    found = between(one, two)
    assert (found.compared, found.differences, found.volatile) == (2, (), 7 + 1 + 1)
    assert remarks(found) == ["9 values that change by themselves are left out"]
    single = between(SettingsSource("sysctl", {"a": "1"}, volatile=1), sysctl(a="1"))
    assert remarks(single) == ["1 value that changes by itself is left out"]


def test_a_measured_clock_rate_that_an_older_session_kept_is_no_difference() -> None:
    base, other = ({"dev.cpu.0.freq": rate, "dev.hwpstate_intel.0.epp": "50"} for rate in ("3692", "3693"))
    found = between(SettingsSource("sysctl", base), SettingsSource("sysctl", other))
    assert (found.differences, found.volatile) == ((), 1)
    assert sentence(found) == "The 1 setting that was compared agrees"
    set_by_est = between(sysctl(dev__cpu__0__freq="2400"), sysctl(dev__cpu__0__freq="1800"))
    assert sentence(set_by_est) == "The only difference found in 1 setting is dev.cpu.0.freq: 2400 -> 1800"


def test_what_a_host_did_not_show_or_nobody_understood_is_told() -> None:
    one = SettingsSource("sysctl", {"a": "1"}, unread=("b", "c"), skipped=("line 7: not a setting",))
    found = between(one, sysctl(a="1", b="5", c="6"))
    assert found.differences == () and [item.reason for item in found.not_compared] == [
        "2 settings not readable in r1",
        "1 place not understood in r1",
    ]


def test_readings_of_one_side_that_do_not_agree_are_told_and_not_compared() -> None:
    file = [SettingsSource("/boot/loader.conf", {"net.isr.x": value}) for value in "41"]
    r2 = [host(sysctl(a="1", net__isr__x=value), one) for value, one in zip("41", file, strict=True)]
    found = of([host(sysctl(a="1", net__isr__x="4"), file[0])], r2)
    assert (found.compared, found.differences) == (1, ())
    assert found.varying == (
        Varying("r2", "dut", "sysctl", "net.isr.x", ("4", "1")),
        Varying("r2", "dut", "/boot/loader.conf", "net.isr.x", ("4", "1")),
    )
    assert sentence(found) == (
        "The 1 setting that was compared agrees; "
        "within r2 these differ: net.isr.x (4 and 1 in sysctl, /boot/loader.conf)"
    )
    # several sessions on both sides that agree among themselves are compared as one
    alike = of([host(sysctl(a="1")), host(sysctl(a="1"))], [host(sysctl(a="2")), host(sysctl(a="2"))])
    assert sentence(alike) == "The only difference found in 1 setting is a: 1 -> 2"


def test_readings_that_do_not_agree_are_told_for_each_interface_and_file() -> None:
    waits = [("3", "50"), ("10", "100")]
    r2 = [
        host(
            sysctl(a="1", net__x=after),
            SettingsSource("/etc/sysctl.conf", {"net.x": "7" + after}),
            *(SettingsSource(f"ethtool -c ix{port}", {"rx-usecs": wait}) for port, wait in enumerate(each)),
            *(SettingsSource(f"ethtool -k ix{port}", {"lro": on}) for port in range(2)),
        )
        for each, after, on in zip(waits, "12", ("on", "off"), strict=True)
    ]
    assert sentence(of(r2[:1], r2)).partition("within ")[2] == (
        "r2 these differ: net.x (1 and 2), net.x (71 and 72 in /etc/sysctl.conf), "
        "rx-usecs (3 and 10 in ethtool -c ix0), and 3 more"
    )
    ports = [host(*one.sources[2:]) for one in r2]
    assert sentence(of(ports[:1], ports)) == (
        "No settings were compared: within r2 these differ: rx-usecs (3 and 10 in ethtool -c ix0), "
        "rx-usecs (50 and 100 in ethtool -c ix1), lro (on and off in ethtool -k ix0), and 1 more"
    )


def test_a_source_that_one_reading_lacks_is_compared_by_the_others() -> None:
    refused = SettingsSource("sysctl", missing="no answer")
    found = of([host(refused), host(sysctl(a="1"))], [host(sysctl(a="2"))])
    assert sentence(found) == (
        "The only difference found in 1 setting is a: 1 -> 2; not compared: sysctl (no answer in r1)"
    )


# --- names and values


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["igb0", "igb1", "igb2"], ["igb{0,1,2}"]),
        (["igb2", "igb0"], ["igb{0,2}"]),
        ([f"q{number}.cpu" for number in range(16)], ["q{0..15}.cpu"]),
        ([f"q{number}" for number in range(4)], ["q{0,1,2,3}"]),
        ([f"q{number}" for number in range(5)], ["q{0..4}"]),
        ([f"q{number:02}" for number in range(12)], ["q{" + ",".join(f"{n:02}" for n in range(12)) + "}"]),
        (["a1b1", "a1b2", "a2b1", "a2b2"], ["a{1,2}b{1,2}"]),
        (["a1b1", "a1b2", "a2b1"], ["a{1,2}b1", "a1b2"]),
        (["net.x", "net.y"], ["net.x", "net.y"]),
        (["ix0", "igb0"], ["ix0", "igb0"]),
        ([], []),
    ],
)
def test_names_that_differ_in_their_numbers_alone_are_one(names: list[str], shown: list[str]) -> None:
    assert folded(names) == shown


def unfolded(name: str) -> list[str]:
    """What a folded name stands for."""
    parts: list[list[str]] = []
    for piece in name.replace("{", "\0{").replace("}", "\0").split("\0"):
        if not piece.startswith("{"):
            parts.append([piece])
        elif ".." in piece:
            first, last = map(int, piece[1:].split(".."))
            parts.append(list(map(str, range(first, last + 1))))
        else:
            parts.append(piece[1:].split(","))
    return ["".join(chosen) for chosen in product(*parts)]


NAMES = st.lists(st.from_regex(r"[ab][0-3](\.[xy][0-9]{1,2})?", fullmatch=True), unique=True, max_size=12)


@given(NAMES)
def test_a_folded_name_stands_for_each_of_the_names_and_for_no_other(names: list[str]) -> None:
    assert sorted(one for name in folded(names) for one in unfolded(name)) == sorted(names)


def test_only_the_same_change_is_folded() -> None:
    found = between(sysctl(dev__0__x="0", dev__1__x="0"), sysctl(dev__0__x="1", dev__1__x="2"))
    assert [one.text for one in changes(found.differences)] == ["dev.0.x: 0 -> 1", "dev.1.x: 0 -> 2"]


def test_rules_are_counted_in_lines_and_their_order_matters() -> None:
    def rules(text: str) -> SettingsSource:
        return SettingsSource("pf rules", {"rules": text})

    found = between(rules("pass a\nblock b\npass c"), rules("pass a\npass c\npass d"))
    assert sentence(found).endswith("is rules: 1 line more, 1 fewer (pf rules)")
    found = between(rules("pass a\nblock b"), rules("block b\npass a"))
    assert sentence(found).endswith("is rules: the same lines in another order (pf rules)")
    found = between(SettingsSource("pf rules"), rules("pass a\nblock b"))
    assert sentence(found).endswith("is rules: 2 lines more, 0 fewer (pf rules)")


def test_long_values_are_shortened_where_they_do_not_differ() -> None:
    base, other = (f"inet 198.18.0.205/24 {'-x ' * 40}end{mark} {'y' * 60}" for mark in "12")
    text = sentence(between(sysctl(a=base), sysctl(a=other)))
    assert "…1…" in text and "…2…" in text and len(text) < 220


def test_each_candidate_is_named_if_there_are_several_and_each_group_of_cases() -> None:
    one = SettingsDifference("r1", "r2", ("inet4", "inet6"), 1)
    assert told([one])[one] == "The 1 setting of 0 configuration files that was compared agrees."
    two = SettingsDifference("r1", "r3", ("inet4",), 1, (("dut", "sysctl"),))
    three = SettingsDifference("r1", "r3", ("inet6",), 2, (("dut", "sysctl"),))
    assert list(told([one, two, three]).values())[1:] == [
        "r3: inet4: The 1 setting that was compared agrees.",
        "r3: inet6: The 2 settings that were compared agree.",
    ]


# --- line by line


def test_the_unified_difference() -> None:
    base = host(
        sysctl(a="1", b="2"),
        SettingsSource("pf rules", {"rules": "pass 1\npass 2\npass 3\npass 4\npass 5\nblock"}),
        SettingsSource("kernel configuration", {"options X": "", "options Y": "1"}),
    )
    other = host(
        sysctl(a="1", c="3"),
        SettingsSource("pf rules", {"rules": "pass 1\npass 2\npass 3\npass 4\npass 5\npass 6\nblock"}),
        SettingsSource("kernel configuration", {"options Y": "2"}),
    )
    gen = [host(sysctl(g=value), roles=("generator",)) for value in "12"]
    assert unified(of([base, gen[0]], [other, gen[1]])) == [
        "--- r1",
        "+++ r2",
        "@@ sysctl @@",
        "-b: 2",
        "+c: 3",
        "@@ pf rules @@",
        " rules:",
        " ...",
        " pass 4",
        " pass 5",
        "+pass 6",
        " block",
        "@@ kernel configuration @@",
        "-options X",
        "-options Y: 1",
        "+options Y: 2",
        "@@ generator: sysctl @@",
        "-g: 1",
        "+g: 2",
    ]
    assert unified(of([base], [base])) == []


def test_it_is_bounded_and_a_long_list_takes_no_long_time() -> None:
    base, other = ({f"k{number}x": value for number in range(2000)} for value in "12")
    lines = unified(between(sysctl(**base), sysctl(**other)))
    assert len(lines) == MOST + 1 and lines[-1] == f"... and {4000 + 3 - MOST:,} more lines"
    rules = [
        SettingsSource("pf", {"rules": "\n".join(f"{n % 7} {mark}" for n in range(5000))}) for mark in "ab"
    ]
    lines = unified(between(*rules))
    assert lines[3] == " rules:" and lines[4].startswith("-")
