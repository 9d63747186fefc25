"""What somebody types about a lab, as the text of a lab.toml."""

import re

import msgspec
import tomli_w

from fwdtui.core.lab import Lab


class Fields(msgspec.Struct, frozen=True):
    """As typed. `dut_in` and `dut_out` hold one interface or several, separated by commas or spaces.

    `tool` is one of lab.GENERATOR_TOOLS; `generator_start` and both of the receiver's may be empty.
    """

    name: str
    generator_host: str
    generator_interface: str
    generator_tool: str
    generator_start: str
    dut_host: str
    dut_in: str
    dut_out: str
    receiver_host: str = ""
    receiver_interface: str = ""


def text(fields: Fields) -> str:
    """TOML that lab.parse reads back as these fields, or refuses with the key that is wrong.

    A name left empty is "lab"; where both of the receiver's fields are empty there is none.
    """
    generator = {
        "host": fields.generator_host.strip(),
        "interface": fields.generator_interface.strip(),
        "tool": fields.generator_tool,
    }
    if start := fields.generator_start.strip():
        generator["start"] = start
    content: dict[str, object] = {
        "name": fields.name.strip() or "lab",
        "generator": generator,
        "dut": {
            "host": fields.dut_host.strip(),
            "in": _interfaces(fields.dut_in),
            "out": _interfaces(fields.dut_out),
        },
    }
    receiver = {"host": fields.receiver_host.strip(), "interface": fields.receiver_interface.strip()}
    if any(receiver.values()):
        content["receiver"] = receiver
    return tomli_w.dumps(content)


def fields_of(lab: Lab) -> Fields:
    """The fields of a lab with one generator; what has no field is left out."""
    generator, receiver = lab.generators[0], lab.receiver
    return Fields(
        name=lab.name,
        generator_host=generator.host,
        generator_interface=generator.interface,
        generator_tool=generator.tool,
        generator_start=generator.start or "",
        dut_host=lab.dut.host,
        dut_in=", ".join(lab.dut.inputs),
        dut_out=", ".join(lab.dut.outputs),
        receiver_host=receiver.host if receiver else "",
        receiver_interface=receiver.interface if receiver else "",
    )


def _interfaces(typed: str) -> str | list[str]:
    """One stays a text, as people write it."""
    found = [name for name in re.split(r"[,\s]+", typed) if name]
    return found if len(found) > 1 else "".join(found)
