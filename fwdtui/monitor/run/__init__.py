"""Measuring a lab: its hosts and tools, the recording, and unattended iterations."""
