"""The example plug-in's system, which others are made after, keeps all that Linux says of a host."""

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from fwdtui.collectors.base import Facts
from fwdtui.collectors.watch import Watch
from fwdtui.transport.base import Completed

SYSTEM = Path(__file__).parents[2] / "examples" / "fwdtui-plugin" / "fwdtui_plugin" / "system.py"


@pytest.fixture
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_system", SYSTEM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("status", "routes"), [(0, 3), (1, None)])
async def test_what_a_host_does_not_have_stays_told_apart_from_what_was_not_read(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, status: int, routes: int | None
) -> None:
    """Else a fact of one image would be told of an iteration on the next one."""
    linux = Facts({"kernel": "6.1"}, ("lo.driver (none)",), frozenset({"kernel_modified", "lo."}))

    async def facts(*_: object) -> Facts:
        return linux

    async def run(_: str) -> Completed:
        return Completed(b"3\n", b"", status)

    monkeypatch.setattr(example, "by_name", lambda name: SimpleNamespace(facts=facts))
    found = await example.SYSTEM.facts(SimpleNamespace(run=run), Watch("dut", ("lo",)), ())
    assert found.absent == linux.absent
    assert found.values.get("routes") == routes
    assert found.notes == (*linux.notes, *(["routes"] if routes is None else []))
