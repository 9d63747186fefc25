"""A baseline beside its candidates: table, charts, and what differs behind a verdict."""
