"""The preview of the report, and where it is written."""
