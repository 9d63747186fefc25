"""The app around its screens: modes, keys, commands, help, the way out. It may use every other room."""
