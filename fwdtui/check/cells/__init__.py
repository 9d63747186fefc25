"""Cells of Markdown tables: what each says, which data it is about, and whether they agree."""
