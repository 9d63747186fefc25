"""A mutation run: one small fault at a time is put into the code, and the tests must notice it.

    python scripts/mutation.py map                  which test executes which line, with coverage.py
    python scripts/mutation.py run --each 200       faults drawn at random, so many a package
    python scripts/mutation.py report               the score and the faults that nobody noticed

The faults are cosmic-ray's, but for numbers, which are scaled: a threshold that is half as large again is a
fault that a test should see, and 1.5 in place of 0.5 is one that every test sees. Nothing is written to the
code: each fault is tried in a process of its own, which imports the faulty text in place of the module. Only
tests that execute the faulty line run, the quickest first, until one fails.

It needs cosmic-ray and pytest-cov: `.venv/bin/pip install cosmic-ray pytest-cov`.
"""

import argparse
import ast
import importlib.util
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".mutation"
MAP, TIMES, RESULTS = WORK / "coverage", WORK / "times.json", WORK / "results.jsonl"
PACKAGES = {
    "core": ["fwdtui/core"],
    "stats": ["fwdtui/stats"],
    "store": ["fwdtui/store"],
    "monitor": ["fwdtui/monitor"],
    "trust": [
        "fwdtui/transport/known_hosts.py",
        "fwdtui/transport/ssh_files.py",
        "fwdtui/transport/trusted.py",
        "fwdtui/transport/wire/trust.py",
    ],
}
TESTS = [
    f"tests/{part}"
    for part in (
        *("core", "core_profile", "stats", "store", "monitor", "experiments", "report", "cli"),
        *("collectors", "collectors_tools", "transport"),
    )
]
_STRUCT = re.compile(r"@dataclass|class ")  # frozen=True and the like: mypy and ruff check these, no test
FIRST, MOST = 20, 200  # how many tests run first, and how many in all
SECONDS = 25.0  # of tests for each fault, by the times of the map
ASIDE = 20.0  # a fault has hung the tests after five times what they usually take, and so many seconds more
OPERATORS = [
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in (
        "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt", "Eq_NotEq",
        "NotEq_Eq", "Is_IsNot", "IsNot_Is",
    )),
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in (
        "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_Add", "Pow_Mul",
    )),
    *(f"core/{name}" for name in (
        "ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Not", "AddNot", "ReplaceTrueWithFalse",
        "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue",
        "ReplaceContinueWithBreak", "ExceptionReplacer", "ZeroIterationForLoop",
    )),
]  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One fault. `occurrence` counts the places where the operator applies; `line` is that of this one."""

    package: str
    file: str
    line: int
    operator: str
    occurrence: int


# --- the map


def make_map() -> int:
    """Run the tests once with coverage.py, with a context for each test."""
    WORK.mkdir(exist_ok=True)
    environment = os.environ | {"COVERAGE_FILE": str(MAP), "PYTHONPATH": str(ROOT / "scripts")}
    options = ["--cov=fwdtui", "--cov-context=test", "--cov-report=", "-p", "mutation", "-n", "2"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *TESTS], cwd=ROOT, env=environment
    ).returncode


_times: dict[str, float] = {}


def pytest_runtest_logreport(report: object) -> None:
    """Note how long each test took. (This runs as a pytest plug-in, in the process that gets all reports.)"""
    node, seconds = report.nodeid, report.duration  # type: ignore[attr-defined]
    _times[node] = _times.get(node, 0.0) + seconds


def pytest_sessionfinish(session: object) -> None:
    if not hasattr(session.config, "workerinput") and WORK.is_dir() and _times:  # type: ignore[attr-defined]
        TIMES.write_text(json.dumps(_times))


class Map:
    """Which tests execute which lines."""

    def __init__(self) -> None:
        import coverage

        self._data = coverage.CoverageData(str(MAP))
        self._data.read()
        self.times: dict[str, float] = json.loads(TIMES.read_text())
        self._lines: dict[str, Mapping[int, list[str]]] = {}

    def tests(self, file: str, line: int) -> list[str]:
        """The tests that execute a line, the quickest first.

        If the import executes the line, these are all tests that use the module.
        """
        if file not in self._lines:
            self._lines[file] = self._data.contexts_by_lineno(str(ROOT / file))
        lines = self._lines[file]
        contexts = [c for c in lines.get(line, []) if c]
        if not contexts:
            contexts = sorted({c for found in lines.values() for c in found if c})
        nodes = {context.split("|")[0] for context in contexts}
        words = set(Path(file).stem.split("_"))

        def order(node: str) -> tuple[bool, float, str]:
            """Tests named after the module come first: others may never look at a constant."""
            return not words & set(Path(node.split("::")[0]).stem.split("_")[1:]), self.times[node], node

        return sorted((n for n in nodes if n in self.times), key=order)


# --- the faults


def faults(package: str, file: str) -> Iterator[Fault]:
    """All faults that the operators can make of a file."""
    from cosmic_ray.ast import ast_nodes, get_ast

    text = (ROOT / file).read_text()
    starts, rows, nodes = _statements(text), text.split("\n"), list(ast_nodes(get_ast(text)))
    for name in [*OPERATORS, "scale"]:
        operator, occurrence = _operator(name), 0
        for node in nodes:
            for position, _ in operator.mutation_positions(node):  # type: ignore[attr-defined]
                line = starts.get(position[0], position[0])
                if not _STRUCT.match(rows[position[0] - 1]):
                    yield Fault(package, file, line, name, occurrence)
                occurrence += 1


def _operator(name: str) -> object:
    if name != "scale":
        from cosmic_ray.plugins import get_operator

        return get_operator(name)()
    import parso
    from cosmic_ray.ast import is_number
    from cosmic_ray.operators.operator import Operator

    class Scale(Operator):  # type: ignore[misc]
        """Changes whole numbers below ten by one, up or down; others become half larger, or a third less."""

        def mutation_positions(self, node: parso.tree.NodeOrLeaf) -> Iterator[tuple[object, object]]:
            if is_number(node) and "j" not in node.value.lower():
                yield node.start_pos, node.end_pos
                yield node.start_pos, node.end_pos

        def mutate(self, node: parso.tree.NodeOrLeaf, index: int) -> parso.tree.NodeOrLeaf:
            old = ast.literal_eval(node.value)
            small = isinstance(old, int) and abs(old) < 10
            new = (old + 1, old - 1)[index] if small else type(old)((old * 1.5, old / 1.5)[index])
            return parso.python.tree.Number(f" {new!r}", node.start_pos)

        @classmethod
        def examples(cls) -> tuple[()]:
            return ()

    return Scale()


def _statements(text: str) -> dict[int, int]:
    """Line -> first line of the innermost statement that contains it, which is what coverage.py counts."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
            for line in range(node.lineno, max(end, node.lineno) + 1):
                found[line] = max(found.get(line, 0), node.lineno)
    return found


def faulty(fault: Fault) -> str | None:
    """The text of the file with the fault; None if that is not valid Python, or if nothing changes."""
    from cosmic_ray.mutating import mutate_code

    text = (ROOT / fault.file).read_text()
    try:
        made: str | None = mutate_code(text, _operator(fault.operator), fault.occurrence)
    except AttributeError:  # ``except msgspec.DecodeError``: cosmic-ray replaces only names without a dot
        return None
    try:
        same = made is None or ast.dump(_plain(made)) == ast.dump(_plain(text))
    except SyntaxError:
        return None
    return None if same else made


def _plain(text: str) -> ast.Module:
    """The syntax tree without annotations, which nothing here evaluates as numbers or comparisons.

    It is also without the bare ``*`` between parameters, which is not a product: mypy checks how arguments
    are passed.
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
            node.defaults = [*node.defaults, *filter(None, node.kw_defaults)]
            node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    return tree


# --- trying one


class _Faulty(SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)


class _Finder:
    """Supplies the faulty text when its module is imported."""

    def __init__(self, file: str, text: str) -> None:
        self._path = str(ROOT / file)
        self._name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._text = text

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self._name:
            return None
        loader = _Faulty(name, self._path, self._text)
        return importlib.util.spec_from_file_location(name, self._path, loader=loader)


class _Plugin:
    """Lets Hypothesis skip shrinking, and keeps pytest from taking a module for a test, such as t_test.py."""

    def __init__(self, finder: _Finder) -> None:
        self._finder = finder

    def pytest_configure(self) -> None:
        import hypothesis

        sys.meta_path.remove(self._finder)
        sys.meta_path.insert(0, self._finder)  # before pytest's own finder, which rewrites tests' assertions

        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutation", derandomize=True, deadline=None, phases=phases, database=None
        )
        hypothesis.settings.load_profile("mutation")


def _try(fault: Fault, text: str, tests: Sequence[str]) -> int:
    """Run the tests on the fault, in a process of its own; returns pytest's exit status."""
    os.setsid()
    os.chdir(ROOT)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    finder = _Finder(fault.file, text)
    sys.meta_path.insert(0, finder)
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
    for chosen in (tests[:FIRST], tests[FIRST:]):
        if chosen and (status := int(pytest.main([*options, *chosen], plugins=[_Plugin(finder)]))):
            return status
        for name in [name for name in sys.modules if name.startswith(("test_", "tests."))]:
            del sys.modules[name]
    return 0


def run(each: int, seed: int, beside: int, packages: Sequence[str]) -> None:
    """Try faults drawn at random. Faults that were tried before are not tried again."""
    import asyncssh  # noqa: F401  # imported once here, not in each process
    import msgspec  # noqa: F401
    import numpy as np  # noqa: F401
    import pytest  # noqa: F401

    known = Map()
    done = {tuple(line["fault"].values()) for line in _results()}
    waiting: list[Fault] = []
    for package in packages:
        drawn = [f for file in _files(package) for f in faults(package, file)]
        random.Random(seed).shuffle(drawn)
        waiting += [fault for fault in drawn[:each] if tuple(asdict(fault).values()) not in done]
    random.Random(seed).shuffle(waiting)
    running: dict[int, tuple[Fault, float, str]] = {}
    with RESULTS.open("a") as log:

        def note(fault: Fault, outcome: str) -> None:
            log.write(json.dumps({"fault": asdict(fault), "outcome": outcome}) + "\n")
            log.flush()

        while waiting or running:
            while waiting and len(running) < beside:
                fault = waiting.pop()
                text = faulty(fault)
                if text is None:
                    note(fault, "same")
                    continue
                tests, seconds = _affordable(known, known.tests(fault.file, fault.line))
                if not tests:
                    note(fault, "no test")
                    continue
                child = os.fork()
                if not child:
                    try:
                        os._exit(_try(fault, text, tests))
                    except BaseException:
                        (WORK / "error.txt").write_text(traceback.format_exc())
                        os._exit(70)
                running[child] = fault, time.monotonic() + ASIDE + 5 * seconds, f"{len(tests)} tests"
            time.sleep(0.02)
            for child, (fault, end, told) in list(running.items()):
                pid, status = os.waitpid(child, os.WNOHANG)
                if not pid and time.monotonic() < end:
                    continue
                if not pid:
                    os.killpg(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                del running[child]
                code = os.waitstatus_to_exitcode(status) if pid else None
                note(
                    fault,
                    {0: f"survived {told}", None: "hung", 5: "no test", 70: "error"}.get(code, "killed"),
                )


def _affordable(known: Map, tests: Sequence[str]) -> tuple[list[str], float]:
    chosen: list[str] = []
    seconds = 0.0
    for test in tests[:MOST]:
        seconds += known.times[test]
        if chosen and seconds > SECONDS:
            return chosen, seconds - known.times[test]
        chosen.append(test)
    return chosen, seconds


def _files(package: str) -> list[str]:
    found = []
    for place in PACKAGES[package]:
        path = ROOT / place
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [path.relative_to(ROOT).as_posix() for path in found]


# --- what came of it


def _results() -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def report() -> None:
    """Print each package's score with its 95 % interval (Wilson's), and the code of all surviving faults."""
    import difflib

    count: dict[str, Counter[str]] = defaultdict(Counter)
    survivors: list[Fault] = []
    for line in _results():
        outcome = line["outcome"]
        kind = "survived" if outcome.startswith(("survived", "no test")) else outcome
        count[line["fault"]["package"]][kind] += 1
        if kind == "survived":
            survivors.append(Fault(**line["fault"]))
    print("| package | faults tried | noticed | share | 95 % interval |\n| --- | ---: | ---: | ---: | --- |")
    whole: Counter[str] = Counter()
    for package, kinds in [*sorted(count.items()), ("all", whole)]:
        caught, missed = kinds["killed"] + kinds["hung"], kinds["survived"]
        if package != "all":
            whole.update(kinds)
        if not caught + missed:
            continue
        low, high = _wilson(caught, caught + missed)
        total = caught + missed
        print(f"| {package} | {total} | {caught} | {caught / total:.1%} | {low:.1%} to {high:.1%} |")
    for fault in sorted(survivors, key=lambda f: (f.file, f.line)):
        old, new = (ROOT / fault.file).read_text(), faulty(fault) or ""
        print(f"\n{fault.file}:{fault.line} {fault.operator} {fault.occurrence}")
        for row in list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm=""))[3:]:
            print(f"    {row}")


def _wilson(hits: int, n: int) -> tuple[float, float]:
    z, share = 1.96, hits / n
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["map", "run", "report"])
    parser.add_argument("--each", type=int, default=200, help="faults a package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", type=int, default=2, dest="beside", help="processes side by side")
    parser.add_argument("--package", action="append", choices=list(PACKAGES))
    chosen = parser.parse_args()
    if chosen.step == "map":
        return make_map()
    if chosen.step == "run":
        run(chosen.each, chosen.seed, chosen.beside, chosen.package or list(PACKAGES))
    report()
    return 0


if __name__ == "__main__":
    sys.exit(main())
