"""Releases as rows: a frozen set of units with every file it was published with."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from benchmark.models.fields import ForeignJson


class Release(models.Model):
    """One named and dated release. Nothing in it changes; what is found out later is a dated note beside it."""

    name = models.SlugField(max_length=64, unique=True)
    date = models.DateField()
    digest = models.CharField(max_length=64, unique=True, help_text="sha256 over the digests of all files.")
    toolbox_digest = models.CharField(max_length=64, help_text="sha256 over all recorded calls as re-run live.")
    world_digest = models.CharField(max_length=64)
    licence = models.CharField(max_length=200)
    manifest = ForeignJson(help_text="RELEASE.json.")
    loaded = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-date", "-id"]
        constraints = [models.CheckConstraint(condition=~models.Q(licence=""), name="release_has_a_licence")]

    def __str__(self) -> str:
        return self.name


class ReleaseFile(models.Model):
    """One file of a release as it was published, gzipped here."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField(help_text="Bytes of the plain file.")
    content = models.BinaryField(help_text="The file, gzipped.")

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["release", "path"], name="release_file_once")]

    def __str__(self) -> str:
        return self.path


class ReleaseNote(models.Model):
    """What was found out about a release after it was published. The newest stands; older ones stay."""

    class Standing(models.TextChoices):
        DISPUTED = "disputed"
        RETIRED = "retired"
        CLEARED = "cleared"

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="notes")
    standing = models.CharField(max_length=8, choices=Standing.choices)
    reason = models.TextField()
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="release_note_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.standing}: {self.release_id}"
