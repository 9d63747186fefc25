"""Pictures made of characters, and the panels that show them, independent of where the numbers come from."""
