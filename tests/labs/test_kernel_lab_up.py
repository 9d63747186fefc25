"""A kernel lab that is up: its hosts, keys, files and rules.

No rate is judged here, so other tests may run meanwhile.
"""

import json
import subprocess
from pathlib import Path

import pytest
from kernel_lab_use import HOSTS, LabUnderTest

from fwdtui.core import lab as lab_toml
from fwdtui.labs.kernel import journal, needs, topology

pytestmark = pytest.mark.root


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_answers_over_strictly_checked_ssh(lab: LabUnderTest, host: str) -> None:
    ports = {port["ifname"] for port in json.loads(lab.ssh(host, "ip -j link show"))}
    wanted = {"gen": {"gen0"}, "dut": {"dut0", "dut1"}, "sink": {"sink0"}}[host]
    assert ports == {"lo", "mgmt0"} | wanted


def test_a_host_with_another_key_is_refused(lab: LabUnderTest, tmp_path: Path) -> None:
    known = (lab.folder / "known_hosts").read_text().splitlines()
    address, other = known[0].split()[0], known[1].split()[1:]
    (tmp_path / "known").write_text(" ".join([address, *other]) + "\n")
    command = [*lab.ssh_command("gen", "-o", f"UserKnownHostsFile={tmp_path}/known"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr


def test_start_up_files_of_the_users_shell_are_not_read(lab: LabUnderTest) -> None:
    assert lab.ssh("dut", "echo $HOME").strip() == str(lab.folder)


def test_a_password_is_not_asked_for(lab: LabUnderTest) -> None:
    command = [*lab.ssh_command("gen", "-o", "PubkeyAuthentication=no"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 255
    assert "Permission denied (publickey)" in done.stderr


@pytest.mark.parametrize("address", [topology.SINK0.ipv4, topology.SINK0.ipv6], ids=["IPv4", "IPv6"])
def test_an_echo_crosses_the_dut_and_comes_back(lab: LabUnderTest, address: str) -> None:
    if needs.find("ping") is None:
        pytest.skip("not installed: ping (iputils-ping)")
    before = lab.counters()
    lab.inside("gen", "ping", "-c", "2", "-i", "0.2", "-W", "2", address)
    after = lab.counters()
    assert all(after[port] - before[port] >= 2 for port in ("dut0.rx", "dut1.tx"))


def test_lab_toml_is_the_one_that_env_prints(lab: LabUnderTest) -> None:
    path = lab.file()
    assert path == lab.folder / "lab.toml"
    parsed = lab_toml.parse(path.read_text(), str(path))
    assert parsed.hosts() == HOSTS


def test_keys_and_configuration_are_for_their_owner_alone(lab: LabUnderTest) -> None:
    assert lab.folder.stat().st_mode & 0o777 == 0o700
    for name in ("user_key", "host_key_dut", "ssh_config", "lab.toml", "send", "rules"):
        assert (lab.folder / name).stat().st_mode & 0o077 == 0, name


def test_up_again_says_that_it_is_up_and_changes_nothing(lab: LabUnderTest) -> None:
    before = (lab.folder / journal.NAME).read_bytes()
    answer = lab("up")
    assert answer.status == 0
    assert "is already up (mode rps)" in answer.out
    assert (lab.folder / journal.NAME).read_bytes() == before


def test_up_in_another_mode_is_refused(lab: LabUnderTest) -> None:
    answer = lab("up", "--mode", "inline")
    assert answer.status == 2
    assert "is up in mode rps" in answer.err


def test_status_names_hosts_servers_forwarding_and_ruleset(lab: LabUnderTest) -> None:
    answer = lab("status")
    assert answer.status == 0, answer.out
    for host in HOSTS:
        pid = int((lab.folder / f"sshd_{host}.pid").read_text())
        assert f"sshd {pid}" in answer.out
        assert lab.namespace(host) in answer.out
    assert "forwards IPv4 and IPv6" in answer.out
    assert "ruleset of the dut: no rules" in answer.out
    assert "changed since" not in answer.out
    # packets of this queue are then forwarded by the sender's CPU
    mask = "/sys/class/net/dut0/queues/rx-0/rps_cpus"
    lab.inside("dut", "sh", "-c", f"echo 0 >{mask}")
    told = "dut0: rps_cpus of its queues is 0 and 2 instead of 2"
    assert f"changed since it was brought up: {told}\n" in lab("status").out
    assert f"is already up (mode rps), but was changed since ({told})" in lab("up").out
    lab.inside("dut", "sh", "-c", f"echo 2 >{mask}")


def test_rules_come_go_and_are_told_by_status(lab: LabUnderTest) -> None:
    def listed() -> int:
        return lab.ssh("dut", "nft list ruleset").count("udp dport")

    assert lab("rules", 5).out == "5 rules in the dut's forward hook\n"
    assert listed() == 5
    assert "ruleset of the dut: 5 rules" in lab("status").out
    lab.ssh("dut", f"sh {lab.folder}/rules 20")  # as a plain command over ssh
    assert listed() == 20
    assert lab("rules", 0).status == 0
    assert listed() == 0


def test_rules_are_refused_where_they_would_not_be_the_dut_s(lab: LabUnderTest) -> None:
    done = subprocess.run(
        [*lab.ssh_command("sink"), f"sh {lab.folder}/rules 3"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "not on the dut" in done.stderr
    assert lab("rules", -1).status == 2
    assert lab("rules", 20001).status == 2
