"""Which samples are idle time: those of an idle function, or of what it calls, but not of an interrupt.

On Linux the kernel forwards packets in softirqs, which run on top of whatever was interrupted. On a
router that is often the idle task: ``swapper;...;do_idle;...;asm_common_interrupt;...;net_rx_action;...``. A
rule that only looks at the root or at the command's name would call that idle, so frames above an interrupt's
entry are work.

A counter of cycles that halts with the CPU (``cpu_clk_unhalted``, ``cycles``) has few samples of a halted
CPU: the idle share of such a profile is less than the idle share of the time.
"""

from collections.abc import Iterable, Mapping

import msgspec

from fwdtui.core.profile.folded import Folded, Stack
from fwdtui.core.profile.suffixes import bare

_FREEBSD = """
    cpu_idle cpu_idle_acpi cpu_idle_hlt cpu_idle_mwait cpu_idle_spin acpi_cpu_idle acpi_cpu_idle_mwait
    acpi_cpu_c1 sched_idletd sched_ule_idletd sched_4bsd_idletd
"""
_LINUX = """
    do_idle cpu_idle_poll cpu_startup_entry call_cpuidle cpuidle_idle_call cpuidle_enter cpuidle_enter_state
    default_idle default_idle_call default_enter_idle arch_cpu_idle native_safe_halt pv_native_safe_halt
    intel_idle intel_idle_irq intel_idle_ibrs intel_idle_hlt mwait_idle mwait_idle_with_hints poll_idle
    haltpoll acpi_idle_enter acpi_idle_do_entry acpi_safe_halt acpi_processor_ffh_cstate_enter amd_e400_idle
    cpu_do_idle psci_enter_idle_state psci_cpu_suspend_enter
"""
IDLE_FUNCTIONS = frozenset((_FREEBSD + _LINUX).split())
"""Of FreeBSD (sys/kern/sched_ule.c, sys/x86/x86/cpu_machdep.c) and Linux (kernel/sched/idle.c)."""

INTERRUPTS = (
    *("asm_common_interrupt", "common_interrupt", "asm_sysvec_", "sysvec_", "do_IRQ", "ret_from_intr"),
    *("apic_timer_interrupt", "smp_apic_timer_interrupt", "irq_exit", "__irq_exit_rcu", "do_softirq"),
    *("__do_softirq", "handle_softirqs", "net_rx_action", "net_tx_action", "el1_irq", "el1h_64_irq"),
    *("el1_interrupt", "gic_handle_irq", "handle_irq", "asm_exc_nmi", "xen_hvm_callback_vector"),
    *("generic_handle_irq", "generic_handle_domain_irq", "generic_handle_arch_irq"),  # on any processor
    *("Xapic_isr", "Xtimerint", "Xlapic", "Xcpustop", "Xipi_", "intr_execute_handlers", "lapic_handle_"),
    *("handleevents", "hardclock", "timercb", "ipi_bitmap_handler"),
    *("handle_el1h_irq", "intr_irq_handler"),  # FreeBSD on Arm, and on RISC-V
)
"""Prefixes of the functions by which an interrupt enters the kernel: what they call is not idle."""


class Idle(msgspec.Struct, frozen=True):
    """The idle functions: IDLE_FUNCTIONS, and those that the user adds."""

    functions: frozenset[str] = IDLE_FUNCTIONS

    @classmethod
    def also(cls, names: Iterable[str]) -> "Idle":
        """IDLE_FUNCTIONS and further functions, by their whole names, with or without a compiler's suffix.

        The suffix may be another one in another kernel, and is removed when two profiles are compared.
        """
        return cls(IDLE_FUNCTIONS.union(*((name, bare(name)) for name in names)))

    def covers(self, stack: Stack) -> bool:
        """Whether a stack is idle time."""
        for name in reversed(stack):
            if name in self.functions or ("." in name and bare(name) in self.functions):
                return True
            if name.startswith(INTERRUPTS):
                return False
        return False

    def samples(self, folded: Folded) -> int:
        """How many samples of a profile are idle."""
        return sum(samples for stack, samples in folded.stacks.items() if self.covers(stack))

    def busy(self, folded: Folded) -> Folded:
        """The profile without its idle stacks."""
        kept: Mapping[Stack, int] = {
            stack: samples for stack, samples in folded.stacks.items() if not self.covers(stack)
        }
        return Folded(kept)
