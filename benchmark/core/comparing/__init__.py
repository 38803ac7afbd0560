"""What many labels and rollouts say together: agreement, statistics, comparisons."""
