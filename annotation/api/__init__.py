"""The human validation in the API: an annotator's own items, and studies for those who run them."""
