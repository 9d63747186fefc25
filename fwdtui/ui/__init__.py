"""The terminal application. The only package that imports Textual."""
