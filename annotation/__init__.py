"""Human validation studies: sampled rollouts, blind labels, review, agreement."""
