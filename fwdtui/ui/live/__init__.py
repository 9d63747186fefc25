"""A run as it is measured: rates, queues, cores, events and iterations."""
