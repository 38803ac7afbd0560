"""What annotators say: drafts while working, blind labels locked for good, reviews by version, comments apart."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotation.models.study import Assignment, Guidelines


class Draft(models.Model):
    """What is filled in so far; overwritten, deleted at submit, seen by nobody else, never counted or exported."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    version = models.IntegerField(default=1)
    result = models.BooleanField(null=True)
    noticed = models.BooleanField(null=True)
    evidence = models.JSONField(default=dict, blank=True)
    updated = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"draft of place {self.assignment_id}"


class BlindLabel(models.Model):
    """The locked answers of one assignment. Insert-only: both databases refuse a change (annotation/locks.py)."""

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="blind_label")
    result = models.BooleanField(null=True, help_text="None where the study does not ask.")
    noticed = models.BooleanField(null=True, help_text="None where the study does not ask.")
    evidence = models.JSONField(default=dict, blank=True, help_text='{"result": ["R9"], "noticed": []}')
    guidelines = models.ForeignKey(Guidelines, null=True, on_delete=models.PROTECT, related_name="+")
    first_shown = models.DateTimeField()
    submitted = models.DateTimeField(default=timezone.now)
    active_seconds = models.FloatField(default=0)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"label of place {self.assignment_id}"

    def says(self, *, result: bool | None, noticed: bool | None) -> bool:
        """Whether these are the locked answers; a repeated submit of the same is no conflict."""
        return self.result == result and self.noticed == noticed


class LabelVoid(models.Model):
    """A researcher's discard of a label: the label stays and is shown as void."""

    label = models.OneToOneField(BlindLabel, on_delete=models.PROTECT, related_name="void")
    reason = models.TextField()
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"void of label {self.label_id}"


class Review(models.Model):
    """What an annotator says to the automatic labels, after their own are locked. A change is a new version."""

    class Answer(models.TextChoices):
        AGREE = "agree"
        DISAGREE = "disagree"
        UNSURE = "unsure"

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="reviews")
    version = models.IntegerField()
    result = models.CharField(max_length=8, choices=Answer.choices, blank=True, help_text="Blank where not asked.")
    noticed = models.CharField(max_length=8, choices=Answer.choices, blank=True, help_text="Blank where not asked.")
    submitted = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["assignment_id", "version"]
        constraints = [models.UniqueConstraint(fields=["assignment", "version"], name="review_version_once")]

    def __str__(self) -> str:
        return f"review {self.version} of place {self.assignment_id}"


class Comment(models.Model):
    """Free words beside a review; apart from it, so that they can be erased with their writer."""

    review = models.OneToOneField(Review, on_delete=models.PROTECT, related_name="comment")
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"comment on review {self.review_id}"
