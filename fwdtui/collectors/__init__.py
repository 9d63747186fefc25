"""From a host to samples: which commands run, and how their text becomes counters."""
