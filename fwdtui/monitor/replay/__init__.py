"""Recordings: which one is meant, what is in it, and playing it through the monitor that drew it live."""
