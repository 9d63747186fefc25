"""Known, unknown, changed: the same answers as OpenSSH's, whatever is in the files."""

import base64
import hmac
from pathlib import Path

import asyncssh
import pytest

from fwdtui.transport.errors import ChangedHostKey, UnknownHostKey
from fwdtui.transport.wire.trust import Trust


@pytest.fixture(scope="module")
def keys() -> list[asyncssh.SSHKey]:
    return [asyncssh.generate_private_key("ssh-ed25519").convert_to_public() for _ in range(3)]


@pytest.fixture(scope="module")
def rsa() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-rsa", key_size=2048).convert_to_public()


def public(key: asyncssh.SSHKey) -> str:
    return key.export_public_key().decode().strip()


def trust(tmp_path: Path, *lines: str, alias: str | None = None) -> Trust:
    file = tmp_path / "known_hosts"
    file.write_text("".join(f"{line}\n" for line in lines))
    return Trust([tmp_path / "missing", file], alias)


def hashed(name: str) -> str:
    salt = b"0123456789abcdefghij"
    digest = hmac.new(salt, name.encode(), "sha1").digest()
    return f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"


@pytest.mark.parametrize(
    ("pattern", "host", "port"),
    [
        ("dut", "dut", 22),
        ("dut", "DUT", 22),
        ("Dut", "dut", 22),  # as ssh-keyscan writes a name that was given so
        ("[DUT]:2222", "Dut", 2222),
        ("*.Example.org,!Bad.example.org", "dut.example.org", 22),
        ("dut,10.0.0.1", "10.0.0.1", 22),
        ("[dut]:2222", "dut", 2222),
        ("[2001:2::1]:2222", "2001:2::1", 2222),
        ("*.example.org,!bad.example.org", "dut.example.org", 22),
        ("dut", "dut", 2222),  # known without a port: good on any port, as in ssh
    ],
)
def test_a_key_is_known_under_the_name_that_ssh_would_write(
    tmp_path: Path, keys: list[asyncssh.SSHKey], pattern: str, host: str, port: int
) -> None:
    found = trust(tmp_path, f"{pattern} {public(keys[0])}").lookup(host, "", port)
    assert list(found[0]) == [keys[0]]


@pytest.mark.parametrize(("name", "port"), [("dut", 22), ("[dut]:2222", 2222)])
def test_hashed_names_are_found(tmp_path: Path, keys: list[asyncssh.SSHKey], name: str, port: int) -> None:
    store = trust(tmp_path, f"{hashed(name)} {public(keys[0])}")
    assert list(store.lookup("dut", "", port)[0]) == [keys[0]]
    assert isinstance(store.refusal("dut", "dut", port, keys[1]), ChangedHostKey)
    assert not store.lookup("gen", "", port)[0]


def test_another_key_under_the_same_name_is_changed_and_says_where_the_old_one_is(
    tmp_path: Path, keys: list[asyncssh.SSHKey]
) -> None:
    error = trust(tmp_path, "# a comment", f"dut {public(keys[0])}").refusal("dut", "dut", 22, keys[1])
    assert isinstance(error, ChangedHostKey)
    text = str(error)
    assert "known_hosts line 2" in text
    assert keys[0].get_fingerprint() in text and keys[1].get_fingerprint() in text
    assert "ssh-keygen -R 'dut' -f" in text


def test_a_changed_key_is_changed_also_where_the_file_has_capitals(
    tmp_path: Path, keys: list[asyncssh.SSHKey]
) -> None:
    store = trust(tmp_path, f"Router.Lab {public(keys[0])}")
    assert isinstance(store.refusal("dut", "Router.Lab", 22, keys[1]), ChangedHostKey)


def test_another_type_of_key_is_changed_too(
    tmp_path: Path, keys: list[asyncssh.SSHKey], rsa: asyncssh.SSHKey
) -> None:
    assert isinstance(
        trust(tmp_path, f"dut {public(keys[0])}").refusal("dut", "dut", 22, rsa), ChangedHostKey
    )


def test_another_port_of_a_known_name_is_unknown(tmp_path: Path, keys: list[asyncssh.SSHKey]) -> None:
    error = trust(tmp_path, f"dut {public(keys[0])}").refusal("dut", "dut", 2222, keys[1])
    assert isinstance(error, UnknownHostKey)
    assert error.pattern == "[dut]:2222"
    assert f"{error.pattern} {error.public_key}" == " ".join(f"[dut]:2222 {public(keys[1])}".split()[:3])


def test_the_comment_of_a_key_is_no_part_of_what_is_accepted(tmp_path: Path) -> None:
    """It comes from nobody knows where, and may be anything."""
    key = asyncssh.generate_private_key("ssh-ed25519", comment="root@dut").convert_to_public()
    error = trust(tmp_path).refusal("dut", "dut", 22, key)
    assert isinstance(error, UnknownHostKey) and len(error.public_key.split()) == 2


@pytest.mark.parametrize(("size", "read"), [(32 << 20, True), ((32 << 20) + 1, False)])
def test_a_file_of_more_than_32_mib_knows_nobody(
    tmp_path: Path, keys: list[asyncssh.SSHKey], size: int, read: bool
) -> None:
    file = tmp_path / "known_hosts"
    file.write_text(f"dut {public(keys[0])}\n#")
    with file.open("r+b") as end:
        end.truncate(size)
    assert bool(Trust([file], None).lookup("dut", "", 22)[0]) is read


def test_host_key_alias_stands_for_the_host_without_its_port(
    tmp_path: Path, keys: list[asyncssh.SSHKey]
) -> None:
    store = trust(tmp_path, f"router {public(keys[0])}", alias="router")
    assert list(store.lookup("router", "", 2222)[0]) == [keys[0]]
    assert isinstance(store.refusal("dut", "10.0.0.1", 2222, keys[1]), ChangedHostKey)


def test_an_address_that_once_was_another_host_proves_nothing(
    tmp_path: Path, keys: list[asyncssh.SSHKey]
) -> None:
    assert not trust(tmp_path, f"10.0.0.9 {public(keys[0])}").lookup("dut", "10.0.0.9", None)[0]


def test_lines_that_cannot_be_read_cost_only_themselves(tmp_path: Path, keys: list[asyncssh.SSHKey]) -> None:
    store = trust(
        tmp_path, "nonsense", "@marker dut x", "|1|bad|hash ssh-ed25519 AAAA", "dut ssh-ed25519 AAAA",
        f"dut {public(keys[0])}",
    )  # fmt: skip
    assert list(store.lookup("dut", "", None)[0]) == [keys[0]]


def test_a_file_that_is_not_text_or_not_a_file_knows_nobody(
    tmp_path: Path, keys: list[asyncssh.SSHKey]
) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00" * 100 + b"\ndut " + public(keys[0]).encode() + b"\n")
    store = Trust([tmp_path, Path("/dev/null"), tmp_path / "binary"], None)
    assert list(store.lookup("dut", "", None)[0]) == [keys[0]]
    assert not store.lookup("gen", "", None)[0]


@pytest.mark.parametrize(
    ("marked", "alias", "revoked"),
    [
        ("dut", None, True),  # without a port: of the host on any port, also where the port has its own key
        ("[dut]:2222", None, True),
        ("[dut]:2223", None, False),  # of another port
        ("gen", None, False),
        ("*", None, True),
        ("DUT", None, True),
        ("D*,!Gen", None, True),
        ("dut", "router", True),  # an alias does not hide what was said of the host itself
        ("router", "router", True),
    ],
)
def test_a_revoked_key_is_revoked_under_the_bare_name_and_under_that_with_the_port(
    tmp_path: Path, keys: list[asyncssh.SSHKey], marked: str, alias: str | None, revoked: bool
) -> None:
    name = alias or "[dut]:2222"
    store = trust(tmp_path, f"{name} {public(keys[0])}", f"@revoked {marked} {public(keys[0])}", alias=alias)
    found = store.lookup("dut", "", 2222)
    assert list(found[0]) == [keys[0]], "it is known all the same: asyncssh looks at what is revoked first"
    assert (keys[0] in found[2]) == revoked


@pytest.mark.parametrize(
    ("lines", "known", "authorities"),
    [
        # what is known under the name with the port stands alone: keys or an authority, either of them
        (["@cert-authority [dut]:2222 0"], [], [0]),
        (["@cert-authority [dut]:2222 0", "dut 1"], [], [0]),
        (["@cert-authority [dut]:2222 0", "@cert-authority dut 1"], [], [0]),
        (["[dut]:2222 0", "@cert-authority dut 1"], [0], []),
        # and the bare name is asked where nothing is
        (["@cert-authority dut 1"], [], [1]),
        (["@cert-authority [dut]:2223 0", "dut 1"], [1], []),
        (["@cert-authority [dut]:2223 0"], [], []),
    ],
)
def test_an_authority_for_a_port_is_the_one_that_is_asked_there(
    tmp_path: Path, keys: list[asyncssh.SSHKey], lines: list[str], known: list[int], authorities: list[int]
) -> None:
    """The figures in the lines stand for keys."""
    store = trust(tmp_path, *(f"{line[:-1]}{public(keys[int(line[-1])])}" for line in lines))
    found = store.lookup("dut", "", 2222)
    assert list(found[0]) == [keys[n] for n in known]
    assert list(found[1]) == [keys[n] for n in authorities]
    asked = store.algorithms("dut", 2222)
    assert any("cert" in name for name in asked) == bool(authorities)


def test_with_an_alias_the_key_of_the_host_itself_is_not_trusted(
    tmp_path: Path, keys: list[asyncssh.SSHKey]
) -> None:
    """As in ssh: HostKeyAlias is there because the name leads to different machines."""
    store = trust(tmp_path, f"dut {public(keys[0])}", alias="router")
    assert not store.lookup("dut", "", 22)[0]
    assert isinstance(store.refusal("dut", "dut", 22, keys[0]), UnknownHostKey)


def test_types_of_known_keys_are_asked_for_first_and_certificates_only_with_an_authority(
    tmp_path: Path, keys: list[asyncssh.SSHKey], rsa: asyncssh.SSHKey
) -> None:
    plain = trust(tmp_path, f"dut {public(rsa)}").algorithms("dut", 22)
    assert plain[0] in ("rsa-sha2-256", "rsa-sha2-512") and "ssh-ed25519" in plain
    assert "ssh-rsa" not in plain  # SHA-1
    assert not any("cert" in name for name in plain)
    with_authority = trust(tmp_path, f"@cert-authority * {public(keys[0])}").algorithms("dut", 22)
    assert with_authority[0] == "ssh-ed25519-cert-v01@openssh.com" and "ssh-ed25519" in with_authority
