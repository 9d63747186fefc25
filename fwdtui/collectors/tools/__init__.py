"""Generators and receivers: how each is started, stopped and read. One file per tool; plug-ins add more."""
