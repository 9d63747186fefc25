"""Candidates compared with a baseline: table, charts, and the evidence for each verdict."""
