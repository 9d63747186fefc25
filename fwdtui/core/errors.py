"""The one exception that the command line turns into one line on stderr and exit status 2."""


class FwdtuiError(Exception):
    """Something the user can fix: a usage, data or connection error.

    The message is one line and names the file, line, key or host.
    """
