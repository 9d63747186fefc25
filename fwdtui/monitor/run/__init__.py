"""Measuring a lab: its hosts and tools, what is recorded of it, and iterations that come by themselves."""
