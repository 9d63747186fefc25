"""The VM lab: the kernel lab's generator and sink, with a virtual machine of its own as the DUT.

QEMU emulates the machine. Its kernel and modules are from one of Debian's linux-image packages, which is
unpacked but never installed. So the DUT has its own /proc, interrupts, per-queue counters of real drivers,
and real reboots. Place, journal, links, keys and removal are those of labs/kernel. `up.bring_up`,
`status.inspect` and `use` act on a lab; `kernel.down.take_down` removes it. docs/vm-lab.md says what it can
show and what it cannot.
"""
