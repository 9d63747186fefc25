"""configs/ of a bench-lab tree become settings: of the right cases, without secrets."""

import json
import os
from pathlib import Path

import pytest
from fixtures import benchlab

from fwdtui.cli import main
from fwdtui.store import host_settings, read_session
from fwdtui.store.benchlab import import_tree

SHARED = Path(__file__).resolve().parents[3] / "shared" / "archive"
TXABDICATE = SHARED / "AMD_GX-412TC_4Cores" / "Intel_i210AT" / "txabdicate"
CHANNELS = SHARED / "Xeon_E5-2650v4_2x12Cores" / "Mellanox_ConnectX-4" / "dev.mce.conf.channels"


def lab(root: Path, *cases: tuple[str, str], raw: str = "RAW") -> Path:
    """A bench folder with results of cases (CFG, PKTGEN): its results folder."""
    results = root / "bench" / "results" / "r1"
    benchlab.write(results, [benchlab.Case(cfg, pktgen, [1e6, 1e6]) for cfg, pktgen in cases], raw)
    for cfg, pktgen in cases:
        info = next(results.rglob(f"bench.{cfg}.{pktgen}.info"))
        info.write_text(f'IMAGE=""\nCFG="{cfg}"\nPKTGEN="{pktgen}"\nUNAME="FreeBSD dut"')
    return results


def config(root: Path, name: str, **files: str) -> Path:
    """bench/configs/NAME with files by path."""
    folder = root / "bench" / "configs" / name
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def settings_of(path: Path) -> dict[tuple[str, ...], dict[str, str]]:
    return {one.cases: dict(one.settings()) for one in host_settings.read(path).settings}


def test_each_session_has_the_settings_that_its_info_names(tmp_path: Path) -> None:
    results = lab(tmp_path, ("off", "inet4"), ("off", "inet6"), ("on", "inet4"))
    config(tmp_path, "off", **{"etc/sysctl.conf": "a=0\n", "boot/loader.conf.local": 'b="1"\n'})
    config(tmp_path, "on", **{"etc/sysctl.conf": "a=1\n"})
    config(tmp_path, "unused", **{"etc/sysctl.conf": "a=2\n"})
    off, on = import_tree(results, tmp_path / "s")
    assert settings_of(off.path) == {
        ("inet4", "inet6"): {"/boot/loader.conf.local/b": "1", "/etc/sysctl.conf/a": "0"}
    }
    assert settings_of(on.path) == {("inet4",): {"/etc/sysctl.conf/a": "1"}}
    (kept,) = host_settings.read(on.path).settings
    assert (kept.host, kept.roles, kept.origin, kept.taken) == ("dut", ("dut",), "bench/configs/on", "")
    assert read_session(on.path, verify=True).problems == ()


def test_cases_of_one_session_may_have_settings_of_their_own(tmp_path: Path) -> None:
    results = tmp_path / "bench" / "results" / "r1"
    benchlab.write(results, [benchlab.Case("r1", "pf.v4", [1e6]), benchlab.Case("r1", "ipfw.v4", [1e6])])
    for cfg in ("pf", "ipfw"):
        info = next(results.rglob(f"bench.r1.{cfg}.v4.info"))
        info.write_text(f'IMAGE="r1"\nCFG="{cfg}"\nPKTGEN="v4"\n')
        config(tmp_path, cfg, **{"etc/rc.conf": f'firewall="{cfg}"\n'})
    (session,) = import_tree(tmp_path, tmp_path / "s")
    assert settings_of(session.path) == {
        ("pf.v4",): {"/etc/rc.conf/firewall": "pf"},
        ("ipfw.v4",): {"/etc/rc.conf/firewall": "ipfw"},
    }


def test_a_name_says_what_info_does_not(tmp_path: Path) -> None:
    results = tmp_path / "bench" / "results" / "r1"
    benchlab.write(results, [benchlab.Case("x", "17", [1e6])])
    for info in results.rglob("*.info"):
        info.unlink()
    for name in ("1", "7", "17"):
        config(tmp_path, name, **{"etc/sysctl.conf": f"n={name}\n"})
    (session,) = import_tree(results, tmp_path / "s")
    assert list(settings_of(session.path).values()) == [{"/etc/sysctl.conf/n": "17"}]


def test_a_name_that_fits_two_configurations_says_nothing(tmp_path: Path) -> None:
    results = tmp_path / "bench" / "results" / "r1"
    benchlab.write(results, [benchlab.Case("on", "v4", [1e6])])
    for info in results.rglob("*.info"):
        info.unlink()
    for name in ("on", "v4"):
        config(tmp_path, name, **{"etc/sysctl.conf": "a=1\n"})
    (session,) = import_tree(results, tmp_path / "s")
    assert settings_of(session.path) == {}
    assert any("in configs: its settings are not known" in note for note in session.notes)


def test_a_configuration_that_is_not_there_is_told_where_others_are(tmp_path: Path) -> None:
    results = lab(tmp_path, ("off", "inet4"))
    config(tmp_path, "on", **{"etc/sysctl.conf": "a=1\n"})
    (session,) = import_tree(results, tmp_path / "s")
    assert settings_of(session.path) == {}
    assert "off.inet4: no folder in configs is named off: its settings are not known" in session.notes


def test_a_tree_without_configurations_says_nothing(tmp_path: Path) -> None:
    results = lab(tmp_path, ("off", "inet4"))
    (session,) = import_tree(results, tmp_path / "s")
    assert not (session.path / "settings").exists()
    assert not any("config" in note for note in session.notes)


def test_secrets_are_not_kept_and_other_files_are_named(tmp_path: Path) -> None:
    results = lab(tmp_path, ("off", "inet4"))
    folder = config(
        tmp_path,
        "off",
        **{
            "etc/rc.conf": 'ifconfig_igb1="inet vhid 1 pass hunter2 alias 192.0.2.1/32"\nwpa_psk="hunter2"\n',
            "usr/local/etc/wireguard/wg0.conf": "PrivateKey = hunter2\n",
            "root/.ssh/authorized_keys": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAhunter2",
            "etc/sysctl.conf": "a=1\n" + "#" * (1 << 20),
        },
    )
    (folder / "etc" / "rc.conf.local").symlink_to("/etc/passwd")
    os.mkfifo(folder / "etc" / "rc.conf.misc")
    (session,) = import_tree(results, tmp_path / "s")
    text = next((session.path / "settings").iterdir()).read_text()
    assert "hunter2" not in text and text.count("(secret, not kept)") == 2 and "root:" not in text
    (kept,) = host_settings.read(session.path).settings
    assert {one.name: one.missing for one in kept.sources if one.missing} == {
        "/etc/rc.conf.local": "a link, not a regular file",
        "/etc/rc.conf.misc": "a named pipe, not a regular file",
        "/etc/sysctl.conf": "larger than the 1 MiB that fwdtui reads of such a file",
        "/root/.ssh/authorized_keys": "not a file that is read as settings",
        "/usr/local/etc/wireguard/wg0.conf": "not a file that is read as settings",
    }


@pytest.mark.parametrize("name", ["..", ".", "on/../../../x", "\x1b[2J"])
def test_a_name_in_info_is_never_a_path(tmp_path: Path, name: str) -> None:
    results = lab(tmp_path, ("off", "inet4"))
    config(tmp_path, "on", **{"etc/sysctl.conf": "a=1\n"})
    (tmp_path / "bench" / "etc").mkdir()
    (tmp_path / "bench" / "etc" / "sysctl.conf").write_text("outside=1\n")
    next(results.rglob("*.info")).write_text(f'IMAGE=""\nCFG="{name}"\nPKTGEN="inet4"\n')
    (session,) = import_tree(results, tmp_path / "s")
    assert settings_of(session.path) == {}
    assert not any("\x1b" in note for note in session.notes)


def compared(base: str, other: str, into: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    main(["compare", base, other, "--sessions", str(into), "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["settings"]
    return found


@pytest.mark.skipif(not TXABDICATE.exists(), reason=f"needs {TXABDICATE}")
def test_the_only_difference_of_a_published_benchmark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its report says "identical except the runtime sysctl"; so it is, in its four configuration files."""
    import_tree(TXABDICATE, tmp_path)
    before, after = "fbsd16-n311215", "fbsd16-n311215.D58513"
    for build in (before, after):
        found = compared(f"{build}.txabdicate_off", f"{build}.txabdicate_on", tmp_path, capsys)
        assert found["sentence"] == (
            "The only difference found in 68 settings of 4 configuration files is "
            "dev.igb.{0,1,2}.iflib.tx_abdicate: not set -> 1 (/etc/sysctl.conf)."
        )
    found = compared(f"{before}.txabdicate_on", f"{after}.txabdicate_on", tmp_path, capsys)
    assert found["sentence"] == "The 68 settings of 4 configuration files that were compared agree."
    # by factors it is one sentence for all four cells
    sessions = [path.name for path in sorted(tmp_path.iterdir())]
    main(["compare", *sessions, "--sessions", str(tmp_path), "--by", "config", "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["settings"]
    assert len(found["cases"]) == 4 and found["changes"] == [
        "dev.igb.{0,1,2}.iflib.tx_abdicate: not set -> 1 (/etc/sysctl.conf)"
    ]


@pytest.mark.skipif(not CHANNELS.exists(), reason=f"needs {CHANNELS}")
def test_a_published_sweep_over_queues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_tree(CHANNELS / "results" / "fbsd12-head.r335286", tmp_path)
    found = compared("1", "23", tmp_path, capsys)
    assert found["sentence"] == (
        "The only difference found in 45 settings of 4 configuration files is "
        "dev.mce.{0,1}.conf.channels: 1 -> 23 (/boot/loader.conf.local)."
    )
