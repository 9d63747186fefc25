"""Live state: takes samples, makes iterations, hands out immutable snapshots."""
