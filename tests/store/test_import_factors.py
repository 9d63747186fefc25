"""Factors of an imported tree: inferred from its names, corrected by what people say, never guessed."""

import tempfile
from pathlib import Path

import pytest
from fixtures import Agree, benchlab

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import merged
from fwdtui.report.cells_of import cells, trials
from fwdtui.store import read_session
from fwdtui.store.benchlab import carry_out, import_tree
from fwdtui.store.benchlab_plan import plan


def factors_of(root: Path, *corrections: str) -> dict[str, dict[str, object]]:
    """FOLDER/.../NAME of each result -> its factors."""
    return {one.place: one.factors for one in plan(root, root / "s", corrections).described}


@pytest.fixture
def two_images(tmp_path: Path) -> Path:
    """Two folders of one benchmark, of which the second does not say the address family."""
    root = tmp_path / "simple_tx" / "results"
    for traffic in ("inet4", "inet6"):
        benchlab.named(root / "fbsd16" / "RAW", config="tx_on", traffic=traffic)
    benchlab.named(root / "fbsd16.D1" / "RAW", config="tx_on")
    return root


def test_where_a_folder_does_not_say_what_its_neighbour_does_the_factor_is_not_known(two_images):
    assert factors_of(two_images) == {
        "results/fbsd16/tx_on.inet4": {"image": "fbsd16", "config": "tx_on", "af": "inet4"},
        "results/fbsd16/tx_on.inet6": {"image": "fbsd16", "config": "tx_on", "af": "inet6"},
        "results/fbsd16.D1/tx_on": {"image": "fbsd16.D1", "config": "tx_on", "af": ""},
    }
    # alone it has no neighbour
    assert "af" not in factors_of(two_images / "fbsd16.D1")["fbsd16.D1/tx_on"]
    # one whose folder is elsewhere is none either
    benchlab.named(two_images.parent / "configs" / "x", config="other")
    assert "af" not in factors_of(two_images.parent)["simple_tx/configs/x/other"]


def test_one_word_gives_what_is_not_known_and_changes_nothing_else(two_images):
    found = factors_of(two_images, "af=inet4")
    assert [one["af"] for one in found.values()] == ["inet4", "inet6", "inet4"]
    with pytest.raises(FwdtuiError, match="every result already has a value of config"):
        factors_of(two_images, "config=x")
    # what has no such factor, as nobody beside it has, is not meant: it may be of the other family
    benchlab.named(two_images.parent / "configs" / "x", config="other")
    assert "af" not in factors_of(two_images.parent, "af=inet4")["simple_tx/configs/x/other"]
    # a factor that nobody has is given to all
    assert {one["flows"] for one in factors_of(two_images, "flows=2000").values()} == {"2000"}


def test_a_pattern_says_what_the_parts_of_the_names_are(two_images):
    found = factors_of(two_images, "{image}/tx_{tx_abdicate}.{af}")
    assert found["results/fbsd16/tx_on.inet6"] == {"image": "fbsd16", "af": "inet6", "tx_abdicate": "on"}
    # what it does not fit is as it was inferred, and now lacks one more factor
    assert found["results/fbsd16.D1/tx_on"] == {
        "image": "fbsd16.D1", "config": "tx_on", "af": "", "tx_abdicate": "",
    }  # fmt: skip
    with pytest.raises(FwdtuiError, match=r"no result fits it; the first is results/fbsd16/tx_on\.inet4"):
        factors_of(two_images, "{a}!{b}")


def test_a_file_corrects_adds_and_removes_and_later_tables_win(two_images, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        '[factors]\nflows = 2000\n[results."fbsd16.D1/*".factors]\naf = "inet4"\nflows = 5\n'
        '[results."*.inet6"]\nwithout = ["config"]\n'
    )
    found = factors_of(two_images, str(file))
    assert found["results/fbsd16.D1/tx_on"] == {
        "image": "fbsd16.D1", "config": "tx_on", "af": "inet4", "flows": 5,
    }  # fmt: skip
    # what was taken away on purpose is not unknown
    assert found["results/fbsd16/tx_on.inet6"] == {"image": "fbsd16", "af": "inet6", "flows": 2000}


def test_a_table_that_is_about_no_result_is_an_error_in_a_file_that_was_named(two_images, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('[results."*.inet7".factors]\naf = "x"\n')
    with pytest.raises(FwdtuiError) as raised:
        factors_of(two_images, str(file))
    assert str(raised.value).startswith(f'{file}: results."*.inet7": no result fits it')


def test_what_is_no_value_of_its_factor_is_kept_and_told(two_images, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('[factors]\nrate = "fast"\ncores = 4\n[results."*.inet6".factors]\nframe_size = "64 B"\n')
    planned = plan(two_images, tmp_path / "s", (str(file), "flows=many"))
    assert {(one.factors["rate"], one.factors["flows"]) for one in planned.described} == {("fast", "many")}
    rate = 'a rate such as "300 kpps" or "1 Gb/s"'
    assert [note for note in planned.notes if "expected" in note] == [
        f"{file}: rate is 'fast' of 3 results, where {rate} was expected: it is kept as it is",
        "--factors flows=many: flows is 'many' of 3 results, where a whole number such as 24 was expected: "
        "it is kept as it is",
    ]


def test_a_factor_that_is_to_be_taken_away_and_that_no_result_has_is_told(two_images, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('[results."*.inet6"]\nwithout = ["confg"]\n[results."fbsd16.D1/*"]\nwithout = ["af"]\n')
    planned = plan(two_images, tmp_path / "s", (str(file),))
    # the second one is no mistake: without it, af would be unknown there
    assert "af" not in planned.described[-1].factors
    assert [note for note in planned.notes if "without" in note] == [
        f'{file}: results."*.inet6".without: no result has confg; there are image, config, af'
    ]


def test_a_file_in_the_tree_is_used_for_what_is_below_it_and_that_is_told(two_images, tmp_path):
    (two_images / "fbsd16.D1" / "factors.toml").write_text('[factors]\naf = "inet4"\n')
    (two_images / "factors.toml").write_text(
        '[factors]\naf = "inet9"\nflows = 1\n[results."no".factors]\nx = 1\n'
    )
    planned = plan(two_images, tmp_path / "s")
    found = {one.place: one.factors for one in planned.described}
    # the folder's own file is used after that of the folder above
    assert [one["af"] for one in found.values()] == ["inet9", "inet9", "inet4"]
    assert all(one["flows"] == 1 for one in found.values())
    assert f"{two_images / 'factors.toml'} is used" in planned.notes
    assert f'{two_images / "factors.toml"}: results."no": no result fits it' in planned.notes
    # what the user says by hand is used last
    file = tmp_path / "mine.toml"
    file.write_text('[factors]\naf = "inet6"\n')
    assert {one["af"] for one in factors_of(two_images, str(file)).values()} == {"inet6"}
    # and a broken one is not passed over
    (two_images / "factors.toml").write_text("af = 1\n")
    with pytest.raises(FwdtuiError, match=r"factors\.toml: af: unknown key"):
        plan(two_images, tmp_path / "s")


def test_the_factors_are_in_the_sessions_the_image_of_all_and_the_rest_by_case(two_images, tmp_path):
    made = carry_out(plan(two_images, tmp_path / "s"))
    sessions = [read_session(one.path) for one in made]
    by_image = {str(one.factors["image"]): one for one in sessions}
    cases = {case.name: dict(case.factors) for case in by_image["fbsd16"].cases}
    assert cases == {
        "inet4": {"config": "tx_on", "af": "inet4"}, "inet6": {"config": "tx_on", "af": "inet6"},
    }  # fmt: skip
    (unknown,) = by_image["fbsd16.D1"].cases
    assert not merged(unknown.factors)["af"].known
    # so nobody pools it with either
    with pytest.raises(FwdtuiError, match="af is not known in"):
        cells(trials(sessions), ["image", "af"])


def test_what_the_names_and_files_say_is_cleaned(tmp_path):
    benchlab.named(tmp_path / "im\x1b[31mage", config="p\u202ef")
    ((place, found),) = factors_of(tmp_path).items()
    assert "\x1b" not in place + str(found) and "\u202e" not in place + str(found)


def test_names_without_info_and_names_that_say_more_than_their_info(tmp_path):
    benchlab.named(tmp_path / "a", config="pf", traffic="inet4")
    (tmp_path / "a" / "bench.pf.inet4.info").unlink()
    assert list(factors_of(tmp_path / "a").values()) == [{"image": "a", "config": "pf", "af": "inet4"}]
    # a neighbour's .info shows where the image ends
    benchlab.named(tmp_path / "b", "n1.D2", "pf", "inet4")
    benchlab.named(tmp_path / "b", "n1.D2", "pf", "inet6")
    (tmp_path / "b" / "bench.n1.D2.pf.inet6.info").unlink()
    assert factors_of(tmp_path / "b")["b/n1.D2.pf.inet6"] == {"image": "n1.D2", "config": "pf", "af": "inet6"}
    # IMAGE="" although the name begins with one
    benchlab.named(tmp_path / "c", "n1", "pf", "inet4")
    info = tmp_path / "c" / "bench.n1.pf.inet4.info"
    info.write_text(info.read_text().replace('IMAGE="n1"', 'IMAGE=""'))
    assert list(factors_of(tmp_path / "c").values()) == [{"image": "n1", "config": "pf", "af": "inet4"}]


# runs under a profiler


@pytest.mark.parametrize("where", ["PMC", "pmc/off", "PMC/on/RAW"])
def test_runs_under_a_profiler_are_no_iterations_and_that_is_told(two_images, tmp_path, where):
    benchlab.named(two_images / "fbsd16" / where, config="tx_on", traffic="inet4", runs=1)
    made = import_tree(two_images, tmp_path / "s")
    assert sorted((one.label, one.iterations) for one in made) == [
        ("fbsd16.D1.tx_on", 2),
        ("fbsd16.tx_on", 4),
    ]
    (note,) = (note for one in made for note in one.notes if "profiler" in note)
    assert note.startswith(f"{where.partition('/')[0]}/: 1 run made under a profiler")
    assert "tx_on.inet4" in note and "not iterations" in note


def test_nothing_but_runs_under_a_profiler_is_an_error_that_says_so(tmp_path):
    benchlab.named(tmp_path / "PMC" / "off", config="tx_on")
    for root in (tmp_path, tmp_path / "PMC"):
        with pytest.raises(
            FwdtuiError, match=r"no bench-lab results in it.*PMC/: 2 runs made under a profiler"
        ):
            import_tree(root, tmp_path / "s")


# searches for an equilibrium, in Mb/s


def searches(folder: Path, key: str, *results: int, bare: bool = False) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for index, result in enumerate(results, 1):
        name = f"bench.{key}.{index}" + ("" if bare else ".sender")
        text = benchlab.search([(900, result + 5), (result + 1, result)], old=bare)
        (folder / name).write_text(text)
    return folder


def values_of(root: Path, into: Path) -> tuple[list[tuple[float | None, str, float | None]], list[str]]:
    """Value, unit and highest rate of each iteration, and all notes."""
    made = import_tree(root, into)
    found = []
    for one in made:
        for case in read_session(one.path, verify=True).cases:
            for i in case.iterations:
                highest = i.metrics.get("highest")
                found.append((i.value, i.unit, highest.median if highest else None))
    return found, [note for one in made for note in one.notes]


@pytest.mark.parametrize("bare", [False, True])
def test_a_search_gives_its_result_in_megabits_without_a_receiver(tmp_path, bare):
    root = searches(tmp_path / "ipsec", "null", 764, 761, bare=bare)
    (root / "null.equilibrium").write_text("764\n761\n")
    found, notes = values_of(root, tmp_path / "s")
    assert found == [(764.0, "Mb/s", 769.0), (761.0, "Mb/s", 766.0)]
    assert not [note for note in notes if "published" in note]
    (session,) = (tmp_path / "s").iterdir()
    (case,) = read_session(session).cases
    assert not any(one.warnings for one in case.iterations)
    assert case.iterations[0].source == "generator.log" and "bench.null.1" in case.iterations[0].origin
    assert case.iterations[0].window is not None and case.iterations[0].window.method == "equilibrium"


def test_published_values_that_are_not_those_of_the_searches_are_told(tmp_path):
    root = searches(tmp_path / "ipsec", "null", 764, 761)
    (root / "null.equilibrium").write_text("490\n502\n764\n761\n")
    _, notes = values_of(root, tmp_path / "s1")
    assert "null.equilibrium: 4 values, of which the last 2 are those of the logs" in notes
    (root / "null.equilibrium").write_text("764\n760\n")
    _, notes = values_of(root, tmp_path / "s2")
    assert "null.equilibrium: published values differ from those of the logs" in notes


def test_a_search_that_did_not_end_has_no_value_and_one_that_was_edited_is_told(tmp_path):
    root = searches(tmp_path / "ipsec", "null", 764, 761, 253)
    (root / "bench.null.1.sender").write_text(benchlab.search([(500, 400)], ended=False))
    (root / "bench.null.3.sender").write_text(benchlab.search([(290, 289), (293, 253)]))
    edited = (root / "bench.null.2.sender").read_text().replace("throughput= 761", "throughput= 961")
    (root / "bench.null.2.sender").write_text(edited)
    (made,) = import_tree(root, tmp_path / "s")
    first, second, third = read_session(made.path).cases[0].iterations
    assert [one.text for one in third.warnings if one.code == "equilibrium-unsteady"] == [
        "A step of the search forwarded 289 of 290 Mb/s, which is more than its result, 253 Mb/s: losses did"
        " not grow with the load, so the result is not the highest load without loss; repeat this iteration."
    ]
    assert first.value is None and [one.code for one in first.warnings] == ["no-equilibrium"]
    assert [one.code for one in second.warnings] == ["equilibrium-differs"]


def test_values_of_searches_whose_logs_are_lost_keep_their_unit_and_their_maximum(tmp_path):
    root = tmp_path / "ipsec"
    root.mkdir()
    (root / "null.equilibrium").write_text("764\n761\n")
    (root / "null.equilibrium.max").write_text("769\n770\n")
    found, _ = values_of(root, tmp_path / "s1")
    assert found == [(764.0, "Mb/s", 769.0), (761.0, "Mb/s", 770.0)]
    # maxima of other runs belong to none
    (root / "null.equilibrium.max").write_text("769\n")
    found, _ = values_of(root, tmp_path / "s2")
    assert found == [(764.0, "Mb/s", None), (761.0, "Mb/s", None)]
    # a maximum alone is another measurement: never a case that an equilibrium could be compared with
    (root / "null.equilibrium").unlink()
    found, _ = values_of(root, tmp_path / "s3")
    assert found == [(769.0, "Mb/s", None)]
    assert [path.name for path in (tmp_path / "s3").iterdir()] == ["null.max"]


@pytest.mark.parametrize("word", ["nan", "inf", "1e999", "12x"])
def test_a_value_file_with_more_than_numbers_is_none(tmp_path, word):
    root = searches(tmp_path / "ipsec", "null", 764)
    (root / "other.equilibrium").write_text(f"764 {word}\n")
    found, notes = values_of(root, tmp_path / "s")
    assert len(found) == 1 and any("other.equilibrium: not a value file" in note for note in notes)


# the same in published results


def real_factors(archive: Path, netbenches: Path) -> None:
    tx = factors_of(archive / "AMD_GX-412TC_4Cores" / "Intel_i210AT" / "txabdicate")
    assert len(tx) == 8
    for place, found in tx.items():
        *_, image, key = place.split("/")
        config, _, af = key.partition(".")
        assert found == {"image": image, "config": config, "af": af}
    channels = factors_of(archive / "Xeon_E5-2650v4_2x12Cores")
    assert len(channels) == 72 and {one["queues"] for one in channels.values()} == set(range(1, 25))
    assert all(one.keys() == {"image", "queues"} for one in channels.values())
    sizes = factors_of(archive / "AMD_G-T40E_2Cores")
    assert {one["frame_size"] for one in sizes.values()} == {64, 128, 256, 512, 1024, 1280, 1518}
    loads = factors_of(archive / "Xeon_E5-2697Av4_16Cores")
    assert {one["image"] for one in loads.values()} == {"fbsd13-r357572"}
    assert {(one["rate"], one["attack_rate"]) for one in loads.values()} == {
        ("20 Mpps", f"{attack} Mpps") for attack in (0, 10, 20, 30, 40)
    }
    everything = {**factors_of(archive), **factors_of(netbenches)}
    assert not [name for one in everything.values() for name, value in one.items() if value == ""]
    assert {one["af"] for one in everything.values() if "af" in one} == {"inet4", "inet6"}


def real_equilibria(archive: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        equilibria_as_published(archive / "AMD_GX-412TC_4Cores" / "Intel_i210AT" / "ipsec", Path(folder))


def equilibria_as_published(root: Path, into: Path) -> None:
    made = import_tree(root, into)
    assert sum(one.iterations for one in made) == 195
    origins: dict[tuple[str, str], list[tuple[float | None, float]]] = {}
    warned: list[tuple[float, str]] = []
    for one in made:
        for case in read_session(one.path, verify=True).cases:
            for i in case.iterations:
                assert i.unit == "Mb/s" and i.value is not None
                warned += [(i.value, one.code) for one in i.warnings]
                folder, *_, log = i.origin.split("/")
                key = log.removeprefix("bench.").removesuffix(".sender").rpartition(".")[0]
                origins.setdefault((folder, key), []).append((i.value, i.metrics["highest"].median))
    assert sorted(warned) == [(253.0, "equilibrium-unsteady"), (258.0, "equilibrium-unsteady")]
    for (folder, key), values in origins.items():
        for which, name in enumerate((f"{key}.equilibrium", f"{key}.equilibrium.max")):
            if folder == "fbsd11.0-aesni":  # published under a name of its own, without the maxima
                name = "aes-cbc-128-NOaesni.data" if "NO" in key else "aes-cbc-128-aesni.data"
                which = 0
            published = [float(word) for word in (root / "results" / folder / name).read_text().split()]
            # one file was appended to by every run of the script: the last values are those of its logs
            assert [value[which] for value in values] == published[-len(values) :]
            assert len(published) == len(values) or (folder, key) == ("fbsd11.0", "null")


def test_published_trees_have_the_factors_that_they_name_and_the_values_in_megabits(agree: Agree) -> None:
    agree(real_factors, real_equilibria)
