"""Experiments: trials in order, levels and reboots between them, and a journal from which they resume."""
