"""What annotators fill in: the blind form, its draft, the review."""

from typing import Any

from django import forms
from django.http import QueryDict

from annotation.core.questions import MISSING
from annotation.models import Review, Study

REVIEW_MISSING = "Choose agree, disagree or unsure for this label."
YES_NO = [("yes", "Yes"), ("no", "No")]
LONGEST_COMMENT = 4_000


class DraftForm(forms.Form):
    """The blind form half filled in: nothing is required, unknown answers and steps are refused."""

    data: QueryDict

    version = forms.IntegerField(required=False, min_value=0)
    seconds = forms.FloatField(required=False, min_value=0)

    def __init__(self, data: QueryDict, *, study: Study, numbers: list[str]) -> None:
        """`numbers`: the steps that exist (P1…R25), to which evidence may point."""
        super().__init__(data)
        self.questions = study.questions
        for question in self.questions:
            self.fields[question] = forms.TypedChoiceField(
                choices=YES_NO, coerce=lambda word: word == "yes", empty_value=None, required=False
            )
            self.fields[f"{question}_evidence"] = forms.MultipleChoiceField(
                choices=[(number, number) for number in numbers], required=False
            )

    def typed_evidence(self, question: str) -> list[str]:
        """The steps pointed at as they were sent, valid or not."""
        return self.data.getlist(f"{question}_evidence")

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

    def __init__(self, data: QueryDict, *, study: Study, numbers: list[str]) -> None:
        super().__init__(data, study=study, numbers=numbers)
        for question in self.questions:
            self.fields[question].required = True
            self.fields[question].error_messages["required"] = MISSING[question]


class ReviewForm(forms.Form):
    """Agree, disagree or unsure to each automatic label the study has, and free words beside it."""

    version = forms.IntegerField(required=False, min_value=0)
    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT)

    def __init__(self, data: QueryDict, *, study: Study) -> None:
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
            "version": found["version"] or 0,
        }
