"""What RITE reads and writes: one file a format, streaming."""
