"""One parser per file for one remote tool's text.

A parser takes text and returns what it could read and what it skipped; it never raises on odd input.
"""
