"""Each rule that reads a factor in a name, what it does not read, and that nothing is guessed."""

import pytest

from fwdtui.core.inference import RULES, Names, infer, unknown_beside

CHANNELS = ("fbsd12", "results", "dev.mce.conf.channels", "ConnectX-4")
DOS = ("fbsd13-r1-20M_leg-0to40M_dos", "results")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        # what .info gives; the folder names the image where .info does not
        (Names("n1", "pf", "inet4", "may"), {"image": "n1", "config": "pf", "af": "inet4"}),
        (
            Names("", "pf", "inet6", "fbsd16.D58513"),
            {"image": "fbsd16.D58513", "config": "pf", "af": "inet6"},
        ),
        (Names("n1", "", "inet"), {"image": "n1", "af": "inet"}),
        # an address family is a whole part of a name, of the configuration too
        (Names("n1", "pf.stateless.inet6"), {"image": "n1", "config": "pf.stateless", "af": "inet6"}),
        (Names("n1", "inet4only", "inet46"), {"image": "n1", "config": "inet4only", "traffic": "inet46"}),
        # said twice, the second is a name like any other
        (Names("n1", "inet4", "inet6"), {"image": "n1", "traffic": "inet6", "af": "inet4"}),
        # frame sizes below RFC2544, and nowhere else
        (Names("n1", "", "64", "x", ("results", "RFC2544")), {"image": "n1", "frame_size": 64}),
        (Names("n1", "", "1518", "x", ("rfc-2544",)), {"image": "n1", "frame_size": 1518}),
        (Names("n1", "", "63", "x", ("RFC2544",)), {"image": "n1", "traffic": "63"}),
        (
            Names("n1", "98765.inet4", "1518", "x", ("RFC2544",)),
            {"image": "n1", "config": "98765", "af": "inet4", "frame_size": 1518},
        ),
        # of several numbers the one that RFC 2544 has; else none is known to be the frames'
        (
            Names("n1", "2000.pf", "1518", "x", ("RFC2544",)),
            {"image": "n1", "config": "2000.pf", "frame_size": 1518},
        ),
        (
            Names("n1", "64.pf", "2000.inet6", "x", ("RFC2544",)),
            {"image": "n1", "config": "pf", "traffic": "2000", "frame_size": 64, "af": "inet6"},
        ),
        (
            Names("n1", "1000.pf", "2000", "x", ("RFC2544",)),
            {"image": "n1", "config": "1000.pf", "traffic": "2000"},
        ),
        (Names("n1", "64.128", "", "x", ("RFC2544",)), {"image": "n1", "config": "64.128"}),
        (Names("n1", "9018", "", "x", ("RFC2544",)), {"image": "n1", "frame_size": 9018}),
        (Names("n1", "64", "64", "x", ("RFC2544",)), {"image": "n1", "traffic": "64", "frame_size": 64}),
        (Names("n1", "", "64", "x", ("results", "RFC2889")), {"image": "n1", "traffic": "64"}),
        (Names("n1", "", "64", "RFC2544"), {"image": "n1", "traffic": "64"}),
        # queues below the tunable that sets them
        (Names("", "24-default", "", "fbsd12", CHANNELS), {"image": "fbsd12", "queues": 24}),
        (Names("", "3", "", "fbsd12", CHANNELS), {"image": "fbsd12", "queues": 3}),
        (Names("", "0", "", "fbsd12", CHANNELS), {"image": "fbsd12", "config": "0"}),
        (Names("", "8", "", "f", ("hw.ix.num_queues",)), {"image": "f", "queues": 8}),
        (Names("", "8", "", "f", ("net.isr.maxthreads",)), {"image": "f", "config": "8"}),
        # the configuration's, before the traffic's; of several numbers none is known to be the queues'
        (Names("n1", "8", "2000", "f", CHANNELS), {"image": "n1", "traffic": "2000", "queues": 8}),
        (Names("n1", "pf", "8", "f", CHANNELS), {"image": "n1", "config": "pf", "queues": 8}),
        (Names("", "13.2.8", "", "f", CHANNELS), {"image": "f", "config": "13.2.8"}),
        (Names("", "13.2", "8", "f", CHANNELS), {"image": "f", "config": "13.2", "traffic": "8"}),
        (Names("", "8.8", "", "f", CHANNELS), {"image": "f", "config": "8", "queues": 8}),
        # a length of frames is none of them
        (Names("", "8.64", "", "f", (*CHANNELS, "RFC2544")), {"image": "f", "frame_size": 64, "queues": 8}),
        (
            Names("", "8", "1518", "f", (*CHANNELS, "RFC2544")),
            {"image": "f", "queues": 8, "frame_size": 1518},
        ),
        # wanted and attack load, if the folder above says the same
        (
            Names("", "ipfw", "", "fbsd13-r1-20-10", DOS),
            {"image": "fbsd13-r1", "config": "ipfw", "rate": "20 Mpps", "attack_rate": "10 Mpps"},
        ),
        (
            Names("", "ipfw", "", "fbsd13-r1-20-0", DOS),
            {"image": "fbsd13-r1", "config": "ipfw", "rate": "20 Mpps", "attack_rate": "0 Mpps"},
        ),
        (
            Names("", "", "", "fbsd13-r1-20-40", DOS),
            {"image": "fbsd13-r1", "rate": "20 Mpps", "attack_rate": "40 Mpps"},
        ),
        (Names("", "", "", "fbsd13-r1-20-41", DOS), {"image": "fbsd13-r1-20-41"}),
        (Names("", "inet4", "", "inet6"), {"image": "inet6", "af": "inet4"}),
        (Names("", "fbsd13-r1-20-10", "", "x", DOS), {"image": "x", "config": "fbsd13-r1-20-10"}),
        (Names("", "", "", "fbsd13-r1-19-10", DOS), {"image": "fbsd13-r1-19-10"}),
        (Names("", "", "", "fbsd13-r1-20-10", ("results",)), {"image": "fbsd13-r1-20-10"}),
        (Names("n1", "", "", "x-20-10", DOS), {"image": "n1", "rate": "20 Mpps", "attack_rate": "10 Mpps"}),
        # a build that is called by a number alone is no load
        (Names("", "", "", "13-20-10", DOS), {"image": "13", "rate": "20 Mpps", "attack_rate": "10 Mpps"}),
        (Names("", "", "", "013-20-10", DOS), {"image": "013", "rate": "20 Mpps", "attack_rate": "10 Mpps"}),
    ],
)
def test_a_name_gives_the_factors_that_a_rule_reads_in_it(names, expected):
    assert infer(names).factors == expected


def test_each_factor_has_a_sentence_and_the_image_comes_first():
    inferred = infer(Names("", "ipfw", "inet4", "fbsd13-r1-20-10", DOS))
    assert next(iter(inferred.factors)) == "image"
    assert inferred.why.keys() == inferred.factors.keys()
    assert "Mpps" in inferred.why["attack_rate"] and "folder" in inferred.why["image"]
    assert all(rule.why and not rule.why.endswith(".") for rule in RULES)


def test_what_one_does_not_say_and_others_beside_it_do_is_not_known_and_never_guessed_equal():
    found = [{"image": "a", "af": "inet4"}, {"image": "b", "af": "inet4"}, {"image": "c"}]
    assert unknown_beside(found) == [{}, {}, {"af": ""}]
    assert unknown_beside([{"image": "a"}, {"image": "b"}]) == [{}, {}]
