"""Turns what a user types about a lab into the text of a lab.toml."""

import re

import msgspec
import tomli_w

_ROLE = """\
# role = "attack"   # where there are several [[generator]] tables: this one sends an attack
"""


class Fields(msgspec.Struct, frozen=True):
    """As typed. `dut_in` and `dut_out` hold one interface or several, separated by commas or spaces.

    `generator_start`, `dut_os` and both receiver fields may be empty.
    """

    name: str
    generator_host: str
    generator_interface: str
    generator_tool: str
    generator_start: str
    dut_host: str
    dut_in: str
    dut_out: str
    dut_os: str = ""
    receiver_host: str = ""
    receiver_interface: str = ""


def text(fields: Fields) -> str:
    """TOML that lab.parse reads back as these fields, or rejects naming the key that is wrong.

    An empty name becomes "lab"; if both receiver fields are empty, there is no receiver.
    """
    generator = {
        "host": fields.generator_host.strip(),
        "interface": fields.generator_interface.strip(),
        "tool": fields.generator_tool.strip(),
    }
    if start := fields.generator_start.strip():
        generator["start"] = start
    dut: dict[str, object] = {
        "host": fields.dut_host.strip(),
        "in": _interfaces(fields.dut_in),
        "out": _interfaces(fields.dut_out),
    }
    if system := fields.dut_os.strip():
        dut["os"] = system
    content: dict[str, object] = {"name": fields.name.strip() or "lab", "generator": generator, "dut": dut}
    receiver = {"host": fields.receiver_host.strip(), "interface": fields.receiver_interface.strip()}
    if any(receiver.values()):
        content["receiver"] = receiver
    # a line end within a string is escaped, so this is where the table of the generator ends
    return tomli_w.dumps(content).replace("\n[dut]\n", f"{_ROLE}\n[dut]\n", 1)


def _interfaces(typed: str) -> str | list[str]:
    """A single name stays a string, as people write it."""
    names = [name for name in re.split(r"[,\s]+", typed) if name]
    return names if len(names) > 1 else "".join(names)
