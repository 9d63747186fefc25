"""Before a run: create a lab.toml, and check whether its hosts answer."""
