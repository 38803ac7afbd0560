"""What pages and files about studies are made from. Read-only."""
