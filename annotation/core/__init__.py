"""The study's rules as plain Python: what is sampled, who gets what, how even it is. No Django here."""
