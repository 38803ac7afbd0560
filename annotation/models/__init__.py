"""Rows of the human validation: studies, seats, items, assignments, labels, reviews."""

from annotation.models.label import BlindLabel, Comment, Draft, LabelVoid, Review
from annotation.models.seat import Consent, Invitation, Seat
from annotation.models.study import Assignment, ConsentText, Guidelines, Item, Study, StudyClosed, StudyEvent

__all__ = [
    "Assignment",
    "BlindLabel",
    "Comment",
    "Consent",
    "ConsentText",
    "Draft",
    "Guidelines",
    "Invitation",
    "Item",
    "LabelVoid",
    "Review",
    "Seat",
    "Study",
    "StudyClosed",
    "StudyEvent",
]
