"""The script that counts the error rates, at a length that a test run can bear."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "error_rates.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("error_rates", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize(
    "name", ["single", "families", "together", "topping", "warnings", "alike", "interaction"]
)
def test_every_promise_is_kept_in_a_short_run(script, name):
    rows = list(script.TABLES[name](np.random.default_rng([7, len(name)]), 300))
    assert len({row.what for row in rows}) == len(rows) > 2
    assert any(row.most is not None for row in rows)
    assert [row.what for row in rows if not row.kept] == []


def test_a_broken_promise_is_reported(script, monkeypatch, capsys):
    rows = [script.Row("too many", 0.2, 1000, 0.05), script.Row("within the error", 0.06, 100, 0.05)]
    monkeypatch.setattr(script, "TABLES", {"made": lambda rng, draws: iter(rows)})
    monkeypatch.setattr(sys, "argv", ["error_rates.py"])
    assert script.main() == 1
    printed = capsys.readouterr().out
    assert "| too many | 20.00 % | at most 5 % **broken** | 1000 |" in printed
    assert "| within the error | 6.00 % | at most 5 % | 100 |" in printed


def test_welch_alone_breaks_the_promise_at_three_against_twenty(script):
    rng = np.random.default_rng(8)
    base, other = (script.moments(rng.normal(size=(2000, 7, n))) for n in (3, 20))
    found = script.gate(base, other, 0.01, 0.05).welch
    assert np.mean((found.welch_p * 7 < 0.05).any(axis=-1)) > 0.1
    assert np.mean((found.p * 7 < 0.05).any(axis=-1)) < 0.05
