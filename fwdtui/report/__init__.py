"""Comparisons for people and programs: tables, Markdown, JSON, charts, and checks of published claims."""
