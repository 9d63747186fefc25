"""What FreeBSD 15 prints about a host, one file per command; formats as in FreeBSD's sources and captures."""
