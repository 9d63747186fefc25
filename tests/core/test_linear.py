"""Every parser takes time in proportion to what it reads, however hostile the text is.

What a host prints and what somebody else wrote decides nothing about how long fwdtui takes. Parsers are found
by looking, so that a new one is in this test from its first day.
"""

import importlib
import inspect
import pkgutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from fwdtui.core import (
    lab,
    lab_text,
    parse,
    redaction,
    settings_reading,
    text,
    units,
    volatile,
)
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import file as experiment_file
from fwdtui.core.experiment import variables as experiment_variables
from fwdtui.core.parse import dmesg, sysctl, sysctl_oids, sysctl_queues, sysctl_stages

QUICK = 0.1  # CPU seconds: what takes less is not compared; a square takes more at these lengths
FIRST_LOOK = QUICK / 32  # at a quarter of the length a square takes a sixteenth: less is quick at any growth
GROWTH = 9.0  # times, at four times the length: 4 in proportion, 16 for a square
LOOKS = 6

LINE = 24_000  # characters of one line
LINES = ("x", "1", " ", ".", ":", "-", "a.", "1 ", "a,", "[", "{", '"', "(", "a=", "\\", "_", "0x1 ", "%")
TEXT = 6_000  # characters of many lines
TEXTS = (
    *("\n", "x\n", "1 1 1\n", "a: 1\n", "\tx y\n", "{}\n", "a.b=1\n", "[1] x\n", "a = [1]\n", "x {\n", "}\n"),
    *("dev.ix.0.queue0.rx_packets: 1\n", "irq1: ix0:q0 1 1\n", "ix0: link state changed to UP\n"),
    *("qdisc mq 0: dev eth0 root\n", "eth0: flags=8843<UP> mtu 1500\n", "1.0 main_thread [1] 1 pps\n"),
    *(
        'a="\n',
        "a=\\\n",
        "if x\n",
        "vhid 1 pass ",
        "password ",
        "com2sec a ",
        "://a:b@",
        "token.",
        "CONFIG_A=y\n",
    ),
    *("*filter\n", ":A B [0:0]\n", "chain a {\n", "2: eth0: <UP> mtu 1\n", "    1:  0 1\n", "key=0x", "$1$a"),
    *("@ a [1 samples]\n", "1.0%  [1]    a\n", "a;b 1\n", "a 1 [0] 1.1: 1 b:\n", "\t1 a+0x1 (b)\n"),
    *("stack a;b 1\n", "core 1 1\n", "  A events: 1 (1%)\n"),
    *("{ reason: 1, location: [f] x } hitcount: 1\n", "@[1, a, b, 1]: 1\n", '{ 1, "A" }, '),
    *("processor : 0\n", "table ip t {\n", "x 5 1 2 1.5 1.5 0.3\n", '"a": "b"\n'),
)

Reader = Callable[[Any], object]

_LAB = lab.parse('[generator]\nhost = "g"\ninterface = "e"\n[dut]\nhost = "d"\nin = "a"\nout = "b"\n')
_FURTHER: dict[str, Any] = {"interface": "eth0", "path": "file", "number": 1, "counters": {}, "owners": {}}
_FURTHER |= {"lab": _LAB, "values": {"x": "1"}}


def _readers() -> Iterator[tuple[str, Reader]]:
    modules = [
        importlib.import_module(f"{parse.__name__}.{found.name}")
        for found in pkgutil.iter_modules(parse.__path__)
    ]
    others = (experiment_file, experiment_variables, lab, lab_text, redaction, text, units, volatile)
    for module in (*modules, *others):
        for name, function in vars(module).items():
            if (
                name.startswith("_")
                or not inspect.isfunction(function)
                or function.__module__ != module.__name__
            ):
                continue
            parameters = list(inspect.signature(function).parameters.values())
            if not parameters or parameters[0].annotation not in (str, bytes, object):
                continue
            further = [one for one in parameters[1:] if one.default is one.empty]
            takes = parameters[0].annotation
            short = module.__name__.removeprefix("fwdtui.core.")
            yield f"{short}.{name}", _reader(function, takes, further)
    yield "sysctl and all that reads it", _sysctls
    yield "dmesg and all that reads it", _dmesg
    for kind in ("rc.conf", "sysctl", "kernel config, Linux", "pf"):  # the ways to a setting, see `source`
        yield f"settings from {kind}", partial(_settings, kind)


def _reader(function: Callable[..., object], takes: type, further: list[inspect.Parameter]) -> Reader:
    def read(given: str) -> object:
        content = given.encode() if takes is bytes else given
        more = [content if one.annotation is takes else _FURTHER.get(one.name, ()) for one in further]
        try:
            return function(content, *more)
        except FwdtuiError as error:
            return error

    return read


def _sysctls(given: str) -> object:
    values = sysctl.parse(given).value.values
    listed = sysctl_oids.names(given)
    found = sysctl_stages.parse(values).value
    return (
        sysctl_queues.parse(values),
        sysctl_stages.offered(found, "ix0"),
        sysctl_oids.counters(listed, soft_state=True),
        sysctl_oids.settings(listed),
    )


def _settings(kind: str, given: str) -> object:
    return settings_reading.source(kind, "sysctl", given, again=given)


def _dmesg(given: str) -> object:
    lines = given.split("\n")
    return (
        dmesg.new_lines(given[: len(given) // 2], given[len(given) // 4 :]),
        dmesg.link_changes(lines),
        dmesg.queue_counts(lines),
        dmesg.cxgbe_ports(lines),
    )


READERS = dict(_readers())


def seconds(read: Reader, given: str) -> float:
    """CPU time of this thread, which no other program's work adds to."""
    begun = time.thread_time()
    read(given)
    return time.thread_time() - begun


def too_long(read: Reader, unit: str, length: int, head: str = "") -> str:
    """What takes more than its share of time; empty: nothing."""
    long, short = (f"{head}{unit * (size // len(unit))}x" for size in (length, length // 4))
    before = seconds(read, short)
    if before < FIRST_LOOK or (taken := seconds(read, long)) < QUICK:
        return ""
    before = min(before, *(seconds(read, short) for _ in range(2)))
    # other programs take caches and a half of the core away: a square is one however often it is looked at
    for _ in range(LOOKS):
        taken = min(taken, seconds(read, long))
        if taken <= max(GROWTH * before, QUICK):
            return ""
    return f"{head}{unit!r}: {before:.3f} s, then {taken:.3f} s"


@pytest.mark.parametrize("name", READERS)
def test_time_is_in_proportion_to_the_text(name: str):
    read = READERS[name]
    found = [too_long(read, unit, LINE) for unit in LINES] + [too_long(read, unit, TEXT) for unit in TEXTS]
    assert list(filter(None, found)) == []


@pytest.mark.parametrize("unit", ["a.", '"a".', "[", "{a=", "1", "a = 1\n", "[a]\n", " "])
def test_so_it_is_for_the_values_of_a_lab(unit: str):
    assert too_long(READERS["lab.parse"], unit, 4 * LINE, head="a = ") == ""
    assert too_long(READERS["lab.parse"], unit, 4 * LINE) == ""


def test_every_parser_was_found():
    modules = {found.name for found in pkgutil.iter_modules(parse.__path__)}
    read = {name.split(".")[1] for name in READERS if name.startswith("parse.")}
    # the names and values that the first three are given are read by ethtool_stats and in a sysctl's chain
    assert modules - read == {"ethtool_names", "sysctl_queues", "sysctl_stages"}


def test_what_takes_the_square_of_the_time_is_found():
    def square(given: str) -> None:
        """As quick as may be found, on any machine: it takes little more than `QUICK`."""
        end = time.thread_time() + 1.2 * QUICK * (len(given) / LINE) ** 2
        while time.thread_time() < end:
            pass

    assert too_long(square, "x", LINE)
    assert not too_long(lambda given: [one for one in given for _ in range(100)], "x", LINE)
