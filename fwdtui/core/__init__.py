"""Pure knowledge: the model, units, and what remote tools' text means. No files, no network, no clock."""
