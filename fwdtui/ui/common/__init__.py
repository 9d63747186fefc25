"""What screens share: the ports to the app, dialogs, selection, errors, and remembered state."""
