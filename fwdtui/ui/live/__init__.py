"""A run while it is measured: rates, queues, cores, events and iterations."""
