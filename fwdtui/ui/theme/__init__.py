"""Colours: the themes that come with the program, the user's own, and their stylesheet."""
