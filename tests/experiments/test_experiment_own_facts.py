"""The facts of a trial's iteration that are not its session's."""

from fwdtui.core.lab import Dut, Endpoint, Lab
from fwdtui.core.model import Fact
from fwdtui.monitor.experiment.own_facts import own_facts


def lab(start: str, frame: int | None = None, rate: float | None = None) -> Lab:
    return Lab(
        "l", (Endpoint("gen", "g0", start=start, frame=frame, line_rate=rate),), Dut("dut", ("d",), ("d",))
    )


def test_what_only_the_other_image_has_is_told_of_that_image_whichever_came_first() -> None:
    plain: dict[str, Fact] = {"dut.kernel": "15.0"}
    patched: dict[str, Fact] = {**plain, "dut.kernel_modified": True}
    absent = {"dut.kernel_modified"}
    assert own_facts(lab(""), patched, plain) == {"dut.kernel_modified": True}
    assert own_facts(lab(""), plain, patched, absent) == {"dut.kernel_modified": "–"}
    assert own_facts(lab(""), plain, patched) == {}, "not read"


def test_of_traffic_whose_frames_nobody_knows_the_sessions_length_and_line_rate_are_not_told() -> None:
    known: dict[str, Fact] = {
        "generator.command": "send -c 64.cfg", "generator.frame": 64, "generator.line_rate": 14.88e6
    }  # fmt: skip
    assert own_facts(lab("send -c 64.cfg", 64, 14.88e6), known, known) == {}
    assert own_facts(lab("send -c imix.cfg"), known, known) == {
        "generator.command": "send -c imix.cfg", "generator.frame": "–", "generator.line_rate": "–"
    }  # fmt: skip
