"""What people say of a file they bring."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from benchmark.models import ImportBatch

MAX_UPLOAD = 512 * 1024 * 1024
LICENCES = ["MIT", "Apache-2.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "own work, not published", "unknown"]


class ManyFilesInput(forms.ClearableFileInput):
    """A file picker that takes several files at once."""

    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Every chosen file, checked one by one."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=ManyFilesInput(), **kwargs)

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        """The files; refuses an empty one and one that is too large for the page, by name."""
        return [self._checked(file, initial) for file in data or [None]]

    def _checked(self, file: UploadedFile | None, initial: Any) -> UploadedFile:
        if file is not None and not file.size:
            raise forms.ValidationError(f"{file.name} is empty. Leave it out and choose the others again.")
        if file is not None and (file.size or 0) > MAX_UPLOAD:
            raise forms.ValidationError(
                f"{file.name} is larger than {MAX_UPLOAD // 2**20} MB. "
                "Import it on the server with `python manage.py import_traces`."
            )
        return super().clean(file, initial)


class UploadForm(forms.Form):
    """Drop files here."""

    uploads = ManyFilesField(
        label="Trajectory files",
        error_messages={"required": "Choose at least one file."},
    )


class GoAheadForm(forms.Form):
    """Source, licence, the model where the file does not say, and whether to mask."""

    source = forms.CharField(
        label="Source",
        max_length=2000,
        help_text="Where the file comes from: a repository, a paper, a run of yours.",
        error_messages={"required": "Say where the file comes from; a few words are enough."},
    )
    licence = forms.CharField(
        label="Licence",
        max_length=200,
        initial="unknown",
        help_text="An SPDX identifier or words. “unknown” is allowed and blocks a public release.",
        widget=forms.TextInput(attrs={"list": "licences"}),
    )
    model_name = forms.CharField(label="Model", max_length=200, required=False)
    mask = forms.BooleanField(label="Mask all findings before anything is saved", required=False, initial=True)

    def __init__(self, *args: Any, batch: ImportBatch, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        without = batch.report.get("without_model", 0)
        if without:
            self.fields["model_name"].help_text = (
                f"{without} trajectories do not say which model made them. It is never guessed from a file name; "
                "left blank, their stratum is called none."
            )
        else:
            del self.fields["model_name"]
        if not batch.findings:
            del self.fields["mask"]
