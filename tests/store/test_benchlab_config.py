"""Which configuration of a bench-lab tree a result was measured under, and which of its files are read."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.parse.benchlab_info import BenchInfo
from fwdtui.core.settings_files import FILES_MOST
from fwdtui.store.benchlab_config import Configs
from fwdtui.store.benchlab_tree import Result


def of(key: str, config: str | None = None) -> Result:
    """A result; `config`: of its .info, None if it has none."""
    info = None if config is None else BenchInfo(config=config)
    return Result(key, "r1", key, info, None, ())


def kept(folder: Path, *results: Result) -> tuple[list[HostSettings], list[str]]:
    """The settings that are kept of the results in `folder`, and the notes."""
    found: list[HostSettings] = []

    def write(settings: HostSettings) -> bool:
        found.append(settings)
        return True

    notes = Configs().keep(write, folder, results)
    return found, notes


def chosen(folder: Path, *results: Result) -> dict[str, Sequence[str]]:
    """Configuration -> the cases that ran under it."""
    return {Path(one.origin).name: one.cases for one in kept(folder, *results)[0]}


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return tmp_path / "above" / "bench"


def config(bench: Path, name: str, *files: str) -> Path:
    """bench/configs/NAME with files of one setting each."""
    folder = bench / "configs" / name
    folder.mkdir(parents=True)
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(f'a="{Path(file).name}"\n')
    return folder


# where configurations are


@pytest.mark.parametrize(
    ("results", "found"),
    [
        (".", True),
        ("results", True),
        ("results/may", True),
        ("results/may/RAW", True),
        ("results/may/RAW/deeper", False),
    ],
)
def test_configs_is_beside_the_results_or_up_to_three_folders_above(
    bench: Path, results: str, found: bool
) -> None:
    config(bench, "on", "etc/rc.conf")
    (bench / results).mkdir(parents=True, exist_ok=True)
    assert chosen(bench / results, of("on.v4")) == ({"on": ("on.v4",)} if found else {})


def test_the_nearest_configs_counts_even_if_it_is_empty(bench: Path) -> None:
    config(bench, "on", "etc/rc.conf")
    (bench / "results" / "configs").mkdir(parents=True)
    assert chosen(bench / "results", of("on.v4", "on")) == {}


def test_only_a_folder_is_a_configuration_and_a_link_to_one_is_not(bench: Path) -> None:
    real = config(bench, "real", "etc/rc.conf")
    (bench / "configs" / "linked").symlink_to(real)
    (bench / "configs" / "file").write_text("a=1\n")
    assert chosen(bench, of("x", "linked"), of("y", "file"), of("z", "real")) == {"real": ("z",)}


# which of them a result had


def test_the_cases_of_one_configuration_are_kept_with_it_once(bench: Path) -> None:
    config(bench, "on", "etc/rc.conf")
    config(bench, "off", "etc/rc.conf")
    results = [of("a", "on"), of("b", "off"), of("c", "on"), of("a", "on")]
    assert chosen(bench, *results) == {"on": ("a", "c"), "off": ("b",)}


@pytest.mark.parametrize(
    ("names", "key", "found"),
    [
        (("pf",), "r1.pf.v4", "pf"),
        (("pf",), "pf", "pf"),
        (("pf",), "r1.ipf.v4", None),  # whole parts only
        (("pf",), "r1.pfx.v4", None),
        (("pf.state",), "r1.pf.state.v4", "pf.state"),
        (("pf", "pf.state"), "r1.pf.state.v4", "pf.state"),  # the longest, in whatever order
        (("v4", "pf.state", "pf"), "r1.pf.state.v4", "pf.state"),
        (("v", "on", "off"), "v.off.on", "off"),
    ],
)
def test_without_info_the_longest_configuration_in_the_name_is_meant(
    bench: Path, names: tuple[str, ...], key: str, found: str | None
) -> None:
    for name in names:
        config(bench, name, "etc/rc.conf")
    assert chosen(bench, of(key)) == ({found: (key,)} if found else {})


@pytest.mark.parametrize("three", [True, False])
def test_two_of_the_same_length_are_both_named_in_the_note(bench: Path, three: bool) -> None:
    for name in ("x", "on", "v4") if three else ("on", "v4", "other"):
        config(bench, name, "etc/rc.conf")
    settings, (note,) = kept(bench, of("x.on.v4"))
    assert settings == []
    assert note in (
        "x.on.v4: on or v4 in configs: its settings are not known",
        "x.on.v4: v4 or on in configs: its settings are not known",
    )


def test_what_info_says_counts_and_not_the_name(bench: Path) -> None:
    config(bench, "on", "etc/rc.conf")
    settings, notes = kept(bench, of("on.v4", "off"))
    assert settings == []
    assert notes == ["on.v4: no folder in configs is named off: its settings are not known"]
    # an .info that names none leaves it to the name
    assert chosen(bench, of("on.v4", "")) == {"on": ("on.v4",)}


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (True, []),
        (False, ["configs/on: too many configurations: its settings are not kept"]),
        ("they are too large", ["configs/on: they are too large"]),
    ],
)
def test_what_could_not_be_kept_is_told(bench: Path, answer: bool | str, note: list[str]) -> None:
    def write(settings: HostSettings) -> bool:
        if isinstance(answer, str):
            raise FwdtuiError(answer)
        return answer

    config(bench, "on", "etc/rc.conf")
    assert Configs().keep(write, bench, [of("a", "on")]) == note


def test_each_session_of_a_folder_gets_its_configurations_and_another_folder_its_own(tmp_path: Path) -> None:
    for lab in ("one", "two"):
        config(tmp_path / lab, "on", f"etc/{lab}.conf")
    configs = Configs()
    found: list[tuple[str, Sequence[str]]] = []

    def write(settings: HostSettings) -> bool:
        found.append((settings.sources[0].name, settings.cases))
        return True

    for lab, case in (("one", "a"), ("one", "b"), ("two", "c"), ("one", "d")):
        configs.keep(write, tmp_path / lab, [of(case, "on")])
    expected = [("/etc/one.conf", ("a",)), ("/etc/one.conf", ("b",)), ("/etc/two.conf", ("c",))]
    assert found == [*expected, ("/etc/one.conf", ("d",))]


# which files


def read(bench: Path) -> dict[str, str]:
    """File -> why it was not read, "" if it was."""
    ((settings,), _) = kept(bench, of("a", "on"))
    return {one.name: one.missing for one in settings.sources}


@pytest.mark.parametrize("folders", [8, 9])
def test_files_are_read_up_to_eight_folders_deep(bench: Path, folders: int) -> None:
    deep = "/".join(["etc", "sysctl.d", *"abcdefg"[: folders - 2], "x.conf"])
    config(bench, "on", "etc/rc.conf", deep)
    assert read(bench) == {"/etc/rc.conf": ""} | ({f"/{deep}": ""} if folders == 8 else {})


@pytest.mark.parametrize("more", [0, 1])
def test_as_many_files_are_read_as_one_configuration_may_have(bench: Path, more: int) -> None:
    config(bench, "on", *(f"boot/{number:03d}" for number in range(FILES_MOST + more)))
    found = read(bench)
    assert ("/boot/199" in found, "/boot/200" in found) == (True, False)
    assert found.get("further files") == ("only the first 200 are read" if more else None)


def test_a_linked_folder_is_not_entered_and_a_linked_file_not_read(bench: Path) -> None:
    folder = config(bench, "on", "etc/rc.conf")
    (folder / "boot").symlink_to(folder / "etc")
    (folder / "etc" / "sysctl.conf").symlink_to("rc.conf")
    assert read(bench) == {
        "/boot": "not a file that is read as settings",
        "/etc/rc.conf": "",
        "/etc/sysctl.conf": "a link, not a regular file",
    }
