"""Workflows: our own language for them, Dify's exports, their graph, and which of them are fit for the benchmark."""
