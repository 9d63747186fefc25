"""The part of the transport that needs asyncssh. It is imported by the first connection, not before."""
