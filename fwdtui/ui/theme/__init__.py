"""Colours: the shipped themes, the user's own, and their stylesheet."""
