"""The designer's form, and the small forms of a study's life."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import MaxValueValidator, MinValueValidator

from annotation.core.study_design import DEFAULT_SEED, MOST_ITEMS, QUESTIONS, StudyDesign
from annotation.core.study_file import MOST_BYTES, DesignRefused, StudyFileRefused, design_of, parse_study_file
from annotation.forms.wanted import CELLS, MARGINS, Typed
from annotation.models import ConsentText, Guidelines

LONGEST_TEXT = 100_000
ASKED = [
    ("result", "Result: does the final answer solve the user's task?"),
    ("noticed", "Noticed: was a data anomaly named and then checked?"),
]
SAMPLING = [
    (MARGINS, "Totals for each condition and each model; a table that meets both is found"),
    (CELLS, "A number for each model × condition"),
]
REVIEW = [
    ("per_item", "as soon as the person has locked all items of the same unit or task"),
    ("at_end", "after the person's last blind label"),
]
TEXT_KINDS: dict[str, type[Guidelines] | type[ConsentText]] = {"guidelines": Guidelines, "consent": ConsentText}


class DesignForm(forms.Form):
    """A study's design as typed; the table of wanted numbers comes beside it. Valid means that `design` is sound."""

    name = forms.CharField(label="Name", max_length=200)
    imports = forms.TypedMultipleChoiceField(
        label="Rollouts from",
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "One of these imports is gone. Choose again."},
    )
    labels = forms.MultipleChoiceField(
        label="Questions", choices=ASKED, required=False, widget=forms.CheckboxSelectMultiple, initial=list(QUESTIONS)
    )
    judge = forms.CharField(label="Judge whose Result is validated", max_length=64, required=False)
    sampling = forms.ChoiceField(
        label="Say what is wanted as", choices=SAMPLING, widget=forms.RadioSelect, initial=MARGINS
    )
    annotators = forms.IntegerField(label="Annotators", initial=6)
    labels_per_item = forms.IntegerField(
        label="Labels a rollout", initial=3, help_text="An odd number: then every rollout has a majority."
    )
    seed = forms.IntegerField(
        label="Seed", initial=DEFAULT_SEED, help_text="The same seed draws the same rollouts and deals the same plan."
    )
    review = forms.ChoiceField(label="The review opens", choices=REVIEW, widget=forms.RadioSelect, initial="per_item")

    def __init__(self, *args: Any, batches: Iterable[tuple[int, str]], typed: Typed, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["imports"].choices = list(batches)  # type: ignore[attr-defined]
        self.typed = typed
        self.design: StudyDesign | None = None
        self.table_errors: list[str] = []

    def clean(self) -> dict[str, Any]:
        """Read the whole as a design; what is wrong with it stands at its field or at the table."""
        said = super().clean() or {}
        self.design, self.table_errors = None, []
        if self.errors:
            return said
        data = {key: said[key] for key in ("name", "labels", "annotators", "labels_per_item", "seed", "review")}
        data |= {"judge": said["judge"] if "result" in said["labels"] else ""}
        data |= {"rollouts": {"imports": said["imports"]}, **self.typed.as_data(said["sampling"])}
        try:
            self.design = design_of(data)
        except DesignRefused as refused:
            self.refuse(refused)
        return said

    def refuse(self, refused: DesignRefused) -> None:
        """Put each problem of a design where it can be mended."""
        for problem in refused.problems:
            place = "imports" if problem.path[0] == "rollouts" else str(problem.path[0])
            if place in self.fields:
                self.add_error(place, problem.text)
            else:
                self.table_errors.append(": ".join([*map(str, problem.path[1:]), problem.text]))
        if self.table_errors:
            self.add_error(None, "The table of wanted numbers is not complete yet.")


EVENLY = 100


class EvenlyForm(forms.Form):
    """How many rollouts to spread evenly over the table."""

    total = forms.IntegerField(
        label="Rollouts in all",
        initial=EVENLY,
        # Kept over a swap: an answer that comes late must not join what is being typed.
        widget=forms.NumberInput(attrs={"hx-preserve": "true"}),
        validators=[MinValueValidator(1), MaxValueValidator(MOST_ITEMS)],
    )


class StudyFileForm(forms.Form):
    """A study file, and the guidelines it may name."""

    file = forms.FileField(label="Study file", help_text="YAML, as `Download study file` writes it.")
    guidelines = forms.FileField(
        label="Guidelines", required=False, help_text="The Markdown file that the study file names, if it names one."
    )

    design: StudyDesign
    guidelines_text = ""

    def clean_file(self) -> UploadedFile:
        """Read the design; every mistake is said with its line."""
        file = self.cleaned_data["file"]
        try:
            self.design = parse_study_file(file.read(MOST_BYTES + 1), file.name or "study file")
        except StudyFileRefused as refused:
            raise forms.ValidationError(list(refused.problems)) from refused
        return file

    def clean_guidelines(self) -> UploadedFile | None:
        """Read the text as UTF-8."""
        file = self.cleaned_data["guidelines"]
        if file:
            try:
                self.guidelines_text = file.read(LONGEST_TEXT + 1).decode("utf-8-sig")
            except UnicodeDecodeError:
                raise forms.ValidationError("Save the guidelines as UTF-8.") from None
            if len(self.guidelines_text) > LONGEST_TEXT:
                raise forms.ValidationError(f"Use at most {LONGEST_TEXT:,} characters.")
        return file

    def clean(self) -> dict[str, Any]:
        """A study file that names guidelines needs them."""
        said = super().clean() or {}
        if not self.errors and self.design.guidelines and not said.get("guidelines"):
            self.add_error("guidelines", f"The study file names {self.design.guidelines}. Choose that file too.")
        return said


class TextForm(forms.Form):
    """Guidelines or consent text: Markdown, its language and direction."""

    text = forms.CharField(
        label="Text",
        max_length=LONGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "true"}),
    )
    lang = forms.RegexField(
        r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
        label="Language",
        max_length=16,
        initial="en",
        help_text="As in en, zh-Hans, ar.",
        error_messages={"invalid": "Write a language tag such as en, zh-Hans or ar."},
    )
    dir = forms.ChoiceField(
        label="Direction",
        choices=[("auto", "as the text says"), ("ltr", "left to right"), ("rtl", "right to left")],
        initial="auto",
    )

    def clean_text(self) -> str:
        """Something to read."""
        text = self.cleaned_data["text"]
        if not text.strip():
            raise forms.ValidationError("Write something; an empty text tells annotators nothing.")
        return text


class ReasonForm(forms.Form):
    """Why something is done to a label or a place."""

    reason = forms.CharField(
        label="Reason",
        max_length=500,
        help_text="Kept with the study and in exports. Name no person.",
        error_messages={"required": "Give a reason; it stands beside the label for good."},
    )


class VoidForm(ReasonForm):
    """Why a label is void, and whether its place goes to somebody else."""

    again = forms.BooleanField(label="Deal its place to somebody who never had the item", required=False, initial=True)


class LeaveForm(forms.Form):
    """Taking a person off a seat."""

    reason = forms.CharField(
        label="Reason", max_length=500, required=False, help_text="May stay empty. Name no person."
    )
    discard = forms.BooleanField(
        label="Also make void what was submitted (only if the person asks for it)", required=False
    )
