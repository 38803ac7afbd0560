"""Pages of the human validation."""
