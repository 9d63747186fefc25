"""What screens share: the ports they reach the app by, dialogs, selection, errors, and what is remembered."""
