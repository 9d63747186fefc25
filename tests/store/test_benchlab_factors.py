"""What the factors of a result are made of: .info, names, folders; and the roles of its generators."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.parse.benchlab_info import BenchInfo
from fwdtui.store.benchlab_factors import Described, describe
from fwdtui.store.benchlab_tree import Result, Run, Tree
from fwdtui.store.benchlab_values import Published

LAB = Path("/lab/results")


def of(
    key: str, info: BenchInfo | None = None, *runs: Run, session: str = "s", case: str = "default"
) -> Result:
    return Result(key, session, case, info, None, runs)


def tree(folder: Path | str, *results: Result, corrections: Sequence[Path] = ()) -> Tree:
    return Tree(LAB / folder, results, corrections=tuple(corrections))


def described(*trees: Tree, root: Path = LAB, said: Sequence[str] = ()) -> list[Described]:
    return describe(trees, root, said)[0]


def factors(*trees: Tree, said: Sequence[str] = ()) -> dict[str, Mapping[str, FactorValue]]:
    """The end of each place -> its factors."""
    return {one.place.rpartition("/")[2]: one.factors for one in described(*trees, said=said)}


@pytest.mark.parametrize(
    ("root", "folder", "place"),
    [
        ("/lab/results", "/lab/results/may", "results/may/x"),
        ("/lab/results", "/lab/results", "results/x"),
        ("/lab", "/lab/results/may", "lab/results/may/x"),
        ("/", "/lab/results/may", "lab/results/may/x"),
        ("/", "/", "x"),
        # a folder RAW was given: its results are those of the folder above
        ("/lab/results/may/RAW", "/lab/results/may", "may/x"),
        ("/may/RAW", "/may", "may/x"),
    ],
)
def test_the_place_begins_with_the_folder_that_is_imported(root: str, folder: str, place: str) -> None:
    (one,) = described(Tree(Path(folder), (of("x"),)), root=Path(root))
    assert one.place == place


# which names are read


@pytest.mark.parametrize(
    ("key", "info", "expected"),
    [
        # .info says all, whatever the file is called
        ("n1.pf.t", BenchInfo("n1", "pf", "t"), {"image": "n1", "config": "pf", "traffic": "t"}),
        ("again.pf.t", BenchInfo("n1", "pf", "t"), {"image": "n1", "config": "pf", "traffic": "t"}),
        # it names no image, but the name begins with one
        ("n1.pf.t", BenchInfo("", "pf", "t"), {"image": "n1", "config": "pf", "traffic": "t"}),
        ("n1.D2.pf", BenchInfo(None, "pf", None), {"image": "n1.D2", "config": "pf"}),
        ("n1.t", BenchInfo("", "", "t"), {"image": "n1", "traffic": "t"}),
        # or with an address family, as of the searches with WireGuard of July 2026 in netbenches
        ("inet4.pf", BenchInfo("", "pf", ""), {"image": "may", "config": "pf", "af": "inet4"}),
        # nor does the name
        ("pf.t", BenchInfo("", "pf", "t"), {"image": "may", "config": "pf", "traffic": "t"}),
        ("other", BenchInfo("", "pf", "t"), {"image": "may", "config": "pf", "traffic": "t"}),
        ("n1xpf", BenchInfo("", "pf", ""), {"image": "may", "config": "pf"}),
        # it names neither configuration nor traffic: they are what the name has beside the image
        ("n1.fw.on", BenchInfo("n1", "", None), {"image": "n1", "config": "fw.on"}),
        ("n1", BenchInfo("n1"), {"image": "n1"}),
        ("fw.on", BenchInfo(), {"image": "may", "config": "fw.on"}),
        # none at all
        ("fw.on", None, {"image": "may", "config": "fw.on"}),
    ],
)
def test_the_factors_are_those_that_info_and_name_say(
    key: str, info: BenchInfo | None, expected: dict[str, str]
) -> None:
    assert factors(tree("may", of(key, info))) == {key: expected}


def test_without_info_a_neighbour_whose_info_names_an_image_shows_where_it_ends() -> None:
    whole = of("n1.pf", BenchInfo("n1", "pf"))
    bare = [of("n2.on", session="n2", case="on"), of("n3", session="n3")]
    assert factors(tree("may", whole, *bare)) == {
        "n1.pf": {"image": "n1", "config": "pf"},
        "n2.on": {"image": "n2", "config": "on"},
        "n3": {"image": "n3", "config": ""},  # "default" is no configuration
    }
    # one that names none shows nothing
    assert factors(tree("may", of("pf", BenchInfo("", "pf")), bare[0]))["n2.on"] == {
        "image": "may", "config": "n2.on",
    }  # fmt: skip


# what is said about them


def test_what_is_not_said_of_one_is_unknown_only_beside_those_of_which_it_is_said(tmp_path: Path) -> None:
    trees = [tree("may/a", of("pf.inet4")), tree("may/b", of("pf")), tree("june/c", of("ipfw"))]
    assert factors(*trees) == {
        "pf.inet4": {"image": "a", "config": "pf", "af": "inet4"},
        "pf": {"image": "b", "config": "pf", "af": ""},
        "ipfw": {"image": "c", "config": "ipfw"},
    }


def test_one_factor_is_given_to_all_that_lack_it_and_to_nobody_else() -> None:
    trees = [tree("may/a", of("pf.inet4")), tree("may/b", of("pf")), tree("may/c", of("ipfw"))]
    assert [one["af"] for one in factors(*trees, said=["af=inet6"]).values()] == ["inet4", "inet6", "inet6"]
    one = described(*trees, said=["af=inet6"])[1]
    assert one.why["af"] == "given by --factors af=inet6"
    with pytest.raises(
        FwdtuiError, match=r"^--factors image=x: every result already has a value of image; correct it"
    ):
        factors(*trees, said=["image=x"])


def test_factors_are_in_the_order_of_the_field() -> None:
    (found,) = factors(tree("may", of("pf.inet4")), said=["zone=1", "cores=4", "queues=2"]).values()
    assert list(found) == ["image", "config", "af", "queues", "cores", "zone"]


def test_where_there_are_no_results_a_pattern_fits_none() -> None:
    with pytest.raises(FwdtuiError, match=r"^--factors \{image\}: the pattern: no result fits it$"):
        describe([], LAB, ["{image}"])


def test_a_pattern_leaves_nothing_of_the_names_it_has_read() -> None:
    read, other = tree("may/a", of("on.t", BenchInfo("", "on", "t"))), tree("may/b", of("on", None))
    found = factors(read, other, said=["{tx}.{profile}"])
    assert found["on.t"] == {"image": "a", "tx": "on", "profile": "t"}
    assert found["on"] == {"image": "b", "config": "on", "tx": "", "profile": ""}
    assert factors(other, read, said=["{tx}.{profile}"]) == found  # in whatever order
    with pytest.raises(FwdtuiError, match=r": no result fits it; the first is results/may/b/on$"):
        factors(other, read, said=["{a}!{b}"])


def test_a_file_in_the_tree_is_about_what_is_below_it_and_the_last_wins(tmp_path: Path) -> None:
    above, own = tmp_path / "factors.toml", tmp_path / "own.toml"
    above.write_text('[factors]\naf = "a"\nos = "b"\n')
    own.write_text('[factors]\naf = "c"\n[results."x".factors]\nflows = 1\n')
    trees = [tree("a", of("x"), corrections=[above, own]), tree("b", of("y"), corrections=[above]), tree("c")]
    found, notes = describe([*trees, tree("../june/d", of("z"))], LAB)
    assert {one.result.key: dict(one.factors) for one in found} == {
        "x": {"image": "a", "config": "x", "af": "c", "os": "b", "flows": 1},
        "y": {"image": "b", "config": "y", "af": "a", "os": "b", "flows": ""},
        "z": {"image": "d", "config": "z"},
    }
    assert notes == [f"{above} is used", f"{own} is used"]
    assert found[0].why["af"] == f"given by {own}" and found[1].why["af"] == f"given by {above}"


def test_a_table_of_a_file_in_the_tree_that_fits_nothing_is_told(tmp_path: Path) -> None:
    file = tmp_path / "factors.toml"
    file.write_text('[results."y".factors]\nflows = 1\n')
    _, notes = describe([tree("a", of("x"), corrections=[file]), tree("b", of("y"))], LAB)
    assert notes == [f"{file} is used", f'{file}: results."y": no result fits it']


@pytest.mark.parametrize(("again", "left"), [("", None), ('[results."x*".factors]\naf = "b"\n', "b")])
def test_what_was_removed_stays_so_unless_it_is_given_again(
    tmp_path: Path, again: str, left: str | None
) -> None:
    file = tmp_path / "f.toml"
    file.write_text(f'[results."x.*"]\nwithout = ["af"]\n{again}')
    found = factors(tree("a", of("x.inet4")), tree("b", of("y.inet4")), said=[str(file)])
    assert found["x.inet4"].get("af") == left and found["y.inet4"]["af"] == "inet4"


# the roles of generators


def log(path: Path, *rates: int, source: str = "192.0.2.1") -> Path:
    lines = [f"CMD on gen: pkt-gen -N -f tx -i ix0 -s {source}:2000"]
    lines += [
        f"{n}.000000 main_thread [1] {rate} pps ({rate} pkts {rate * 480} bps in 1000000 usec) "
        "3.00 avg_batch 1 min_space"
        for n, rate in enumerate(rates, 10)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


W, A = "198.51.100.1", "203.0.113.1"
"""From where the wanted traffic and the attack come."""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The folders below it promise wanted traffic of 2 Mpps and an attack: r1-2-1, r1-2-2."""
    return tmp_path / "r1-2M_leg-0to4M_dos"


def loaded(lab: Path, name: str, *senders: tuple[str, int], run: int = 1) -> Tree:
    """A result with one run, in which each generator sent so many Mpps from an address."""
    folder = lab / name
    kinds = ("sender", "sender_2", "sender_3")
    logs = tuple(
        (kind, log(folder / f"x.{run}.{kind}", mpps * 10**6, source=source))
        for kind, (source, mpps) in zip(kinds, senders, strict=False)
    )
    return Tree(folder, (of("x", None, Run(run, senders=logs)),))


def roles(*trees: Tree) -> dict[str, Mapping[str, str]]:
    return {one.tree.folder.name: one.roles for one in described(*trees, root=trees[0].folder.parent)}


def test_who_sends_what_the_name_promises_has_that_role(lab: Path) -> None:
    trees = [
        loaded(lab, "r1-2-1", (A, 1), (W, 2)),
        loaded(lab, "r1-2-0", (W, 2)),
        loaded(lab, "r1-2-3", (W, 2), (A, 1)),  # not what was promised
        loaded(lab, "r1-2-4", (W, 1), (W, 1), (A, 4)),
    ]
    assert roles(*trees) == {
        "r1-2-1": {"sender": "attack", "sender_2": "wanted"},
        "r1-2-0": {"sender": "wanted"},
        "r1-2-3": {},
        "r1-2-4": {"sender": "wanted", "sender_2": "wanted", "sender_3": "attack"},
    }
    assert described(trees[0])[0].shown_roles == "sender = attack, sender_2 = wanted"


def test_equal_loads_are_told_apart_by_the_addresses_of_others_before_or_after_them(lab: Path) -> None:
    equal, known = loaded(lab, "r1-2-2", (W, 2), (A, 2)), loaded(lab, "r1-2-1", (A, 1), (W, 2))
    right = {"sender": "wanted", "sender_2": "attack"}
    assert roles(equal, known)["r1-2-2"] == roles(known, equal)["r1-2-2"] == right
    # alone nothing tells them apart: the first is taken for the attack
    assert roles(equal) == {"r1-2-2": {"sender": "attack", "sender_2": "wanted"}}
    # nor does one that is as open itself, or has no promised loads, or is elsewhere
    open_too = loaded(lab, "r2-2-2", (W, 2), (A, 2))
    plain = loaded(lab, "r3", (A, 1), (W, 2))
    elsewhere = loaded(lab.parent / "other" / lab.name, "r1-2-1", (A, 1), (W, 2))
    assert roles(plain, open_too, elsewhere, equal)["r1-2-2"] == {"sender": "attack", "sender_2": "wanted"}


@pytest.mark.parametrize("given", ["rate", "attack_rate"])
def test_one_load_alone_tells_no_roles(lab: Path, given: str, tmp_path: Path) -> None:
    one = loaded(tmp_path, "plain", (W, 2), (A, 1))
    assert described(one, root=tmp_path, said=[f"{given}=2 Mpps"])[0].roles == {}
    both = described(one, root=tmp_path, said=["rate=2 Mpps", "attack_rate=1 Mpps"])
    assert both[0].roles == {"sender": "wanted", "sender_2": "attack"}


def test_a_result_without_loads_hides_none_after_it(lab: Path) -> None:
    trees = [loaded(lab, "plain", (W, 2)), loaded(lab, "r1-2-1", (A, 1), (W, 2))]
    assert roles(*trees) == {"plain": {}, "r1-2-1": {"sender": "attack", "sender_2": "wanted"}}


def test_roles_that_were_given_stay(lab: Path, tmp_path: Path) -> None:
    file = tmp_path / "roles.toml"
    file.write_text('[results."r1-2-1/*".roles]\nsender = "wanted"\n')
    trees = [loaded(lab, "r1-2-1", (A, 1), (W, 2)), loaded(lab, "r1-2-3", (A, 3), (W, 2))]
    first, second = described(*trees, root=lab, said=[str(file)])
    assert first.roles == {"sender": "wanted", "sender_2": "wanted"}
    assert first.why["roles"] == f"given by {file}"
    assert second.roles == {"sender": "attack", "sender_2": "wanted"}


def test_roles_are_given_to_the_results_that_have_such_a_generator(lab: Path, tmp_path: Path) -> None:
    file = tmp_path / "roles.toml"
    file.write_text('[results."*".roles]\nsender_2 = "attack"\n')
    trees = [loaded(tmp_path, "a", (W, 2)), loaded(tmp_path, "b", (A, 1), (W, 2))]
    found = [one.roles for one in described(*trees, root=tmp_path, said=[str(file)])]
    assert found == [{}, {"sender": "wanted", "sender_2": "attack"}]
    file.write_text('[results."*".roles]\nsender_2 = "attack"\nsender_3 = "wanted"\n')
    with pytest.raises(FwdtuiError) as raised:
        described(*trees, root=tmp_path, said=[str(file)])
    assert str(raised.value) == (
        f'{file}: results."*".roles.sender_3: no such generator; there are: sender, sender_2'
    )
    with pytest.raises(FwdtuiError, match=r"there are: none$"):
        described(tree("a", of("x")), said=[str(file)])


# what a generator sent


def test_the_load_is_the_median_of_the_seconds_in_which_something_was_sent(lab: Path) -> None:
    folder = lab / "r1-2-0"
    sent = log(folder / "x.1.sender", 0, 0, 0, 0, 2_000_000, 9_000_000, 2_000_000)
    assert roles(Tree(folder, (of("x", None, Run(1, senders=(("sender", sent),))),))) == {
        "r1-2-0": {"sender": "wanted"}
    }


def test_the_first_run_that_says_what_was_sent_counts(lab: Path) -> None:
    folder = lab / "r1-2-0"
    published = Run(1, published=Published(folder / "x.pps", 1.0))
    gone = Run(2, senders=(("sender", folder / "gone"),))
    silent = Run(3, senders=(("sender", log(folder / "x.3.sender", 0, 0)),))
    good = Run(4, senders=(("sender", log(folder / "x.4.sender", 2_000_000)),))
    later = Run(5, senders=(("sender", log(folder / "x.5.sender", 9_000_000)),))
    for first in (published, gone, silent):
        found = Tree(folder, (of("x", None, first, good, later),))
        assert roles(found) == {"r1-2-0": {"sender": "wanted"}}
    assert roles(Tree(folder, (of("x", None, published, gone, silent),))) == {"r1-2-0": {}}
