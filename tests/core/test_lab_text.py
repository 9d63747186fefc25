"""What is typed into the dialog for a new lab is what lab.toml says."""

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core import lab
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab_text import Fields, text

interfaces = st.from_regex(r"[A-Za-z0-9_.:@][A-Za-z0-9_.:@-]{0,31}", fullmatch=True)
hosts = st.from_regex(r"[a-z0-9@:.\[\]_][a-z0-9@:.\[\]_-]{0,40}", fullmatch=True)
any_text = st.text(st.characters(exclude_categories=["Cs"]))
words = any_text.map(str.strip)
ports = st.lists(interfaces, min_size=1, max_size=4, unique=True).map(", ".join)


@given(
    st.builds(
        Fields,
        name=words.filter(bool),
        generator_host=hosts,
        generator_interface=interfaces,
        generator_tool=st.sampled_from(["netmap-pkt-gen", "counters"]),
        generator_start=words,
        dut_host=hosts,
        dut_in=ports,
        dut_out=ports,
        dut_os=st.sampled_from(["", "freebsd"]),
    ),
    st.one_of(st.just(("", "")), st.tuples(hosts, interfaces)),
)
def test_what_was_typed_is_the_lab_that_is_read(typed, receiver):
    host, interface = receiver
    typed = msgspec.structs.replace(typed, receiver_host=host, receiver_interface=interface)
    generator = lab.Endpoint(typed.generator_host, typed.generator_interface, typed.generator_tool)
    inputs, outputs = (tuple(names.split(", ")) for names in (typed.dut_in, typed.dut_out))
    assert lab.parse(text(typed)) == lab.Lab(
        typed.name,
        (msgspec.structs.replace(generator, start=typed.generator_start or None),),
        lab.Dut(typed.dut_host, inputs, outputs, typed.dut_os or None),
        lab.Endpoint(host, interface) if host else None,
    )


@given(st.builds(Fields, **dict.fromkeys(Fields.__struct_fields__, any_text)))
def test_whatever_is_typed_is_read_back_or_refused_and_never_becomes_another_key(typed):
    with contextlib.suppress(FwdtuiError):
        found = lab.parse(text(typed))
        assert (found.generators[0].start or "") == typed.generator_start.strip()
        assert (found.dut.host, found.dut.os or "") == (typed.dut_host.strip(), typed.dut_os.strip())
        assert found.ssh == lab.Ssh() and found.run == lab.Run() and len(found.generators) == 1


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("generator_host", "", "generator.host"),
        ("generator_host", "-oProxyCommand=x", "generator.host"),
        ("generator_interface", "ix 0", "generator.interface"),
        ("dut_in", "", "dut.in"),
        ("dut_out", "a/b", "dut.out"),
        ("receiver_host", "sink", "receiver.interface"),
    ],
)
def test_a_wrong_field_is_refused_by_its_key(field, value, named):
    good = Fields("lab", "gen", "ix0", "counters", "", "dut", "ix0", "ix1")
    typed = Fields(**{**{name: getattr(good, name) for name in Fields.__struct_fields__}, field: value})
    with pytest.raises(FwdtuiError, match=named.replace(".", r"\.")):
        lab.parse(text(typed))


def test_several_port_pairs_are_lists_and_one_is_plain():
    one = text(Fields("lab", "gen", "ix0", "counters", "", "dut", "ix0", "ix1"))
    assert 'in = "ix0"' in one
    several = lab.parse(text(Fields("lab", "gen", "ix0", "counters", "", "dut", "ix0 ix2", "ix1,ix3")))
    assert several.dut.inputs == ("ix0", "ix2") and several.dut.outputs == ("ix1", "ix3")


def test_the_role_of_a_generator_is_shown_as_a_comment_in_its_table():
    written = text(Fields("x\n[dut]\n", "g", "e0", "counters", "", "d", "e1", "e2"))
    generator = written[written.index("[generator]") : written.rindex("[dut]")]
    assert '# role = "attack"' in generator and written.count("# role") == 1
    told = written.replace("# role", "role")  # alone it would be the only generator
    with pytest.raises(FwdtuiError, match="at least one generator with role"):
        lab.parse(told)
