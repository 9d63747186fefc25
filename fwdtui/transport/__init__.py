"""Hosts: how bytes get here, by SSH.

`base` is the interface for everything above, `errors` what it may have to show, `ssh` opens hosts. Everything
that needs asyncssh is in `wire` and is imported by the first connection: importing this package is cheap.
"""
