"""A Linux host as something to sample."""

from collections.abc import Sequence

from fwdtui.collectors import linux_script
from fwdtui.collectors.base import Readout
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.linux_frame import LinuxHello, read_frame, read_hello
from fwdtui.collectors.watch import Watch


class LinuxSampling:
    """`base.Sampling` for Linux."""

    # dmesg copies the whole buffer: the dearest tick of all. Each line has the kernel's own time, and links
    # are told by slow ticks.
    messages = 10.0

    def __init__(self, watch: Watch, token: str, interval: float) -> None:
        self._watch = watch
        self.script = linux_script.script(watch.interfaces, token, interval)
        self.hello = LinuxHello()

    def greeting(self, frame: Frame) -> Sequence[bytes]:
        self.hello = read_hello(frame)
        return ()

    def line(self, kind: str, seq: int) -> bytes:
        return f"{kind} {seq}".encode()

    def read(self, frame: Frame) -> Readout:
        return read_frame(frame, self.hello, self._watch.interfaces)
