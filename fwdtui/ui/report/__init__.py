"""The report as it will be, and where it is written."""
