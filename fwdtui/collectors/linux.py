"""Linux, as the entry point `linux` of the group fwdtui.systems."""

from fwdtui.collectors.late_system import LateSystem

system = LateSystem(
    name="linux",
    uname="Linux",
    sampler="fwdtui.collectors.linux_sampler:LinuxSampling",
    collector="fwdtui.collectors.facts_linux:collect",
    examiner="fwdtui.collectors.doctor_linux:checks",
)
