"""The one exception that the command line turns into one line on stderr and exit status 2."""


class FwdtuiError(Exception):
    """Something the user can fix: a usage, data or connection error.

    The message is one line and names the file, line, key or host.
    """


def reason(error: Exception) -> str:
    """Why, in words: of an OSError without its number and its path, which may be of somebody's home."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
