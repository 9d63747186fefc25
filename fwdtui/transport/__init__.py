"""Hosts, and how bytes get from them to here: by SSH.

`base` is the interface for all layers above, `errors` has the errors that they may have to show, and `ssh`
opens hosts. Everything that needs asyncssh is in `wire` and is imported by the first connection, so importing
this package is cheap.
"""
