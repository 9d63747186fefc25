"""Published sweeps: the knee, line rate and natural order of real data, as their own charts show them."""

from pathlib import Path

from fixtures import Agree
from swept import case, one, session

from fwdtui.core.model import Case
from fwdtui.report import sweep_words as words
from fwdtui.report.link import Link


def values(path: Path) -> list[float]:
    return [float(word) for word in path.read_text().split()]


def queues(folder: Path) -> list[Case]:
    """24 numbers of queues; the published names are ``1.pps`` to ``23.pps`` and ``24-default.pps``."""
    files = sorted(folder.glob("*.pps"))
    return [case(file.stem, values(file), queues=int(file.stem.partition("-")[0])) for file in files]


def real_knees_are_where_the_published_curves_bend(archive: Path) -> None:
    root = archive / "Xeon_E5-2650v4_2x12Cores" / "Mellanox_ConnectX-4" / "dev.mce.conf.channels" / "results"
    told = {}
    for folder in sorted(root.iterdir()):
        found = one(session(folder.name, *queues(folder), frame_size=64), x="queues", link=Link(10e9))
        assert found.axis.places == tuple(range(1, 25)) and not found.axis.log and found.has_imix
        (told[folder.name],) = words.findings(found)
    assert [sentence.partition(" (")[0] for sentence in told.values()] == [
        "scales to 12 queues",
        "scales to 9 or 10 queues",
        "scales to 7 or 8 queues",
    ]
    assert told["fbsd11.1-yandex"].endswith("capped and not judged: 24")


def real_large_frames_are_at_line_rate(archive: Path) -> None:
    folder = archive / "AMD_G-T40E_2Cores" / "RTL8111E" / "RFC2544" / "results" / "fbsd10.3"
    cases = [case(file.stem, values(file), frame_size=int(file.stem)) for file in folder.glob("*.pps")]
    found = one(session("apu", *cases), x="frame_size", link=Link(1e9))
    assert found.axis.labels == ("64", "128", "256", "512", "1024", "1280", "1518") and found.axis.log
    assert [point.cap is not None for point in found.points] == [False] * 4 + [True] * 3
    # the README of the result has the same maxima, rounded
    maxima = [1488095, 844594, 452898, 234962, 119732, 96153, 81274]
    assert all(abs((p.line_rate or 0) - most) <= 1 for p, most in zip(found.points, maxima, strict=True))


def real_a_year_of_revisions_is_in_the_order_of_their_numbers(archive: Path) -> None:
    folder = archive / "Atom_C2758_8Cores" / "Chelsio_T540-CR" / "firewalls" / "results" / "fbsd.2016" / "RAW"
    cases = []
    for file in folder.glob("*.pps"):
        revision, _, config = file.stem.partition(".")
        cases.append(case(file.stem, values(file), image=revision, config=config))
    found = one(session("2016", *cases), x="image", series="config")
    assert len(found.axis.labels) == 53 and list(found.axis.labels) == sorted(found.axis.labels, key=int)
    assert [line.label for line in found.lines] == ["fastforwarding", "ipfw-statefull", "pf-statefull"]
    published = {}
    for name in ("forwarding", "ipfw", "pf"):
        rows = (folder.parent / f"{name}.data").read_text().splitlines()
        split = [row.split() for row in rows if row[:1].isdigit()]
        published[name] = {revision: float(median) for revision, median, *_ in split}
    for line, name in zip(found.lines, published, strict=True):
        ours = {found.axis.label(point.level): point.described.median for point in line.points}
        assert {revision: ours[revision] for revision in published[name]} == published[name]


def test_published_sweeps_come_out_as_they_were_drawn(agree: Agree) -> None:
    agree(
        real_knees_are_where_the_published_curves_bend,
        real_large_frames_are_at_line_rate,
        real_a_year_of_revisions_is_in_the_order_of_their_numbers,
    )
