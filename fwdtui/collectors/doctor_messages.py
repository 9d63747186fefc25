"""Whether the kernel's messages can be read: every system is asked in the same way."""

from fwdtui.collectors.asking import first_line
from fwdtui.collectors.base import Check
from fwdtui.collectors.frames import Frame


def kernel_messages(host: str, answer: Frame, allow: str) -> Check:
    """From a section `messages` that says "readable" or why not; `allow` is the command that permits it."""
    said = answer.text("messages")
    if "readable" in said.split():
        return Check(host, "kernel messages", True, "readable")
    refused = first_line(said) or "dmesg said nothing"
    return Check(host, "kernel messages", None, refused, f"log in as root, or: {allow}")
