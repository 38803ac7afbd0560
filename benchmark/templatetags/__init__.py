"""Template tags of the benchmark."""
