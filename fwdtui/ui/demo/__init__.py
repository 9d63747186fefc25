"""The demo: a walk through a built-in lab, what it records, and what its guide says."""
