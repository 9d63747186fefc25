"""Before there is a run: making a lab.toml, and looking whether its hosts answer."""
