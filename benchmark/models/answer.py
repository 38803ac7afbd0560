"""What the API has answered, for requests that are sent again."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from benchmark.models.fields import ForeignJson

KEPT_FOR = timedelta(hours=24)


class KeptAnswerQuerySet(models.QuerySet["KeptAnswer"]):
    """Answers by age."""

    def outdated(self) -> "KeptAnswerQuerySet":
        """Older than a day: the same key is a new request now."""
        return self.filter(created__lt=timezone.now() - KEPT_FOR)


class KeptAnswer(models.Model):
    """The answer to one request with an `Idempotency-Key`. Written in one transaction with what the request did."""

    account = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="kept_answers")
    key = models.CharField(max_length=255)
    request_sha256 = models.CharField(max_length=64, help_text="Of method, path and body.")
    answer = ForeignJson(blank=True, help_text="Status, headers and body.")
    created = models.DateTimeField(default=timezone.now)

    objects = KeptAnswerQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "key"], name="kept_answer_once_a_key")]

    def __str__(self) -> str:
        return self.key
