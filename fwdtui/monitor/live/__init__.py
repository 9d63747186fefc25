"""A run as it is measured: samples become rates, blasts iterations, and all of it a snapshot to draw."""
