"""Labs that come with the program: three hosts in kernel namespaces, and a simulated FreeBSD lab."""
