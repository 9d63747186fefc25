"""Linux, as the entry point `linux` of the group fwdtui.systems."""

from fwdtui.collectors.systems import DeferredSystem

system = DeferredSystem(
    name="linux",
    uname="Linux",
    sampler="fwdtui.collectors.linux_sampler:LinuxSampling",
    collector="fwdtui.collectors.facts_linux:collect",
    examiner="fwdtui.collectors.doctor_linux:checks",
    reader="fwdtui.collectors.settings_linux:read",
    profiler="fwdtui.collectors.profile_linux:capture",
)
