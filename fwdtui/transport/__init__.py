"""Hosts: how bytes get here. SSH, and the same interface over a recording.

`base` is what everything above sees, `errors` what it may have to show, `ssh` opens hosts. Whatever needs
asyncssh is in `wire` and is imported by the first connection: importing this package costs next to nothing.
"""
