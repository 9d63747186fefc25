"""Generators and receivers: how each is started, stopped and read. One file per tool; others plug in."""
