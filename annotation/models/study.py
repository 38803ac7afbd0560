"""A study: its design, its frozen items, and who labels which."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from benchmark.models import Account, Rollout
from benchmark.models.fields import ForeignJson, ForeignText

PUBLIC_ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def public_id() -> str:
    """A random name of 12 letters that says nothing about what it names (59 bits)."""
    return "".join(secrets.choice(PUBLIC_ID_ALPHABET) for _ in range(12))


class StudyClosed(Exception):
    """A submit reached a study that takes none now; the message is for the annotator."""


class StudyQuerySet(models.QuerySet["Study"]):
    """Studies by where they stand."""

    def not_closed(self) -> "StudyQuerySet":
        """Running or paused: their annotators still have work."""
        return self.filter(status__in=[Study.Status.RUNNING, Study.Status.PAUSED])

    def with_counts(self) -> "StudyQuerySet":
        """`places`: labels there will be; `labels`: those there are. Void ones count in neither."""
        held = Q(items__assignments__released_at__isnull=True, items__assignments__blind_label__void__isnull=True)
        return self.annotate(
            places=Count("items__assignments", filter=held),
            labels=Count("items__assignments__blind_label", filter=held),
        )


class Study(models.Model):
    """One human validation study. Never deleted: labels hang on it. `archived` only hides it from lists."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        RUNNING = "running"
        PAUSED = "paused"
        CLOSED = "closed"

    class ReviewMode(models.TextChoices):
        PER_ITEM = "per_item"
        AT_END = "at_end"

    name = models.CharField(max_length=200)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.DRAFT)
    archived = models.BooleanField(default=False)
    origin = models.TextField(
        blank=True, help_text="Said beside every figure where the labels are not fresh human ones."
    )
    design = models.JSONField(
        help_text="The study file: sources, cells or margins, seats, seed (annotation.core.study_file)."
    )
    asks_result = models.BooleanField(default=True)
    asks_noticed = models.BooleanField(default=True)
    judge = models.CharField(max_length=64, help_text="Whose Result label is validated, e.g. rule/1.")
    noticed_rule = models.CharField(max_length=32, help_text="Version of the rule whose Noticed label is validated.")
    seats_planned = models.IntegerField(help_text="n: how many annotators.")
    labels_per_item = models.IntegerField(help_text="k: independent labels an item.")
    seed = models.BigIntegerField(default=20260817)
    review = models.CharField(max_length=8, choices=ReviewMode.choices, default=ReviewMode.PER_ITEM)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="studies")
    created = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True, help_text="The last close; reviews after it do not count.")

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["draft", "running", "paused", "closed"]), name="study_status_is_known"
            ),
            models.CheckConstraint(condition=Q(asks_result=True) | Q(asks_noticed=True), name="study_asks_something"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def questions(self) -> list[str]:
        """The names of the questions it asks, in their order: `result`, `noticed`."""
        asked = {"result": self.asks_result, "noticed": self.asks_noticed}
        return [name for name, is_asked in asked.items() if is_asked]

    @property
    def refusal(self) -> str:
        """Why it takes no labels now, in words for the annotator; empty while it runs."""
        if self.status == self.Status.RUNNING:
            return ""
        if self.status == self.Status.PAUSED:
            return "This study is paused. Your draft is kept; you can submit when it goes on."
        return "This study is closed and takes no more labels. Your draft is kept."

    def require_open(self) -> None:
        """Raise StudyClosed, in words for the annotator, unless labels may be submitted now."""
        if self.refusal:
            raise StudyClosed(self.refusal)


class StudyEvent(models.Model):
    """What happened to a study, by whom, and why. Append-only."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="events")
    verb = models.CharField(max_length=16)
    reason = models.TextField(blank=True)
    details = models.JSONField(default=dict, blank=True)
    who = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"study {self.study_id}: {self.verb}"


class StudyText(models.Model):
    """A versioned text of a study. A new version is a new row."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="%(class)s_versions")
    version = models.IntegerField()
    text = models.TextField(help_text="Markdown.")
    lang = models.CharField(max_length=16, default="en")
    dir = models.CharField(max_length=4, default="auto", choices=[("auto", "auto"), ("ltr", "ltr"), ("rtl", "rtl")])
    who = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        ordering = ["version"]
        constraints = [models.UniqueConstraint(fields=["study", "version"], name="%(class)s_version_once")]

    def __str__(self) -> str:
        return f"study {self.study_id}, version {self.version}"


class Guidelines(StudyText):
    """What annotators are told, shown beside the form."""


class ConsentText(StudyText):
    """What annotators agree to at their first visit."""


class Item(models.Model):
    """A sampled rollout with the labels that this study validates, copied at its start and never changed after."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="items")
    public_id = models.CharField(max_length=12, unique=True, default=public_id)
    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, related_name="items")
    matched_group = models.CharField(max_length=80, db_index=True)
    model = models.CharField(max_length=200, help_text="Stratum; `none` where the import says no model.")
    condition = models.CharField(max_length=8, help_text="Stratum; `none` where the import says no condition.")
    auto_result = models.BooleanField(null=True)
    result_rationale = ForeignText(blank=True)
    result_evidence = models.JSONField(default=list, blank=True, help_text="Step numbers, e.g. R9.")
    auto_noticed = models.BooleanField(null=True)
    noticed_rationale = ForeignText(blank=True)
    noticed_evidence = models.JSONField(default=list, blank=True, help_text="Step numbers, e.g. R3, R4.")
    automatic = ForeignJson(default="{}", help_text="The frozen labels in full, as in `rite.rollout/1`.")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["study", "rollout"], name="rollout_once_a_study")]

    def __str__(self) -> str:
        return self.public_id


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    """Assignments by what is left to do."""

    def held(self) -> "AssignmentQuerySet":
        """Not taken away: the place is still this seat's."""
        return self.filter(released_at__isnull=True)

    def of(self, account: Account) -> "AssignmentQuerySet":
        """The places an account may work at or look back on: of a started study that is not archived."""
        return (
            self.held()
            .filter(seat__account=account, seat__left_at__isnull=True, item__study__archived=False)
            .exclude(item__study__status=Study.Status.DRAFT)
        )

    def unlabelled(self) -> "AssignmentQuerySet":
        """Held, and no blind label yet."""
        return self.held().filter(blind_label__isnull=True)

    def labelled(self) -> "AssignmentQuerySet":
        """With a blind label that stands (not void)."""
        return self.filter(blind_label__isnull=False, blind_label__void__isnull=True)

    def with_open_review(self) -> "AssignmentQuerySet":
        """Labelled, nothing of the same unit or task left unlabelled for this account, and the study's rule met.

        Account-wide on purpose: two studies may hold items of one unit.
        """
        unlabelled = Assignment.objects.unlabelled()
        same_seat = Q(seat=OuterRef("seat"))
        theirs = same_seat | Q(seat__account=OuterRef("seat__account"), item__study__archived=False)
        same_group = unlabelled.filter(theirs, item__matched_group=OuterRef("item__matched_group"))
        at_end = Q(item__study__review=Study.ReviewMode.AT_END)
        return self.held().labelled().exclude(Exists(same_group)).exclude(at_end & Exists(unlabelled.filter(same_seat)))

    def to_review(self) -> "AssignmentQuerySet":
        """With an open review that nobody has answered yet."""
        return self.with_open_review().filter(reviews__isnull=True)


class Assignment(models.Model):
    """One item in one seat's hands: the state of labelling lives here, never on the item."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    seat = models.ForeignKey("annotation.Seat", on_delete=models.PROTECT, related_name="assignments")
    public_id = models.CharField(max_length=12, unique=True, default=public_id)
    order = models.IntegerField(help_text="Where it stands in this seat's own order, from 0.")
    first_shown = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(default=0, help_text="Visible, focused time; pauses over 60 s dropped.")
    review_opened_at = models.DateTimeField(
        null=True, blank=True, help_text="When the automatic labels were first shown."
    )
    released_at = models.DateTimeField(null=True, blank=True, help_text="Taken away before it was labelled.")
    dealt_at = models.DateTimeField(default=timezone.now)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["seat_id", "order"]
        constraints = [models.UniqueConstraint(fields=["item", "seat"], name="item_once_a_seat")]

    def __str__(self) -> str:
        return self.public_id
