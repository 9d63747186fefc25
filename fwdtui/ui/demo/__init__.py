"""The walk through a lab that comes with the program: what it records, and what it says about it."""
