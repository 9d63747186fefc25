"""The part that imports asyncssh. Loaded by the first connection, not before."""
