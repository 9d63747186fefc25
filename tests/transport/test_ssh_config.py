"""What ssh(1) makes of an ssh_config, fwdtui makes of it; what it cannot do, it refuses."""

import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.transport.destination import parse_destination
from fwdtui.transport.errors import BadSshConfig
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool
from fwdtui.transport.wire.config import Resolved, resolve
from fwdtui.transport.wire.explain import auth_failed


def ssh(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """What ssh says, if there is one; it connects to nothing."""
    command = [shutil.which("ssh") or "false", *arguments]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


DUT = "Host dut\n HostName 192.0.2.9\n"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Resolved]:
    """What a text in an ssh_config means for a destination; {0} in it is the test's folder."""

    def resolved(text: str, destination: str = "dut") -> Resolved:
        (tmp_path / "config").write_text(text.format(tmp_path) + "\n")
        settings = SshSettings(config_file=tmp_path / "config", accepted=tmp_path / "accepted")
        return resolve(parse_destination(destination), settings)

    return resolved


async def test_a_machine_has_one_name_in_every_process_and_no_other_has_it(tmp_path: Path) -> None:
    """The lock of a lab is found by it."""
    (tmp_path / "config").write_text(f"{DUT}Host other\n HostName 192.0.2.9\n Port 2222\n")
    settings = SshSettings(config_file=tmp_path / "config")
    one, again = SshPool(settings), SshPool(settings)
    assert await one.machine("dut") == await again.machine("dut") != await one.machine("other")


MEANINGS = [
    # the first of ProxyCommand and ProxyJump counts, whichever it is
    (f"{DUT} ProxyCommand nc gw\nHost *\n ProxyJump gate", "dut", {"proxycommand": "nc gw"}),
    (f"{DUT} ProxyJump gate\nHost *\n ProxyCommand nc gw", "dut", {"proxyjump": "gate"}),
    (f"{DUT} ProxyCommand none\nHost *\n ProxyJump gate", "dut", {}),
    (f"{DUT} ProxyJump none\nHost *\n ProxyJump gate", "dut", {}),
    (f"{DUT} ProxyJump none\nHost *\n ProxyCommand nc gw", "dut", {"proxycommand": "nc gw"}),
    # a command is the rest of its line
    ("ProxyCommand=nc gw a=b", "dut", {"proxycommand": "nc gw a=b"}),
    ("ProxyCommand = nc 'a b'", "dut", {"proxycommand": "nc 'a b'"}),
    # a second time, for Match final: what the first one found stays, and Host is the HostName
    (f"Match final\n Port 22\n User u\n ProxyJump gate\n{DUT}", "dut", {"user": "u", "proxyjump": "gate"}),
    (f"{DUT} Port 22\nMatch final\n Port 5\n HostName x", "dut", {"port": 22, "hostname": "192.0.2.9"}),
    (f"{DUT}Host 192.0.2.9\n Port 99\nMatch final\n User bench", "dut", {"port": 99, "user": "bench"}),
    (f"{DUT}Host 192.0.2.9\n Port 99", "dut", {"port": 22}),
    (f"{DUT}Match final originalhost dut\n Port 9\nMatch final host 1*\n User u", "dut", {"port": 9}),
    ("Match canonical\n Port 99\nMatch final\n User u", "dut", {"port": 99, "user": "u"}),
    ("Match canonical\n Port 99", "dut", {"port": 22}),
    ("Match !final host *\n Port 5\nMatch final\n Port 6", "dut", {"port": 5}),
    # Match exec: tokens, an = in the command, and the user's shell
    ('Match exec "echo %n | grep -qx dut"\n Port 5', "dut", {"port": 5}),
    (f'{DUT}Match exec "test %h:%k:%n:%p = 192.0.2.9:192.0.2.9:dut:22"\n Port 5', "dut", {"port": 5}),
    ('Match exec="test %n = dut" user=bench\n Port 5', "bench@dut", {"port": 5}),
    ('Match exec "[[ dut == d* ]]"\n Port 5', "dut", {"port": 5}),
    # names of hosts in Match, and the host itself, are in lower case; those of Host are not
    ("Match host dut\n Port 5", "DUT", {"port": 5, "hostname": "dut"}),
    ("Match originalhost Dut\n Port 5", "dUT", {"port": 5}),
    ("Host dut\n Port 5", "DUT", {"port": 22}),
    ("HostName Router.Lab", "dut", {"hostname": "router.lab"}),
    # names of Host are divided by blanks alone, patterns of Match by commas
    ("Host gen,dut\n Port 5", "dut", {"port": 22}),
    ("Host * !gen,dut\n Port 5", "dut", {"port": 5}),
    ("Host gen dut\n Port 5", "dut", {"port": 5}),
    ("Match host gen,dut\n Port 5", "dut", {"port": 5}),
    # what says nothing
    ("=\nPort 77", "dut", {"port": 77}),
    ("= Port 78", "dut", {"port": 78}),
    ("Host x # dut\n Port 5", "dut", {"port": 22}),
    ("Match host x # host dut\n Port 5", "dut", {"port": 22}),
    ("Port 55 # as the lab is wired", "dut", {"port": 55}),
    ("User a#b", "dut", {"user": "a#b"}),
    (f"{DUT.rstrip()}  # Bob's router\n Port 5", "dut", {"port": 5, "hostname": "192.0.2.9"}),
    ("Host other # it's gone\n Port 6\nHost dut\n User u # \"", "dut", {"port": 22, "user": "u"}),
    # a backslash is a character like others, save before quotes, blanks and itself
    ("User LAB\\bench", "dut", {"user": "LAB\\bench"}),
    ('User "LAB\\bench"', "dut", {"user": "LAB\\bench"}),
    ("User LAB\\\\bench", "dut", {"user": "LAB\\bench"}),
    ("Match exec \"test 'LAB\\.x' = 'LAB\\.x'\"\n Port 5", "dut", {"port": 5}),
    ("Host x\rPort 6\nHost *\r\n User u\r", "dut", {"port": 22, "user": "u"}),
    # what is left of an include
    ("Host dut\n Include {0}/other\n Port 44", "dut", {"port": 44, "user": "u"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "destination", "expected"), MEANINGS)
def test_a_configuration_means_what_it_means_to_ssh(
    read: Callable[..., Resolved],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    destination: str,
    expected: dict[str, object],
) -> None:
    if "[[" in text and not shutil.which("bash"):
        pytest.skip("needs bash")
    monkeypatch.setenv("SHELL", shutil.which("bash") or "/bin/sh")
    (tmp_path / "other").write_text("User u\nHost other\n User x\n")
    found = read(text, destination)
    ours = {
        "hostname": found.host,
        "port": found.port,
        "user": found.user,
        "proxyjump": found.jump,
        "proxycommand": found.proxy_command,
    }
    assert {name: ours[name] for name in ("proxyjump", "proxycommand", *expected)} == {
        "proxyjump": None,
        "proxycommand": None,
        **expected,
    }
    if "OpenSSH_9.2" in ssh("-V").stderr:  # other versions may differ in details
        asked = ssh("-G", "-F", tmp_path / "config", destination)
        said = dict(re.findall(r"^(\S+) (.*)$", asked.stdout, re.MULTILINE))
        assert {name: value and str(value) for name, value in ours.items()} == {
            name: said.get(name) for name in ours
        }


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("90", 90), ("30s", 30), ("1m30s", 90), ("2M", 120), ("1h", 3600), ("none", None), ("0", None)],
)
def test_times_may_have_units(read: Callable[..., Resolved], written: str, seconds: float | None) -> None:
    assert read(f"ServerAliveInterval {written}\nConnectTimeout {written}").connect_timeout == seconds


def test_tokens_are_those_of_all_files_together(read: Callable[..., Resolved], tmp_path: Path) -> None:
    """Not those of the file, as far as it has been read, in which they stand."""
    (tmp_path / "corp").write_text("Host *\n ProxyCommand corp %h %p %r %n\n IdentityFile {0}/%r_%k\n")
    found = read(
        f"Include {{0}}/corp\nHost dut\n HostName 192.0.2.9\n Port 2222\n User bench\n HostKeyAlias {'{0}'}"
    )
    assert found.proxy_command == "corp 192.0.2.9 2222 bench dut"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Include {0}/config", "more than 16 files within one another"),
        ("Include ~nobody-of-this-name/x", "Include ~nobody-of-this-name/x: "),
        ('Match ""\n Port 5', "line 1: Match is not understood"),
        ("Match exec\n Port 5", "Missing exec match pattern"),
        ('Match exec "test %z"\n Port 5', "line 1: Match exec: %z in 'test %z' has no meaning"),
        ("ProxyCommand nc %z", "%z in 'nc %z' has no meaning"),
        ("IdentityFile ~/%z", "%z in '~/%z' has no meaning"),
        ("IdentityFile ${{NOT_SET_HERE}}/key", "the environment variable NOT_SET_HERE is not set"),
        ("UserKnownHostsFile ${{NOT_SET_HERE}}/hosts", "the environment variable NOT_SET_HERE is not set"),
        ("Port 5 6", "line 1: Extra data at end: 6"),
        ('User "a', "line 1: No closing quotation"),
        ("ConnectTimeout 30x", "line 1: Invalid ConnectTimeout time value: 30x"),
        ("Port", "line 1: Missing Port value"),
        ("Port 222222", "Port 222222: expected 1 to 65535"),
        ("Port 0", "Port 0: expected 1 to 65535"),
        ("ProxyCommand", "line 1: Missing ProxyCommand value"),
    ],
)
def test_what_ssh_refuses_is_refused_with_its_cause(
    read: Callable[..., Resolved], text: str, cause: str
) -> None:
    with pytest.raises(BadSshConfig, match=re.escape(cause)):
        read(text)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What a name server knows: each name with its canonical one."""
    known: dict[str, str] = {}

    def ask(name: str, *_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        if (bare := name.rstrip(".")) not in known:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, 1, 6, known[bare], ("192.0.2.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", ask)
    return known


CANONICAL = "CanonicalizeHostname yes\nCanonicalDomains one.example lab.example\n"


@pytest.mark.parametrize(
    ("text", "destination", "host"),
    [
        (CANONICAL, "dut", "dut.lab.example"),
        (CANONICAL, "other", "other"),  # not in any of the domains
        (CANONICAL, "a.b.c", "a.b.c"),  # more dots than CanonicalizeMaxDots
        (CANONICAL, "192.0.2.1", "192.0.2.1"),
        (CANONICAL, "dut.lab.example.", "dut.lab.example"),
        (f"{CANONICAL}ProxyJump gate", "dut", "dut"),  # the jump host resolves it
        (f"{CANONICAL.replace('yes', 'always')}ProxyJump gate", "dut", "dut.lab.example"),
        (CANONICAL.replace("yes", "no"), "dut", "dut"),
        (f"{CANONICAL}CanonicalizePermittedCNAMEs *.lab.example:*.rack.example", "dut", "r1.rack.example"),
        (f"{CANONICAL}CanonicalizePermittedCNAMEs *.lab.example:*.else", "dut", "dut.lab.example"),
        (f"{CANONICAL}CanonicalizePermittedCNAMEs *:*.rack.example", "gen.lab.example", "g.rack.example"),
    ],
)
def test_a_canonical_name_is_the_one_that_is_looked_up_from_then_on(
    read: Callable[..., Resolved], names: dict[str, str], text: str, destination: str, host: str
) -> None:
    names.update({"dut.lab.example": "r1.rack.example.", "gen.lab.example": "g.rack.example"})
    found = read(f"{text}\nHost *.example\n User bench\nHost *\n User root", destination)
    assert (found.host, found.options.host) == (host, host), "in known_hosts, in messages and on the way"
    # "Host *" of the first pass was there before "Host *.example" of the second
    assert found.user == ("bench" if destination.endswith(".example") else "root")


def test_options_of_the_full_name_are_added(read: Callable[..., Resolved], names: dict[str, str]) -> None:
    names["dut.lab.example"] = ""
    text = f"{CANONICAL}Host *.example\n User bench\nMatch canonical\n HostKeyAlias router\nHost dut\n Port 5"
    found = read(text)
    assert (found.host, found.port, found.user, found.host_key_alias) == (
        "dut.lab.example", 5, "bench", "router",
    )  # fmt: skip


def test_a_name_that_must_be_in_one_of_the_domains_and_is_not_is_refused(
    read: Callable[..., Resolved], names: dict[str, str]
) -> None:
    with pytest.raises(BadSshConfig, match="no address for 'dut'"):
        read(f"{CANONICAL}CanonicalizeFallbackLocal no")


def test_a_refused_login_names_only_an_agent_that_is_there(
    read: Callable[..., Resolved], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = "192.0.2.9 port 22 rejects the login of 'u': there is no key to offer"
    make = "; ssh-keygen makes one, and ssh-copy-id allows it on the host (passwords are never used)"
    assert auth_failed("dut", read(f"{DUT} User u")).text == none + make
    gone = tmp_path / "gone"
    named = f"{none}; IdentityAgent is {gone}, where there is no ssh-agent{make}"
    assert auth_failed("dut", read(f"{DUT} User u\n IdentityAgent {gone}")).text == named
    monkeypatch.setenv("SSH_AUTH_SOCK", str(gone))
    assert "; SSH_AUTH_SOCK is " in auth_failed("dut", read(f"{DUT} User u")).text
    assert auth_failed("dut", read(f"{DUT} User u\n IdentityAgent none")).text == none + make
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(gone))
        assert "login of 'u' with ssh-agent; check the user" in auth_failed("dut", read(f"{DUT} User u")).text
