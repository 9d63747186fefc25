"""A recording on the live screen, played at any speed and from any moment."""
