"""What was recorded: the list of sessions, and the screen of one with its cases and iterations."""
