"""Labels of one rollout: noticed, producer refetch, observation state, exclusion, result; and how a reader is told."""
