"""The VM lab: the kernel lab's generator and sink, and as the DUT a virtual machine of its own.

QEMU emulates the machine; kernel and modules are from one of Debian's linux-image packages, unpacked and
never installed. So the DUT has its own /proc, interrupts, per-queue counters of real drivers, and real
reboots. Place, journal, links, keys and removal are those of labs/kernel. `up.bring_up`, `status.inspect`
and `use` act on a lab; `kernel.down.take_down` removes it. What it can show and what it cannot:
docs/vm-lab.md.
"""
