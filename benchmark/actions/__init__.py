"""Every write a person asks for."""
