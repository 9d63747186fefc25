"""The app around its screens: modes, keys, commands, help, leaving. It may import every other room."""
