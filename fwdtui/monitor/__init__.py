"""Live state: takes samples, keeps windows and iterations, hands out immutable snapshots."""
