"""Hosts: how bytes get here. SSH, and the same interface over a recording."""
