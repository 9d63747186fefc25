"""The kernel lab: `lab` is up for the tests of a module, `a_lab` belongs to one test and is not up yet.

`vm` is the VM lab, up for all tests.
"""

import kernel_lab_use
import vm_lab_use

kernel_lab_works = kernel_lab_use.kernel_lab_works
a_lab = kernel_lab_use.a_lab
lab = kernel_lab_use.lab
kernel = vm_lab_use.kernel
vm = vm_lab_use.vm
