"""Colours: the shipped themes and the user's own."""
