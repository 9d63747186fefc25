"""`--factor` and `--count` of `live` and `run`: a mistake ends the command before the lab is read."""

from pathlib import Path

import pytest

from fwdtui.cli import headless, main, screen


@pytest.mark.parametrize("command", ["live", "run"])
def test_a_wrong_factor_is_one_line_and_status_2(command, capsys):
    assert main([command, "nowhere.toml", "--headless", "--factor", "rate=fast"]) == 2
    assert capsys.readouterr().err == (
        'fwdtui: --factor rate: expected a rate such as "300 kpps" or "1 Gb/s", got \'fast\'\n'
    )


@pytest.mark.parametrize("command", ["live", "run"])
def test_a_wrong_event_is_one_line_and_status_2(command, capsys):
    assert main([command, "nowhere.toml", "--headless", "--count", "cycles,-v"]) == 2
    assert capsys.readouterr().err == (
        "fwdtui: --count: expected an event such as cycles or LLC-load-misses, got '-v'\n"
    )


@pytest.mark.parametrize(
    ("command", "where", "name"),
    [
        (["live", "--headless"], headless, "watch"),
        (["run", "--headless"], headless, "run"),
        (["live"], screen, "live_screen"),
        (["run"], screen, "run_screen"),
    ],
)
def test_with_and_without_a_screen_factors_and_events_are_those_given(command, where, name, monkeypatch):
    given: list[object] = []
    monkeypatch.setattr(where, name, lambda *arguments: given.extend(arguments) or 0)
    options = ["--factor", "af=inet4", "--factor", "Flows=20", "--count", "cycles, instructions"]
    options.append("--drop-reasons")
    assert main([*command, "lab.toml", "--case", "v4", *options]) == 0
    assert given[0] == Path("lab.toml") and "v4" in given
    assert given[-3:] == [{"af": "inet4", "flows": "20"}, ("cycles", "instructions"), True]
