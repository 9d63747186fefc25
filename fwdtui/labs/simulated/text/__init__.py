"""What FreeBSD 15 prints of a host, one file per command; shapes as in FreeBSD's own sources and captures."""
