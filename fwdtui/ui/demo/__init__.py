"""The walk through a built-in lab: what it records, and what the guide says."""
