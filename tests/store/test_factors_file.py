"""factors.toml and --factors: what they say, about which results, and what is wrong with them in one line."""

from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.store.factors_file import given, read

FILE = """
pattern = "{image}/{config}.{af}"
[factors]
Frame-Size = "64 B"
[results."*.inet6"]
without = ["queues"]
[results."*.inet6".factors]
rate = "300 kpps"
cores = 4
[results."*-20-*/*".roles]
sender = "attack"
sender_gen2 = "wanted"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "factors.toml"
    path.write_text(text)
    return path


def test_a_file_says_its_parts_in_order(tmp_path):
    pattern, factors, inet6, roles = read(written(tmp_path, FILE))
    assert pattern.pattern is not None and pattern.pattern.names == ("image", "config", "af")
    assert factors.factors == {"frame_size": "64 B"} and factors.key == ""
    assert inet6.factors == {"rate": "300 kpps", "cores": 4} and inet6.without == ("queues",)
    assert roles.roles == {"sender": "attack", "sender_gen2": "wanted"}
    assert not any(one.fill for one in (pattern, factors, inet6, roles)), "a file corrects what is known too"


@pytest.mark.parametrize(
    ("key", "place", "fits"),
    [
        ("", "root/may/n1.inet4", True),
        ("*.inet4", "root/may/n1.inet4", True),
        ("*.inet4", "root/may/n1.inet6", False),
        ("may/*", "root/may/n1.inet4", True),
        ("june/*", "root/may/n1.inet4", False),
        ("root/*/n1.*", "root/may/n1.inet4", True),
        ("oot/may/*", "root/may/n1.inet4", False),  # whole components only
        ("N1*", "root/may/n1.inet4", False),
        ("n[12].inet?", "root/may/n1.inet4", True),
    ],
)
def test_a_table_is_about_the_results_whose_names_fit_its_key(tmp_path, key, place, fits):
    said = read(
        written(tmp_path, f'[results."{key}".factors]\naf = "x"\n' if key else '[factors]\naf = "x"\n')
    )
    assert said[0].fits(place) is fits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "x: unknown key; expected one of pattern, factors, results"),
        (
            '[results."a*"]\nrole = 1\n',
            "results.a*.role: unknown key; expected one of factors, without, roles",
        ),
        ("pattern = 3\n", "pattern: expected a string, got an integer"),
        ('pattern = "{a}{b}"\n', "pattern: '{a}{b}': nothing separates {a}"),
        ("[factors]\naf = true\n", "factors.af: expected "),
        ("[factors]\naf = [1]\n", "factors.af: expected "),
        ('[factors]\n"4af" = 1\n', "factors: '4af' is not the name of a factor"),
        ('[results."a".roles]\nsender = "dos"\n', 'expected "wanted" or "attack", got \'dos\''),
        ('[results."a"]\nwithout = ["4"]\n', "results.\"a\".without: '4' is not the name"),
        ('[results.""]\n', 'results."": expected a pattern'),
        ("[factors\n", "factors.toml: "),
        ("x = " + "[" * 100 + "]" * 100, "nested more than 64 levels"),
    ],
)
def test_a_wrong_file_is_one_line_that_names_file_and_key(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(FwdtuiError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}: ") and message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_option_is_a_file_a_pattern_or_a_factor(tmp_path, monkeypatch):
    path = written(tmp_path, FILE)
    assert len(given(str(path))) == 4
    (pattern,) = given("{image}.{af}")
    assert pattern.pattern is not None
    (factor,) = given("AF=inet4")
    assert factor.factors == {"af": "inet4"} and factor.fill
    monkeypatch.chdir(tmp_path)
    path.rename("a=b{c}")
    assert len(given("a=b{c}")) == 4  # a file of that name is meant


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "inet4",
            "is neither a file, nor a pattern such as {image}.{config}.{af}, nor a factor such as af=inet4",
        ),
        ("af=", "does not give a factor a value"),
        ("4=x", "is not the name of a factor"),
        ("{a}{b}", "nothing separates {a}"),
    ],
)
def test_a_wrong_option_is_one_line_that_names_it(text, message):
    with pytest.raises(FwdtuiError) as raised:
        given(text)
    assert str(raised.value).startswith("--factors: ") and message in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError):
        given(str(tmp_path / "none.toml"))
