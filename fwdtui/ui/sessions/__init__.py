"""What was recorded: the list of sessions, and one of them with its cases and iterations."""
