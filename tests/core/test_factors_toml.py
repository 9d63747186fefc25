"""Values without quotation marks that TOML reads as another number than is meant."""

from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.tables import read as read_experiment
from fwdtui.core.factors_toml import toml
from fwdtui.core.lab import parse
from fwdtui.store import factors_file
from fwdtui.store.annotations_text import Reader
from fwdtui.store.plain import toml as stored

LAB = """
[generator]
host = "gen"
interface = "g0"
[dut]
host = "dut"
in = "d0"
out = "d1"
"""


@pytest.mark.parametrize(
    ("written", "value"),
    [("6.10", "6.10"), ("14.0", "14.0"), ("6.1", 6.1), ("1e3", "1e3"), ("15", 15), ('"6.10"', "6.10")],
)
def test_the_name_of_an_image_stays_as_it_is_written(written: str, value: object) -> None:
    assert toml(f"image = {written}", "f") == {"image": value}


def test_every_other_number_is_one() -> None:
    content = toml("rate = 6.10\n[run]\nloads = [1.50, {value = 2.0}]\n", "f")
    assert content == {"rate": 6.1, "run": {"loads": [1.5, {"value": 2.0}]}}
    assert {type(content["rate"]), type(content["run"]["loads"][0])} == {float}


def test_so_it_is_in_every_file_in_which_factors_are_stated(tmp_path: Path) -> None:
    assert parse(f"{LAB}[factors]\nImage = 6.10\nflows = 24\n").factors == {"image": "6.10", "flows": 24}
    said = factors_file.read(tmp_path / "factors.toml", b'[results."*".factors]\nimage = 6.10\n')
    assert [one.factors for one in said] == [{"image": "6.10"}]
    path = tmp_path / "annotations.toml"
    corrected = stored(b"[cases.v4.factors]\nconfig = 14.0\n", path, stated=True)
    assert Reader(path).annotations(corrected).cases == {"v4": {"config": "14.0"}}


def test_the_levels_of_an_experiment_are_as_they_are_written() -> None:
    text = """
name = "kernels"
cells = [{ image = 6.9 }, { image = 6.10 }]
[[factor]]
name = "image"
levels = [6.9, 6.10, { value = 6.20, reboot = true }]
[[factor]]
name = "load"
levels = [0.5, 1.0]
[[traffic]]
name = "plain"
generator = "send"
variables = { image = 7.0 }
"""
    file = read_experiment(text, "experiment.toml")
    image, load = file.factor
    assert image.levels[:2] == (6.9, "6.10") and image.levels[2].value == "6.20"  # type: ignore[union-attr]
    assert load.levels == (0.5, 1.0)
    assert file.cells == ({"image": 6.9}, {"image": "6.10"}) and file.traffic[0].variables == {"image": "7.0"}


IN_EACH_KIND_OF_FILE = {
    "lab.toml": "\n[factors]\nimage = 6.10\nkernel = 6.10\n",
    "experiment.toml": """# kernel = 6.10
[[factor]]
name = "kernel"  # not 6.10
levels = ["6.10", 6.10]""",
    "a level's table": """title = '''6.10'''
[[factor]]
name = "kernel"
levels = [
  { note = "no \\" 6.10", value = 6.10 }, { value = 6.1 }]""",
    "cells": "a = 6.10\nb = [6.10]\n\ncells = [{ rate = 6.10, kernel = 6.10 }]",
    "factors.toml": '[results."a.6.10"]\n[results."*".factors]\n\nkernel = 6.10',
    "variables": '[[traffic]]\ngenerator = "6.10"\nvariables = { kernel = 6.10 }',
}


@pytest.mark.parametrize(
    ("text", "line"),
    list(zip(IN_EACH_KIND_OF_FILE.values(), (4, 4, 5, 4, 4, 3), strict=True)),
    ids=IN_EACH_KIND_OF_FILE.keys(),
)
def test_a_version_without_quotation_marks_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(FwdtuiError) as refused:
        toml(text, "f.toml")
    assert str(refused.value) == (
        f"f.toml: line {line}: kernel = 6.10 is the number 6.1 in TOML: "
        'write "6.10" with quotation marks if it is a name such as a version, else 6.1'
    )


@pytest.mark.parametrize(
    "number",
    [
        "6.1",
        "0.5",
        "1.0",
        "14.0",
        "1e3",
        "1.5e-3",
        "0.1234567890123456789",
        "0.50",
        "0.00",
        "100000000000000000.0",
    ],
)
def test_a_number_that_loses_no_zeros_and_a_share_are_numbers(number: str) -> None:
    assert toml(f"[factors]\nload = {number}\n", "f") == {"factors": {"load": float(number)}}


@pytest.mark.parametrize("name", ["rate", "attack_rate", "frame_size"])
def test_the_field_s_own_quantities_are_numbers_however_they_are_written(name: str) -> None:
    assert toml(f"factors.{name} = 1.50\nrun.x = 1.50\n", "f") == {"factors": {name: 1.5}, "run": {"x": 1.5}}


def test_notes_on_a_session_that_is_there_are_read_as_before(tmp_path: Path) -> None:
    content = stored(b"[factors]\nkernel = 6.10\n", tmp_path / "annotations.toml", stated=True, doubtful=True)
    assert content == {"factors": {"kernel": 6.1}}
