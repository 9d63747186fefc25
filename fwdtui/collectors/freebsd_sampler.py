"""A FreeBSD host as something to sample."""

from collections.abc import Sequence

from fwdtui.collectors import freebsd_script
from fwdtui.collectors.base import Readout
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.freebsd_frame import FreebsdHello, boottime_of, read_frame, read_hello
from fwdtui.collectors.watch import Watch


class FreebsdSampling:
    """`base.Sampling` for FreeBSD."""

    messages = 1.0  # no reading tells the state of a link: only the kernel's messages do

    def __init__(self, watch: Watch, token: str, interval: float) -> None:
        self._watch = watch
        self._boottime = ""
        self.script = freebsd_script.script(watch.interfaces, token)
        self.hello = FreebsdHello()

    def greeting(self, frame: Frame) -> Sequence[bytes]:
        self.hello = read_hello(frame)
        return [f"O 0 {' '.join(self.hello.oids)}".encode()] if self.hello.oids else []

    def line(self, kind: str, seq: int) -> bytes:
        return f"{kind} {seq}".encode()

    def read(self, frame: Frame) -> Readout:
        self._boottime = boottime_of(frame) or self._boottime
        return read_frame(frame, self.hello, self._watch.interfaces, self._boottime)
