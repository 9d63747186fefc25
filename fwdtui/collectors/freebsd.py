"""FreeBSD, as the entry point `freebsd` of the group fwdtui.systems."""

from fwdtui.collectors.systems import DeferredSystem

system = DeferredSystem(
    name="freebsd",
    uname="FreeBSD",
    sampler="fwdtui.collectors.freebsd_sampler:FreebsdSampling",
    collector="fwdtui.collectors.facts_freebsd:collect",
    examiner="fwdtui.collectors.doctor_freebsd:checks",
    reader="fwdtui.collectors.settings_freebsd:read",
    profiler="fwdtui.collectors.profile_freebsd:capture",
)
