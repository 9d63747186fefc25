"""Tables of a profile's functions, and of what moved between two profiles."""
