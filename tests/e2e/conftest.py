"""The kernel lab with a DUT that drops for reasons, where this machine can count them."""

import lossy_dut

kernel_counts = lossy_dut.kernel_counts
lossy = lossy_dut.lossy
