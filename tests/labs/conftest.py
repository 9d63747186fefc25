"""The kernel lab: `lab` is up for the tests of a module, `a_lab` belongs to one test and is not up yet."""

import kernel_lab_use

kernel_lab_works = kernel_lab_use.kernel_lab_works
a_lab = kernel_lab_use.a_lab
lab = kernel_lab_use.lab
