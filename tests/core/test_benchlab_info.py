"""The .info file's two forms, and names that are never split on their dots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.benchlab_info import BenchInfo, parse

OLD = """Image: /root/images.D4306//BSDRP-296935D4304-upgrade-amd64-vga.img.xz
CFG: fastforwarding-pf-ipfw/configs//ipfw-statefull
FreeBSD netgate.bsdrp.net 11.0-CURRENT FreeBSD 11.0-CURRENT #0 r296935M: Fri Mar 18 13:41:18 CET 2016
Start time: March 18, 2016 at 05:39:11 PM CET
End time: March 18, 2016 at 06:01:10 PM CET
"""
NEW = 'IMAGE="n311215.D58513"\nCFG="simple.tx"\nPKTGEN="inet4"\nUNAME="FreeBSD apu2 16.0-CURRENT"'


def test_the_old_form_names_image_configuration_and_times():
    info = parse(OLD)
    assert (info.image, info.config, info.traffic) == ("296935D4304", "ipfw-statefull", None)
    assert info.uname is not None and info.uname.startswith("FreeBSD netgate")
    assert info.started == "March 18, 2016 at 05:39:11 PM CET"
    assert info.skipped == ()


def test_the_new_form_is_read_without_a_last_newline():
    info = parse(NEW)
    assert (info.image, info.config, info.traffic) == ("n311215.D58513", "simple.tx", "inet4")
    assert info.uname == "FreeBSD apu2 16.0-CURRENT"


def test_dots_within_a_field_do_not_split_the_name():
    assert parse(NEW).split("n311215.D58513.simple.tx.inet4") == ("n311215.D58513", "simple.tx.inet4")
    assert parse(OLD).split("296935D4304.ipfw-statefull") == ("296935D4304", "ipfw-statefull")


def test_an_empty_configuration_leaves_the_traffic_profile_as_the_case():
    assert parse('IMAGE="320657"\nCFG=""\nPKTGEN="inet4"').split("320657.inet4") == ("320657", "inet4")


def test_a_file_that_does_not_fit_the_name_decides_nothing():
    assert parse('IMAGE="other"\nPKTGEN="inet6"').split("320657.inet4") is None


@given(st.text())
def test_any_text_is_survived(text):
    parse(text).split(text)


@pytest.mark.parametrize(
    ("info", "key", "parts"),
    [
        (BenchInfo(image="r1", config="c", traffic="t"), "r1.c.t", ("r1", "c.t")),
        # of another image than the file names: what the file says of the case decides
        (BenchInfo(image="r1", config="c", traffic="t"), "r2.x.c.t", ("r2.x", "c.t")),
        (BenchInfo(image="r1", config="c", traffic="t"), "r2.c", ("r2", "c")),
        (BenchInfo(image="r1", config="c", traffic="t"), "r2.t", ("r2", "t")),
        (BenchInfo(image="r1", config="c", traffic="t"), "r1.other", ("r1", "other")),
        (BenchInfo(image="r1", config="c", traffic="t"), "r1", ("r1", "default")),
        (BenchInfo(image="r1"), "r1.two.parts", ("r1", "two.parts")),
        (BenchInfo(image="r1", config="c"), "r2c", None),
        (BenchInfo(), "r1.c", None),
    ],
)
def test_the_parts_of_a_name_are_those_that_the_file_names(info, key, parts):
    assert info.split(key) == parts
