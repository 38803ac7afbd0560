"""Every write that a person asks for in a study: verbs, keyword-only, atomic."""
