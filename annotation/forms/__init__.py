"""What people type about studies and labels, checked."""
