"""What annotators fill in: the blind form, its draft, the review."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from annotation.core.questions import MISSING
from annotation.models import Review, Study

REVIEW_MISSING = "Choose agree, disagree or unsure for this label."
YES_NO = [("yes", "Yes"), ("no", "No")]
LONGEST_COMMENT = 4_000


class EvidenceField(forms.CharField):
    """Step numbers as people write them (`R4, r9`); gives each once, in the order of the steps."""

    def __init__(self, *, numbers: list[str]) -> None:
        super().__init__(required=False)
        self.numbers = numbers

    def clean(self, value: str | None) -> list[str]:
        """Raise ValidationError for what names no step."""
        written = {word.upper() for word in re.split(r"[\s,;]+", value or "") if word}
        if unknown := sorted(written - set(self.numbers)):
            raise forms.ValidationError(f"There is no step {unknown[0][:20]} here. Write step numbers, e.g. R4, R9.")
        return [number for number in self.numbers if number in written]


class CountField(forms.FloatField):
    """A number the page keeps by itself. What is none counts as 0: it must never stand in the way of a label."""

    def clean(self, value: str | None) -> float:
        """The number, 0 where it is missing, negative or none."""
        try:
            return super().clean(value) or 0
        except forms.ValidationError:
            return 0


class DraftForm(forms.Form):
    """The blind form half filled in: nothing is required, unknown answers and steps are refused."""

    version = CountField(required=False, min_value=0)
    seconds = CountField(required=False, min_value=0)

    def __init__(self, data: Mapping[str, str], *, study: Study, numbers: list[str]) -> None:
        """`numbers`: the steps that exist (P1…R25), to which evidence may point."""
        super().__init__(data)
        self.questions = study.questions
        for question in self.questions:
            self.fields[question] = forms.TypedChoiceField(
                choices=YES_NO, coerce=lambda word: word == "yes", empty_value=None, required=False
            )
            self.fields[f"{question}_evidence"] = EvidenceField(numbers=numbers)

    def error_of(self, question: str) -> str:
        """What is wrong with one question, in a sentence; empty where nothing is."""
        found = [*self.errors.get(question, []), *self.errors.get(f"{question}_evidence", [])]
        return " ".join(str(sentence) for sentence in found)

    def answers(self) -> dict[str, Any]:
        """The keyword arguments of `save_draft` and `submit_blind` that were filled in; only once valid."""
        found = self.cleaned_data
        return {
            "result": found.get("result"),
            "noticed": found.get("noticed"),
            "evidence": {question: found[f"{question}_evidence"] for question in self.questions},
        }


class BlindForm(DraftForm):
    """The blind form as submitted: every question the study asks has an answer."""

    def __init__(self, data: Mapping[str, str], *, study: Study, numbers: list[str]) -> None:
        super().__init__(data, study=study, numbers=numbers)
        for question in self.questions:
            self.fields[question].required = True
            self.fields[question].error_messages["required"] = MISSING[question]


class ReviewForm(forms.Form):
    """Agree, disagree or unsure to each automatic label the study has, and free words beside it."""

    version = CountField(required=False, min_value=0)
    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT)

    def __init__(self, data: Mapping[str, str], *, study: Study) -> None:
        super().__init__(data)
        self.questions = study.questions
        for question in self.questions:
            self.fields[question] = forms.ChoiceField(
                choices=Review.Answer.choices, error_messages={"required": REVIEW_MISSING}
            )

    def error_of(self, field: str) -> str:
        """What is wrong with one label's response or the comment, in a sentence; empty where nothing is."""
        return " ".join(str(sentence) for sentence in self.errors.get(field, []))

    def answers(self) -> dict[str, Any]:
        """The keyword arguments of `submit_review`; only once valid."""
        found = self.cleaned_data
        return {
            "result": found.get("result", ""),
            "noticed": found.get("noticed", ""),
            "comment": found["comment"],
            "version": int(found["version"]),
        }
