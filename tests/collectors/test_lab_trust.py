"""A lab is opened when its files are trusted, and a later connection reads what was looked at."""

import stat
from pathlib import Path

import pytest
from collectors_helpers import trust

from fwdtui.collectors.lab_trust import UntrustedError, open_lab
from fwdtui.transport import trusted
from fwdtui.transport.errors import BadSshConfig

LAB = '[ssh]\nconfig_file = "ssh_config"\n[dut]\nhost = "dut"\nin = "a"\nout = "b"\n'


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir(mode=0o700)
    (folder / "lab.toml").write_text(LAB)
    (folder / "ssh_config").write_text("Host dut\n HostName 192.0.2.1\n")
    return folder / "lab.toml"


async def test_what_is_trusted_are_the_bytes_that_were_shown(lab):
    with pytest.raises(UntrustedError) as asked:
        open_lab(lab)
    assert [file.path.name for file in asked.value.files] == ["lab.toml", "ssh_config"]
    (lab.parent / "ssh_config").write_text("Host dut\n ProxyCommand evil\n")
    asked.value.allow()
    with pytest.raises(UntrustedError):
        open_lab(lab)


async def test_a_configuration_that_changes_during_a_run_is_not_obeyed_at_the_next_connection(lab, tmp_path):
    trust(lab)
    _, pool = open_lab(lab)
    async with pool:
        host = await pool.open("dut", "dut")
        (lab.parent / "ssh_config").write_text(f'Match exec "touch {tmp_path}/ran"\n User x\n')
        with pytest.raises(BadSshConfig, match="has changed since this lab was opened"):
            await host.connect()
        with pytest.raises(BadSshConfig, match="has changed since this lab was opened"):
            await pool.open("gen", "gen")
    assert not (tmp_path / "ran").exists()


async def test_an_edit_of_lab_toml_during_a_run_disturbs_no_connection(lab):
    trust(lab)
    _, pool = open_lab(lab)
    async with pool:
        lab.write_text(LAB + "[run]\niterations = 3\n")
        await pool.open("dut", "dut")


async def test_known_hosts_of_a_folder_are_trusted_with_it(lab):
    (lab.parent / "ssh_config").unlink()
    (lab.parent / "hosts").write_text("dut ssh-ed25519 AAAA\n")
    lab.write_text(LAB.replace('config_file = "ssh_config"', 'known_hosts = "hosts"'))
    with pytest.raises(UntrustedError):
        open_lab(lab)


@pytest.mark.parametrize("option", ["UserKnownHostsFile", "globalknownhostsfile =", "RevokedHostKeys"])
async def test_the_host_keys_that_an_ssh_config_names_are_trusted_as_they_are(lab, option):
    hosts = lab.parent / "hosts"
    hosts.write_text("dut ssh-ed25519 AAAA\n")
    (lab.parent / "ssh_config").write_text(f"Host other\n {option} /dev/null {hosts}\n")
    trust(lab)
    _, pool = open_lab(lab)
    async with pool:
        host = await pool.open("dut", "dut")
        hosts.write_text("dut ssh-ed25519 BBBB\n")
        with pytest.raises(BadSshConfig, match="hosts has changed since this lab was opened"):
            await host.connect()
    with pytest.raises(UntrustedError, match="has changed since you trusted it") as asked:
        open_lab(lab)
    assert [file.path.name for file in asked.value.files] == ["lab.toml", "ssh_config", "hosts"]


def test_a_file_of_host_keys_that_comes_later_is_asked_about(lab):
    hosts = lab.parent / "hosts"
    (lab.parent / "ssh_config").write_text(f"UserKnownHostsFile {hosts}\n")
    trust(lab)
    open_lab(lab)
    hosts.write_text("dut ssh-ed25519 BBBB\n")
    with pytest.raises(UntrustedError, match="has changed since you trusted it"):
        open_lab(lab)


def test_a_file_of_host_keys_that_lab_toml_names_too_is_shown_once(lab):
    hosts = lab.parent / "hosts"
    hosts.write_text("")
    (lab.parent / "ssh_config").write_text(f"UserKnownHostsFile {lab.parent}/../clone/hosts\n")
    lab.write_text(LAB.replace("[dut]", 'known_hosts = "hosts"\n[dut]'))
    with pytest.raises(UntrustedError) as asked:
        open_lab(lab)
    assert [file.path.name for file in asked.value.files] == ["lab.toml", "ssh_config", "hosts"]


@pytest.mark.parametrize("key", ["start", "stop", "at_rate"])
def test_whatever_starts_or_stops_programs_unattended_is_asked_about(lab, key):
    (lab.parent / "ssh_config").unlink()
    sends = f'[generator]\nhost = "gen"\ninterface = "x"\n{key} = "evil {{rate}}"\n'
    lab.write_text(f"{sends}{LAB[LAB.index('[dut]') :]}")
    open_lab(lab)  # the screen shows a command before it runs it
    with pytest.raises(UntrustedError, match="it starts and stops programs"):
        open_lab(lab, unattended=True)


async def test_a_folder_cannot_claim_that_fwdtui_made_it(lab):
    (lab.parent / "journal.jsonl").write_text('{"what": "lab"}\n{"what": "up"}\n')
    with pytest.raises(UntrustedError):
        open_lab(lab)
    trusted.made(lab.parent)
    open_lab(lab, unattended=True)
    config = lab.parent.parent / "elsewhere"
    config.write_text("")
    lab.write_text(LAB.replace('"ssh_config"', '"../elsewhere"'))
    with pytest.raises(UntrustedError):
        open_lab(lab)
    trusted.unmade(lab.parent)


def test_the_memory_is_private(lab):
    trust(lab)
    assert stat.S_IMODE(trusted.store().stat().st_mode) == 0o600
