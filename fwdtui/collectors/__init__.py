"""From a host to samples: which commands run on it, and how their output becomes counters."""
