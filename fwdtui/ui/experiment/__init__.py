"""The screens of an experiment: what it would do, how far it is, and what was decided."""
