"""The kernel lab that is up for the tests of a module."""

import kernel_lab_use

kernel_lab_works = kernel_lab_use.kernel_lab_works
lab = kernel_lab_use.lab
