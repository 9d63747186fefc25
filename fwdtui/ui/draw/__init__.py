"""Pictures made of characters, and the panels that show them; independent of where numbers come from."""
