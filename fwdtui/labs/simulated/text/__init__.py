"""What FreeBSD 15 prints about a host, one file per command. Formats are from its sources and captures."""
