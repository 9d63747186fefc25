"""How sentences of ours are put together."""

_OPENERS = frozenset((
    "a", "after", "all", "an", "and", "at", "attempts", "both", "counted", "during", "each", "every",
    "everything", "fewer", "for", "frames", "here", "if", "in", "it", "its", "less", "lost",
    "medians", "more", "neither", "no", "none", "not", "nothing", "of", "on", "one", "only",
    "packets", "samples", "settings", "some", "the", "there", "these", "they", "this", "threads",
    "two", "values", "what", "while", "with",
))  # fmt: skip
"""Words that begin sentences of ours and are no names; other words keep their capital letter."""


def after_colon(sentence: str) -> str:
    """A sentence of ours as it goes on after a colon: ``the rate fell`` for ``The rate fell``."""
    opener, apart, _ = sentence.partition(" ")
    known = apart and opener.lower() in _OPENERS and opener == opener.capitalize()
    return f"{sentence[0].lower()}{sentence[1:]}" if known else sentence
