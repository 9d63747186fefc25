"""The screen of an experiment: what it would do, how far it is, and what it decided."""
