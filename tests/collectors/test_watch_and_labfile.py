"""What is looked at on which host, and how a lab comes from its file."""

import os
from pathlib import Path
from typing import cast

import pytest

from fwdtui.cli import main
from fwdtui.collectors import facts
from fwdtui.collectors.base import Facts, Profiles, System
from fwdtui.collectors.lab_trust import UntrustedError, open_lab
from fwdtui.collectors.labfile import load, ssh_settings
from fwdtui.collectors.systems import as_named, by_name, by_uname, checks_of, known, profile_of
from fwdtui.collectors.watch import Watch, watches
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse
from fwdtui.core.profile.capture import Asked
from fwdtui.transport.base import Host

APU2 = """
[generator]
host = "gen"
interface = "igb2"
tool = "netmap-pkt-gen"
[dut]
host = "dut"
in = ["igb1", "igb2"]
out = "igb2"
os = "freebsd"
[receiver]
host = "gen"
interface = "igb3"
"""


def test_a_host_that_sends_and_receives_is_watched_once_with_both_interfaces() -> None:
    gen, dut = watches(parse(APU2))
    assert (gen.host, gen.interfaces, gen.system) == ("gen", ("igb2", "igb3"), None)
    assert gen.roles == ("generator", "receiver")
    assert gen.tools == ("netmap-pkt-gen", "counters")
    assert (dut.host, dut.interfaces, dut.system, dut.roles) == ("dut", ("igb1", "igb2"), "freebsd", ("dut",))


@pytest.mark.parametrize("name", ["a b", "a;b", "$(x)", "-a", "..", "a/b", "", "a'b", "x" * 33])
def test_a_name_that_could_be_code_or_a_path_is_no_interface(name: str) -> None:
    with pytest.raises(FwdtuiError, match="not an interface name"):
        Watch("dut", (name,))


def test_both_systems_come_in_through_their_entry_points() -> None:
    assert {"linux", "freebsd"} <= set(known())
    assert by_name("freebsd").uname == "FreeBSD"
    assert by_uname("Linux", "dut").name == "linux"


def test_an_unknown_system_is_named_with_those_that_are_known() -> None:
    with pytest.raises(FwdtuiError, match=r"'openbsd'.*freebsd, linux"):
        by_name("openbsd")
    with pytest.raises(FwdtuiError, match=r"dut: it runs Darwin; known: FreeBSD, Linux"):
        by_uname("Darwin", "dut")


def test_a_system_that_the_host_contradicts_is_an_error() -> None:
    """Nothing of a Linux host can be read as FreeBSD's: all its numbers would be missing without a word."""
    with pytest.raises(FwdtuiError, match=r'^dut: lab.toml says os = "freebsd", but it runs Linux$'):
        as_named("freebsd", "Linux", "dut")
    assert as_named("linux", "Linux", "dut").name == "linux"
    # what a strange or a broken uname says contradicts nothing
    assert as_named("freebsd", "", "dut").name == "freebsd"
    assert as_named("freebsd", "MidnightBSD", "dut").name == "freebsd"


PLUGIN = """
from fwdtui.collectors.systems import DeferredSystem
NETBSD = DeferredSystem("netbsd", "NetBSD", "", "", "")
ANOTHER_LINUX = DeferredSystem("another", "Linux", "", "", "")
WORD = "no system"
class FAULTY:
    name, uname = "faulty", "Faulty"
    def sampling(self, watch, token, interval): ...
    async def facts(self, host, watch, sysctls):
        raise ZeroDivisionError("a plug-in's mistake")
    async def checks(self, host, watch):
        return None
    async def profile(self, host, asked):
        return None
faulty = FAULTY()
"""


def test_anybody_can_add_a_system(installed) -> None:
    installed("netbsd = plugged:NETBSD", PLUGIN, "fwdtui.systems")
    assert known() == ("freebsd", "linux", "netbsd")
    assert by_name("netbsd").uname == "NetBSD"
    assert by_uname("NetBSD", "dut").name == "netbsd"


def test_a_second_system_for_one_uname_is_used_where_lab_toml_names_it(installed) -> None:
    installed("another = plugged:ANOTHER_LINUX", PLUGIN, "fwdtui.systems")
    assert by_uname("Linux", "dut").name == "linux"
    assert by_name("another").uname == "Linux"


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("mine = plugged:ABSENT", "system 'mine' cannot be loaded from plugged:ABSENT: AttributeError"),
        ("mine = absent:MINE", "system 'mine' cannot be loaded from absent:MINE: ModuleNotFoundError"),
        ("mine = plugged:WORD", "plugged:WORD is not a System but str"),
        ("mine = plugged:FAULTY", "plugged:FAULTY is not a System but the class FAULTY"),
    ],
)
def test_a_system_that_does_not_fit_is_named_where_it_is_wanted_and_in_nobodys_way(
    installed, point: str, message: str
) -> None:
    installed(point, PLUGIN, "fwdtui.systems")
    assert by_uname("FreeBSD", "dut").name == "freebsd"
    with pytest.raises(FwdtuiError, match=f"^dut.os: {message}"):
        by_name("mine")
    with pytest.raises(FwdtuiError, match=f"^dut: it runs Darwin; known: FreeBSD, Linux; .*{message}"):
        by_uname("Darwin", "dut")


async def test_a_faulty_system_costs_its_host_s_facts_and_checks_and_no_more(installed) -> None:
    installed("faulty = plugged:faulty", PLUGIN, "fwdtui.systems")
    host, watch = cast(Host, object()), Watch("dut", ("eth0",), system="faulty")
    found = await facts._of_system(by_name("faulty"), host, watch, ())
    assert found.values == {} and found.notes == (
        'all facts (the plug-in faulty failed: ZeroDivisionError("a plug-in\'s mistake"))',
    )
    (check,) = await checks_of(by_name("faulty"), host, watch)
    assert check.ok is False and check.found.startswith("the plug-in faulty failed: TypeError")
    taken = await profile_of(cast(Profiles, by_name("faulty")), host, Asked(1.0))
    assert taken.problem == "the plug-in faulty failed: TypeError('not a Capture: None')"


async def test_what_a_session_cannot_hold_is_no_fact() -> None:
    class Odd:
        name = "odd"

        async def facts(self, *_: object) -> Facts:
            return Facts({"a": 1, "b": ["x"], "c": None, "d": float("nan"), "e": {}}, ("f",))  # type: ignore[dict-item]

    found = await facts._of_system(cast(System, Odd()), cast(Host, object()), Watch("dut", ("eth0",)), ())
    # what was not known before, and what is no fact
    assert found == Facts({"a": 1, "b": ["x"]}, ("f", "c", "d", "e"))


def test_a_lab_that_is_not_there_or_no_text_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(FwdtuiError, match=r"none\.toml: No such file"):
        load(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(FwdtuiError, match=r"bad\.toml: not UTF-8"):
        load(tmp_path / "bad.toml")
    (tmp_path / "lab.toml").write_text("[dut]\nhost='x'\n")
    with pytest.raises(FwdtuiError, match=r"lab\.toml: dut\.in: missing"):
        load(tmp_path / "lab.toml")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ('line_rate = "0"', "generator.line_rate: expected more than 0 packets per second (host gen)"),
        *(
            (
                f'line_rate = "{speed}"',
                f"generator.line_rate: expected packets per second, and {speed} looks like the speed of a"
                ' link: at 10 Gb/s and frames of 64 bytes it is "14.88M" (host gen)',
            )
            for speed in ("1G", "10G", "100G")
        ),
        (
            'at_rate = "flood -R {rate}"',
            "generator.at_rate: an attack is sent as `start` says, whatever the rate of the wanted traffic"
            " (host gen): leave it out",
        ),
        (
            'at_rate = "x -R ${rate}"\n[[generator]]\nhost = "gen"\ninterface = "igb6"\nrole = "attack"',
            "generator.at_rate: expected a command with {rate} where its packets per second belong, got 'x -R"
            " ${rate}'",
        ),
    ],
)
def test_a_key_that_would_do_nothing_is_refused_in_the_users_own_file(tmp_path: Path, key, message) -> None:
    """Recordings of older versions may have such a lab, and are read all the same."""
    role = "" if "${rate}" in key else 'role = "attack"\n'
    attack = f'[[generator]]\nhost = "gen"\ninterface = "igb5"\n{role}start = "flood"\n{key}\n'
    text = APU2.replace("[generator]", "[[generator]]").replace("[dut]", f"{attack}[dut]")
    (tmp_path / "lab.toml").write_text(text)
    with pytest.raises(FwdtuiError) as caught:
        load(tmp_path / "lab.toml")
    assert str(caught.value) == f"{tmp_path / 'lab.toml'}: {message}"
    assert parse(text).generators[1].start == "flood"


def test_ssh_files_are_relative_to_the_labs_own_folder(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "config").write_text("")
    (tmp_path / "hosts").write_text("")
    text = '[ssh]\nconfig_file = "keys/config"\nknown_hosts = "hosts"\n[dut]\nhost="d"\nin="a"\nout="b"\n'
    (tmp_path / "lab.toml").write_text(text)
    monkeypatch.chdir("/")
    with pytest.raises(UntrustedError) as asked:
        open_lab(tmp_path / "lab.toml")
    asked.value.allow()
    _, pool = open_lab(tmp_path / "lab.toml")
    assert pool.settings.config_file == tmp_path / "keys" / "config"
    assert pool.settings.known_hosts == tmp_path / "hosts"
    (tmp_path / "hosts").unlink()
    with pytest.raises(FwdtuiError, match=r"ssh\.known_hosts: there is no file"):
        open_lab(tmp_path / "lab.toml")


def test_a_file_of_a_user_who_is_not_known_here_is_one_clear_line() -> None:
    """A lab.toml that a colleague wrote: it was a traceback."""
    lab = parse(f'[ssh]\nconfig_file = "~nobody-of-this-name/ssh_config"\n{APU2}')
    with pytest.raises(FwdtuiError, match=r"^lab\.toml: ssh\.config_file: ~nobody-of-this-name/ssh_config: "):
        ssh_settings(lab, "lab.toml")


def test_a_file_that_is_too_large_is_no_lab_toml(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(FwdtuiError, match=r"larger than 1 MiB, so it cannot be a lab\.toml"):
        load(tmp_path / "lab.toml")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "command", [["doctor"], ["live", "--headless", "--for", "1s"], ["run", "--headless"]]
)
def test_a_pipe_or_a_device_in_place_of_a_lab_toml_is_not_read(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FwdtuiError, match=r"^/dev/zero: not a regular file$"):
        load("/dev/zero")
    os.mkfifo(tmp_path / "lab.toml")
    assert main([command[0], str(tmp_path), *command[1:]]) == 2
    assert capsys.readouterr().err == f"fwdtui: {tmp_path}/lab.toml: not a regular file\n"


def test_who_has_no_lab_yet_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FwdtuiError, match=r"No such file.*docs/lab-toml\.md.*fwdtui demo"):
        load(tmp_path / "lab.toml")
