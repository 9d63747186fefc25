"""Pictures made of characters, and the panels they stand in. Nothing here knows where numbers come from."""
