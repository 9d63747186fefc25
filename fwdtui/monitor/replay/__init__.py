"""Recordings: finding one, reading it, and playing it through the same Monitor that drew it live."""
