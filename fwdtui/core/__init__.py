"""Pure code: the data model, units, and the parsers of remote tools' output. No files, network or clock."""
