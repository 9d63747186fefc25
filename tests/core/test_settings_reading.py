"""What becomes of a text: settings of bounded size, without what changes by itself; and the model of them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core import settings_reading
from fwdtui.core.host_settings import SECRET, HostSettings, SettingsSource
from fwdtui.core.settings_files import kind_of
from fwdtui.core.settings_reading import PARSERS, source
from fwdtui.core.text import clean_lines, is_plain


def test_a_setting_is_named_by_its_source_and_its_key_in_the_order_of_the_text() -> None:
    host = HostSettings(
        "dut",
        sources=(
            source("sysctl.conf", "/etc/sysctl.conf", "b=2\na=1\n"),
            source("sysctl", "sysctl", "net.a: 1\nnet.password: x\n"),
        ),
    )
    assert list(host.settings()) == [
        ("/etc/sysctl.conf/b", "2"),
        ("/etc/sysctl.conf/a", "1"),
        ("sysctl/net.a", "1"),
        ("sysctl/net.password", SECRET),
    ]
    assert host.source("sysctl") is host.sources[1] and host.source("nft") is None
    assert [one.secrets for one in host.sources] == [0, 1]


def test_counters_are_left_out_and_counted() -> None:
    found = source("sysctl", "sysctl", "kern.boottime: x\ndev.ix.0.mac_stats.crc_errs: 0\ndev.ix.0.fc: 3\n")
    assert found.values == {"dev.ix.0.fc": "3"} and found.volatile == 2


def test_a_clock_rate_that_is_measured_is_left_out_and_one_that_is_set_is_kept() -> None:
    text = "dev.cpu.1.freq: 3692\ndev.cpu.0.freq: 3693\ndev.cpu.0.freq_levels: 3700/-1\n"
    measured = source("sysctl", "sysctl", f"{text}dev.hwpstate_intel.0.epp: 50\n", again=text)
    assert measured.values == {"dev.cpu.0.freq_levels": "3700/-1", "dev.hwpstate_intel.0.epp": "50"}
    assert measured.volatile == 2
    assert source("sysctl", "sysctl", text).values["dev.cpu.0.freq"] == "3693"


def test_a_value_that_is_seen_to_change_is_left_out_by_name() -> None:
    text = "net.a: 1\nnet.b: 5\nkern.cp_time: 9\nnet.gone: 1\n"
    found = source("sysctl", "sysctl", text, again="net.a: 1\nnet.b: 6\nkern.cp_time: 10\n")
    assert found.values == {"net.a": "1", "net.gone": "1"}
    assert found.unsteady == ("net.b",) and found.volatile == 1


def test_what_the_host_refused_is_named() -> None:
    found = source("sysctl", "sysctl", "net.a: 1\n", unread=["vm.x", "vm.y"])
    assert found.unread == ("vm.x", "vm.y")


def test_a_text_that_is_too_long_is_not_kept_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_reading, "TEXT_MOST", 1 << 20)
    assert source("sysctl.conf", "f", "a=1\n" + "#" * ((1 << 20) - 4)).values == {"a": "1"}
    found = source("sysctl.conf", "f", "a=1\n" + "#" * ((1 << 20) - 3))
    assert found.values == {} and found.missing == "longer than 1 MiB"


def test_a_value_that_is_too_long_is_kept_as_a_digest_that_can_be_compared() -> None:
    rules = "\n".join(f"pass in from 198.51.{number}.0/24" for number in range(600))[:16_384]
    assert source("pf", "pf rules", rules).values == {"rules": rules}
    first, second, third = (
        source("pf", "pf rules", text).values["rules"] for text in (f"{rules}x", f"{rules}y", f"{rules}x")
    )
    assert first == third != second
    assert "lines, too long to keep, digest " in first and len(first) < 80


def test_names_and_numbers_of_settings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    found = source("sysctl.conf", "f", f"{'z' * 300}=1\n{'y' * 301}=1\n")
    assert list(found.values) == ["z" * 300] and found.skipped == ("a name that is too long",)
    monkeypatch.setattr(settings_reading, "SETTINGS_MOST", 2)
    found = source("sysctl.conf", "f", "a=1\nb=2\nc=3\n")
    assert found.values == {"a": "1", "b": "2"} and found.skipped == ("too many settings",)


def host(**values: str) -> HostSettings:
    return HostSettings("dut", taken="2026-01-01T00:00:00+00:00", sources=(SettingsSource("sysctl", values),))


def test_two_readings_are_the_same_if_they_say_the_same() -> None:
    later = msgspec.structs.replace(host(a="1"), taken="2026-01-02T00:00:00+00:00")
    assert host(a="1").same_as(later)
    assert not host(a="1").same_as(host(a="2"))
    assert not host(a="1").same_as(host(a="1", b="2"))
    assert not host(a="1").same_as(msgspec.structs.replace(later, sources=()))
    for change in ({"missing": "refused"}, {"absent": True}, {"name": "nft"}):
        other = msgspec.structs.replace(later.sources[0], **change)
        assert not host(a="1").same_as(msgspec.structs.replace(later, sources=(other,)))


@pytest.mark.parametrize("aside", ["unsteady", "unread"])
def test_what_changes_by_itself_or_was_not_shown_makes_no_difference(aside: str) -> None:
    other = HostSettings("dut", sources=(SettingsSource("sysctl", {"a": "1"}, **{aside: ("b",)}),))
    assert other.same_as(host(a="1", b="5")) and host(a="1", b="5").same_as(other)
    assert not other.same_as(host(a="2", b="5"))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/rc.conf", "rc.conf"),
        ("/etc/rc.conf.misc", "rc.conf"),
        ("/etc/rc.conf.d/netif", "rc.conf"),
        ("/etc/defaults/vendor.conf", "rc.conf"),
        ("/etc/defaults/rc.conf", None),
        ("/boot/loader.conf.local", "loader.conf"),
        ("/etc/sysctl.d/50-pid-max.conf", "sysctl.conf"),
        ("/etc/rc.conf.misc", "rc.conf"),
        ("/usr/local/etc/rc.conf.d/powerd", "rc.conf"),
        ("/boot/loader.conf.d/nic.conf", "loader.conf"),
        # nothing reads these on a host
        ("/etc/rc.conf.orig", None),
        ("/etc/rc.conf.d/powerd.bak", None),
        ("/etc/rc.conf.d/README", None),
        ("/boot/loader.conf.bak", None),
        ("/boot/loader.conf.d/nic.conf~", None),
        ("/etc/sysctl.conf~", None),
        ("/etc/sysctl.d/README", None),
        ("/etc/pf.conf.sample", None),
        ("/etc/ipfw.rules.old", None),
        ("/etc/pf.conf", "pf"),
        ("/etc/wireguard/wg0.conf", None),
        ("/etc/ssh/ssh_host_key", None),
        ("etc/rc.conf", None),
    ],
)
def test_only_known_files_are_read(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind


PIECES = st.sampled_from(
    [
        *"=\"'{}<>[]:;#\\\n\t ",
        *("a", "1", "if ", "fi\n", "table ip t {\n", "chain c {\n", "*filter\n", "--", "x" * 400, "\r\n"),
        *("eth0: flags=1<UP> mtu 1\n", "2: eth0: <UP> mtu 1\n", "CONFIG_A=y\n", "options\tX=1,Y\n"),
        *("RSS hash key:\n", "a.b: c\n", "./a/b:1\n", "a = 1\n", "-----BEGIN X-----\n"),
        *("\x1b[2J", "\u202e", "\ud800"),
    ]
)


@given(st.sampled_from(sorted(PARSERS)), st.lists(PIECES, max_size=30).map("".join))
def test_no_text_makes_it_raise_or_passes_on_what_a_terminal_obeys(kind: str, text: str) -> None:
    for found in (source(kind, "x", text), source(kind, "sysctl", text, names=["a.b"], again=text[::-1])):
        for key, value in found.values.items():
            assert is_plain(key) and clean_lines(value) == value
        assert all(map(is_plain, (*found.skipped, *found.unsteady)))
        assert msgspec.json.decode(msgspec.json.encode(found), type=SettingsSource) == found


@given(st.sampled_from(sorted(PARSERS)), st.lists(PIECES, max_size=30).map("".join))
def test_the_same_text_gives_the_same_settings_and_none_of_them_changes(kind: str, text: str) -> None:
    once, again = source(kind, "x", text), source(kind, "x", text, again=text)
    assert once == again


@pytest.mark.parametrize("change", [{"system": "Linux"}, {"roles": ("dut",)}, {"cases": ("a",)}])
def test_readings_of_another_system_role_or_case_are_not_the_same(change: dict[str, object]) -> None:
    assert not host(a="1").same_as(msgspec.structs.replace(host(a="1"), **change))


@pytest.mark.parametrize("change", [{"host": "other"}, {"taken": ""}, {"origin": "x"}])
def test_when_and_where_they_were_read_makes_no_difference(change: dict[str, object]) -> None:
    assert host(a="1").same_as(msgspec.structs.replace(host(a="1"), **change))


def test_every_source_has_to_be_the_same() -> None:
    first, second, other = (SettingsSource("sysctl", {"a": value}) for value in ("1", "1", "2"))
    both = HostSettings("dut", sources=(first, second))
    assert both.same_as(HostSettings("dut", sources=(second, first)))
    assert not both.same_as(HostSettings("dut", sources=(first, other)))
    assert not both.same_as(HostSettings("dut", sources=(first,)))
    unsteady = SettingsSource("sysctl", {"a": "2", "b": "1"}, unsteady=("a",))
    assert not HostSettings("dut", sources=(unsteady,)).same_as(HostSettings("dut", sources=(first,)))


def test_of_names_of_what_is_left_out_500_are_kept_and_300_characters_of_each() -> None:
    found = source("sysctl", "sysctl", "net.a: 1\n", unread=[f"vm.{'x' * 300}{n}" for n in range(501)])
    assert found.unread == (f"vm.{'x' * 297}",) * 500
    text = "".join(f"net.x{n}: 1\n" for n in range(501))
    changed = source("sysctl", "sysctl", text, again=text.replace(": 1", ": 2"))
    assert changed.values == {} and changed.unsteady == tuple(f"net.x{n}" for n in range(500))


def test_a_long_value_is_told_with_its_number_of_lines() -> None:
    found = source("pf", "pf rules", "pass in quick\n" * 1200).values["rules"]
    assert found.startswith("1,200 lines, too long to keep, digest ")
    assert len(found.rpartition(" ")[2]) == 24
