"""The API under /api/v1/: the same actions, reports and refusals as the pages, as JSON."""
