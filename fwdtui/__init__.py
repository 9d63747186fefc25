"""See, record and compare packet-forwarding benchmarks."""

__version__ = "0.1.0.dev0"
