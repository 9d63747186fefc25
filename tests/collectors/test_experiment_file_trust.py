"""An experiment with its lab and its uploads: what is read, and what has to be trusted before it runs."""

import hashlib
from pathlib import Path

import pytest

from fwdtui.collectors.experiment_file import ReadExperiment, read_experiment
from fwdtui.collectors.lab_trust import UntrustedError, standing, to_trust
from fwdtui.core.errors import FwdtuiError
from fwdtui.transport import trusted

LAB = (
    '[generator]\nhost = "gen"\ninterface = "g0"\nstart = "send"\n[dut]\nhost = "dut"\nin = "a"\nout = "b"\n'
)
EXPERIMENT = (
    'name = "x"\n[[factor]]\nname = "rules"\n[[factor.levels]]\nvalue = 0\n[[factor.levels]]\nvalue = 1\n'
    'upload = { "rules.nft" = "/tmp/r.nft", "kernel" = "/tmp/k" }\napply = "nft -f /tmp/r.nft"\n'
)
RULES, KERNEL = b"flush ruleset\n", b"\x7fELF\0\1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir(mode=0o700)
    (folder / "lab.toml").write_text(LAB)
    (folder / "experiment.toml").write_text(EXPERIMENT)
    (folder / "rules.nft").write_bytes(RULES)
    (folder / "kernel").write_bytes(KERNEL)
    return folder


def allow(path: Path) -> None:
    """As `fwdtui trust` does."""
    for root, files in to_trust(path):
        trusted.allow(root, files)


def refused(read: ReadExperiment) -> str:
    with pytest.raises(UntrustedError) as error:
        read.check()
    return str(error.value)


def test_an_experiment_is_read_with_its_lab_and_uploads(folder: Path) -> None:
    read = read_experiment(folder)
    assert read.path == folder / "experiment.toml" and read.lab_path == folder / "lab.toml"
    assert read.lab.dut.host == "dut" and len(read.plan.trials) == 12 and read.text == EXPERIMENT
    assert {name: one.content() for name, one in read.uploads.items()} == {
        "rules.nft": RULES,
        "kernel": KERNEL,
    }


def test_the_digest_is_that_of_a_list_as_sha256sum_prints_it(folder: Path) -> None:
    listed = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n"
        for name, data in (
            ("experiment.toml", EXPERIMENT.encode()),
            ("rules.nft", RULES),
            ("kernel", KERNEL),
        )
    )
    first = read_experiment(folder).plan.digest
    assert first == hashlib.sha256(listed.encode()).hexdigest()
    assert read_experiment(folder, seed=5).plan.digest != first
    (folder / "kernel").write_bytes(b"another")
    assert read_experiment(folder).plan.digest != first


def test_another_lab_and_seed_replace_those_of_the_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(LAB.replace('"dut"', '"router"'))
    read = read_experiment(folder, lab=tmp_path / "other.toml", seed=9)
    assert read.lab.dut.host == "router" and read.lab_path == tmp_path / "other.toml"
    assert read.plan.experiment.seed == 9


def test_nothing_runs_before_the_file_and_its_uploads_are_trusted(folder: Path) -> None:
    assert refused(read_experiment(folder)) == (
        f"{folder}/experiment.toml: not trusted yet: it runs commands on the hosts and copies files to them."
        f" Read and allow it with: fwdtui trust {folder}"
    )
    allow(folder)
    read_experiment(folder).check()


@pytest.mark.parametrize("name", ["experiment.toml", "rules.nft", "kernel"])
def test_any_change_asks_again(folder: Path, name: str) -> None:
    allow(folder)
    with (folder / name).open("ab") as file:
        file.write(b"\n# more\n")
    assert "has changed since you trusted it" in refused(read_experiment(folder))
    assert standing(folder / "experiment.toml") == f"{name} has changed: you will be asked again"


def test_a_text_is_shown_in_full_and_of_anything_else_the_digest(folder: Path) -> None:
    shown = dict(to_trust(folder))[folder / "experiment.toml"]
    assert [file.path.name for file in shown] == ["experiment.toml", "rules.nft", "kernel"]
    assert shown[1].lines == ("flush ruleset",)
    sha256 = hashlib.sha256(KERNEL).hexdigest()
    assert shown[2].lines == (f"not a text to be shown: {len(KERNEL)} bytes, SHA-256 {sha256}",)


def test_a_text_that_says_what_is_said_of_a_binary_file_is_not_taken_for_it(folder: Path) -> None:
    allow(folder)
    told = to_trust(folder)[1][1][2].data
    (folder / "kernel").write_bytes(told)
    read = read_experiment(folder)
    assert read.uploads["kernel"].sha256 == hashlib.sha256(told).hexdigest()
    assert "has changed" in refused(read)


def test_an_upload_that_changes_after_it_was_read_is_not_sent(folder: Path) -> None:
    read = read_experiment(folder)
    (folder / "rules.nft").write_bytes(b"drop everything\n")
    with pytest.raises(FwdtuiError, match=r"rules\.nft has changed since the experiment was read"):
        read.uploads["rules.nft"].content()


def test_trusting_an_experiment_of_any_name_asks_about_its_lab_too(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(LAB)
    mine = folder / "night.toml"
    mine.write_text('lab = "../lab.toml"\n' + EXPERIMENT)
    (folder / "experiment.toml").unlink()
    roots = [root for root, _ in to_trust(mine)]
    assert [root.resolve() for root in roots] == [mine.resolve(), (tmp_path / "lab.toml").resolve()]
    assert f"fwdtui trust {mine}" in refused(read_experiment(mine))
    allow(mine)
    read_experiment(mine).check()


def test_a_file_that_is_no_experiment_yet_is_trusted_alone_and_asked_about_again_once_it_is(
    folder: Path,
) -> None:
    (folder / "experiment.toml").write_text("name = \n")
    assert [file.path.name for file in dict(to_trust(folder))[folder / "experiment.toml"]] == [
        "experiment.toml"
    ]
    allow(folder)
    (folder / "experiment.toml").write_text(EXPERIMENT)
    assert "has changed" in refused(read_experiment(folder))


def test_experiments_in_a_lab_that_fwdtui_made_and_in_the_users_configuration_need_no_trust(
    folder: Path,
) -> None:
    trusted.made(folder)
    try:
        read_experiment(folder).check()
    finally:
        trusted.unmade(folder)
    own = Path.home() / ".config" / "experiment"
    own.parent.mkdir(exist_ok=True)
    folder.rename(own)
    read_experiment(own).check()
    assert dict(to_trust(own))[own / "experiment.toml"] == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            EXPERIMENT.replace("rules.nft", "gone.nft"),
            "experiment.toml: upload 'gone.nft': there is no file ",
        ),
        (
            'lab = "gone.toml"\n' + EXPERIMENT,
            "gone.toml: no such file; to use a lab.toml other than the one that ",
        ),
        (
            'lab = "a\\u0000b"\n' + EXPERIMENT,
            "'a\\x00b' cannot be a file: a null byte in it",
        ),
        ('lab = "~nobody-here/x"\n' + EXPERIMENT, "'~nobody-here/x' cannot be a file: "),
        ("name = 3\n", "experiment.toml: name: expected a string, got 3"),
    ],
)
def test_an_error_names_the_file(folder: Path, text: str, message: str) -> None:
    (folder / "experiment.toml").write_text(text)
    with pytest.raises(FwdtuiError) as error:
        read_experiment(folder)
    assert message in str(error.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FwdtuiError, match=r"/experiment\.toml: there is no such file"):
        read_experiment(tmp_path)
