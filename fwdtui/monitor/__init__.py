"""Measuring and replaying runs: samples become rates, blasts become iterations, and snapshots show them."""
