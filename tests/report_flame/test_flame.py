"""A flame graph as a document: what is drawn and how wide, what is said, and that text is only text."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from profiled import FIREWALLS, TXABDICATE, idle, stacks_of

from fwdtui.core.profile import Folded, Profile
from fwdtui.core.profile.call_tree import call_tree
from fwdtui.core.profile.cut_stacks import Depth, depth_of
from fwdtui.core.profile.scale import share
from fwdtui.report.flame import Taken, differential, flame_graph
from fwdtui.report.flame.layout import layout
from fwdtui.report.placing import is_ours

NS = "{http://www.w3.org/2000/svg}"
IDLE = ("cpu", "sched_idletd")
A = Folded({("main", "rx"): 600, ("main", "tx"): 400, IDLE: 3000})
B = Folded({("main", "rx"): 600, ("main", "poll"): 200, ("main",): 1200, IDLE: 2000})


class Drawn:
    """What is in a document: its frames by name, and its texts."""

    def __init__(self, document: bytes) -> None:
        self.root = ET.fromstring(document)
        self.frames = {group.get("data-name", ""): group for group in self.root.iter(f"{NS}g")}
        self.texts = [text.text or "" for text in self.root.iter(f"{NS}text")]

    def width(self, name: str) -> float:
        rect = self.frames[name].find(f"{NS}rect")
        assert rect is not None
        return float(rect.get("width", "")) / float(self.root.get("data-full", ""))

    def fill(self, name: str) -> str:
        rect = self.frames[name].find(f"{NS}rect")
        assert rect is not None
        return rect.get("fill", "")

    def title(self, name: str) -> list[str]:
        return (self.frames[name].findtext(f"{NS}title") or "").split("\n")

    def says(self, part: str) -> bool:
        return any(part in text for text in self.texts)


def test_a_frame_is_as_wide_as_its_share_of_what_is_not_idle():
    drawn = Drawn(flame_graph(Taken("r1", A), idle))
    assert drawn.width("main") == pytest.approx(1.0)
    assert drawn.width("rx") == pytest.approx(0.6)
    assert "sched_idletd" not in drawn.frames
    assert drawn.says("share of the 1 000 samples that were not idle. 75.0 % of all samples were idle")


def test_without_a_script_the_title_has_name_samples_and_share():
    drawn = Drawn(flame_graph(Taken("r1", A), idle))
    assert drawn.title("rx") == [
        "rx",
        "600 samples, 60.00 % of those not idle",
        "in the function itself: 60.00 %",
    ]


def test_a_differential_is_drawn_by_the_mean_of_both_and_coloured_by_what_changed():
    """What one side lacks is drawn too; orange and plain grows, hatched shrinks."""
    drawn = Drawn(differential(Taken("r1", A), Taken("r2", B), idle))
    assert drawn.width("rx") == pytest.approx((0.6 + 0.3) / 2)
    assert drawn.width("tx") == pytest.approx(0.2)
    assert drawn.fill("tx") == "url(#less3)" and drawn.fill("poll").startswith("#")
    assert drawn.title("tx")[1:4] == [
        "A: 40.00 %, 400 samples",
        "B: 0.00 %, 0 samples",
        "B minus A: −40.00 percentage points",
    ]
    assert drawn.says("A: r1, 1 000 samples that were not idle. 75.0 % of all samples were idle")
    assert drawn.says("up to −40.00 percentage points")


def test_where_packets_are_known_it_is_by_samples_per_million_of_them():
    drawn = Drawn(differential(Taken("r1", A, 2e6), Taken("r2", B, 4e6), idle))
    assert drawn.title("rx")[1:4] == [
        "A: 300.0 samples per million packets, 600 samples",
        "B: 150.0 samples per million packets, 600 samples",
        "B minus A: −150.0 samples per million packets",
    ]
    assert drawn.says("2 000 000 packets")
    assert (
        Drawn(differential(Taken("r1", A, 2e6), Taken("r2", B), idle)).title("rx")[1]
        == "A: 60.00 %, 600 samples"
    )


def test_what_counting_explains_has_no_colour_and_the_title_says_so():
    few = Folded({("main", "rx"): 5, ("main", "tx"): 3})
    fewer = Folded({("main", "rx"): 4, ("main", "tx"): 4})
    drawn = Drawn(differential(Taken("r1", few), Taken("r2", fewer), idle))
    assert drawn.fill("rx") == drawn.fill("tx") == "#ededed"
    assert drawn.title("rx")[3].endswith(", within counting noise")


def test_narrow_frames_are_not_drawn_and_it_is_said_how_much_they_are():
    folded = Folded({("main", "rx"): 9_990, **{("main", f"f{n}"): 1 for n in range(10)}})
    drawn = Drawn(flame_graph(Taken("r1", folded), idle))
    assert "f1" not in drawn.frames
    assert drawn.says("Frames below 0.1 % of the width are not drawn: 0.1 % in all.")


def test_the_number_of_frames_is_bounded_and_the_widest_are_drawn():
    folded = Folded({("main", f"f{n}"): 1000 + n // 2 for n in range(400)})
    tree = call_tree([folded], idle)
    found = layout(tree, share(tree.root.samples), least=0.0, most=101)
    names = {box.frame.name for box in found.boxes}
    assert len(names) <= 101 and "f399" in names and "f0" not in names
    drawn = sum(box.width for box in found.boxes if box.depth == 1)
    assert drawn + found.hidden == pytest.approx(1.0)


def test_frames_above_the_highest_that_is_drawn_are_named():
    deep = Folded({tuple(f"f{n}" for n in range(2000)): 10, ("main",): 30})
    drawn = Drawn(flame_graph(Taken("r1", deep), idle))
    assert "f199" in drawn.frames and "f200" not in drawn.frames
    assert drawn.says("Stacks are drawn 200 frames high: the callees above that height, in stacks with 25")
    assert not drawn.says("of the width are not drawn"), "none of them is narrow"


def test_callers_that_the_profiler_cut_off_are_put_back_and_it_is_said():
    folded = Folded({("fork", "loop", "rx"): 60, ("loop", "rx", "ip", "out"): 40})
    drawn = Drawn(flame_graph(Taken("r1", folded, depth=Depth(4)), idle))
    assert drawn.width("fork") == pytest.approx(1.0)
    assert drawn.says("The profiler cut stacks at 4 frames in 40.0 % of these samples.")


def test_a_depth_that_is_only_assumed_is_said(archive: Path):
    folded = stacks_of(archive / f"{TXABDICATE}/off/bench.txabdicate_off.inet4.pmc.stack")
    drawn = Drawn(flame_graph(Taken("off", folded, depth=depth_of(Profile(folded.samples))), idle))
    assert drawn.says("The profiler cut stacks at 16 frames (assumed: the default of hwpmc) in 36.9 %")


HOSTILE = "</text><script>alert(1)</script>&\"'\x1b[31m\u202e\ud800\uffff" + "x" * 5000


def test_names_are_text_whatever_they_say():
    document = flame_graph(Taken(HOSTILE, Folded({(HOSTILE, "]]>"): 5})), idle, HOSTILE)
    drawn = Drawn(document)  # well-formed, so everything is escaped
    assert len(list(drawn.root.iter(f"{NS}script"))) == 1
    assert "]]>" in drawn.frames
    assert len(document) < 30_000 and b"\x1b" not in document


def test_the_same_profiles_are_the_same_bytes_in_whatever_order_they_were_read():
    turned = Folded(dict(reversed(B.stacks.items())))
    one = differential(Taken("r1", A), Taken("r2", B), idle, "inet4")
    assert one == differential(Taken("r1", A), Taken("r2", turned), idle, "inet4")


def test_an_idle_profile_says_that_there_is_nothing_to_draw():
    drawn = Drawn(flame_graph(Taken("r1", Folded({IDLE: 5})), idle))
    assert not drawn.frames
    assert drawn.says("No sample of this profile is of a busy core.")
    assert drawn.says("100.0 % of all samples were idle")
    assert not Drawn(differential(Taken("r1", Folded()), Taken("r2", Folded()), idle)).frames


def test_a_report_recognises_it_as_its_own(tmp_path: Path):
    out = tmp_path / "flame.svg"
    out.write_bytes(flame_graph(Taken("r1" * 500, A), idle, "inet4" * 500))
    assert is_ours(out)


def test_the_differential_of_two_published_kernels(netbenches: Path):
    """D27401 put the lookup of a route into a function of its own, which calls rn_match."""
    sides = [
        Taken(name, stacks_of(netbenches / FIREWALLS / f"bench.{name}.inet4.pmc.stack"))
        for name in ("r368287", "r368287D27401v2")
    ]
    drawn = Drawn(differential(sides[0], sides[1], idle, "inet4"))
    assert drawn.says("31.7 % of all samples were idle") and drawn.says("37.5 % of all samples were idle")
    (lookup,) = (name for name in drawn.frames if name.startswith("lradix4"))
    assert drawn.title(lookup)[1] == "A: 0.00 %, 0 samples"
    assert drawn.fill(lookup).startswith("#f")
