"""Idle is what the idle task does by itself, not what interrupts it."""

from pathlib import Path

import pytest

from fwdtui.core.parse.profile_text import read_profile
from fwdtui.core.profile.folded import Folded
from fwdtui.core.profile.idle import Idle
from fwdtui.core.profile.suffixes import aligned

IDLE = (
    "fork_exit;sched_idletd",
    "fork_exit;sched_ule_idletd;cpu_idle",
    "fork_exit;sched_idletd;cpu_idle;cpu_idle_acpi;acpi_cpu_idle;acpi_cpu_c1",
    "fork_exit;sched_idletd;tdq_steal",
    "swapper;cpu_startup_entry;do_idle;cpuidle_enter;cpuidle_enter_state;intel_idle",
    "swapper;common_startup_64;cpu_startup_entry;do_idle;schedule_idle;__schedule",
    "swapper;pv_native_safe_halt",
)
BUSY = (
    "swapper;do_idle;default_idle;asm_common_interrupt;irq_exit_rcu;handle_softirqs;net_rx_action;ip_rcv",
    "swapper;do_idle;flush_smp_call_function_queue;do_softirq;__do_softirq;net_rx_action;ip_rcv",
    "swapper;do_idle;pv_native_safe_halt;asm_sysvec_apic_timer_interrupt;tick_sched_handle",
    "swapper;net_rx_action",
    "swapper;[unknown]",
    "fork_exit;sched_idletd;cpu_idle;Xapic_isr1;intr_execute_handlers",
    "fork_exit;sched_idletd;cpu_idle;handle_el1h_irq;intr_irq_handler;arm_gic_v3_intr;iflib_fast_intr",
    "swapper;do_idle;arch_cpu_idle;do_irq;handle_riscv_irq;generic_handle_domain_irq;nvme_irq",
    "Xapic_isr1",
    "ksoftirqd;run_ksoftirqd;ip_rcv",
)


@pytest.mark.parametrize("stack", IDLE)
def test_what_the_idle_task_does_is_idle(stack: str):
    assert Idle().covers(tuple(stack.split(";")))


@pytest.mark.parametrize("stack", BUSY)
def test_what_an_interrupt_does_on_top_of_the_idle_task_is_work(stack: str):
    assert not Idle().covers(tuple(stack.split(";")))


def test_users_add_idle_functions_by_their_whole_names():
    stack = ("kthread", "my_poll_loop", "rte_delay")
    assert Idle.also(["my_poll_loop"]).covers(stack)
    assert not Idle.also(["my_poll"]).covers(stack)
    assert Idle.also(["my_poll_loop"]).covers(("cpu_idle",))


def test_an_idle_function_that_was_named_with_its_suffix_is_idle_in_another_kernel_too():
    idle = Idle.also(["poll_loop.constprop.0"])
    both = [Folded({("kthread", f"poll_loop.constprop.{number}"): 900, ("f",): 9}) for number in range(2)]
    assert [idle.samples(one) for one in both] == [900, 900]
    assert [idle.samples(one) for one in aligned(both).profiles] == [900, 900], "poll_loop.constprop"


def test_a_profile_is_divided_into_idle_and_busy():
    folded = Folded({("fork_exit", "cpu_idle"): 3, ("fork_exit", "ip_input"): 4})
    assert Idle().samples(folded) == 3
    assert Idle().busy(folded).stacks == {("fork_exit", "ip_input"): 4}


def test_the_published_idle_shares_are_those_of_the_stack_files(archive: Path) -> None:
    """31.6 % and 57.3 % of what stackcollapse-pmc.pl kept of the two profiles of txabdicate."""
    shares = []
    for name in ("off", "on"):
        (path,) = archive.rglob(f"bench.txabdicate_{name}.inet4.pmc.stack")
        folded = read_profile(path.read_bytes()).folded
        shares.append(round(100 * Idle().samples(folded) / folded.samples, 1))
    assert shares == [31.6, 57.3]
