"""`vm` is the VM lab, up for all tests."""

import vm_lab_use

kernel = vm_lab_use.kernel
vm = vm_lab_use.vm
