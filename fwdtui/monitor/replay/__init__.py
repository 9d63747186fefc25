"""Recordings: finding one, reading it, and playing it through the monitor that drew it live."""
