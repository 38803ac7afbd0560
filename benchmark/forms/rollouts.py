"""What the list of rollouts is narrowed down by. Every filter stands in the address."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from django import forms

from benchmark.core.taxonomy import Condition, ResultLabel, State
from benchmark.models import AgentModel, ImportBatch, Judgment

NONE = "none"
IMPORTS_LISTED = 50

_ANY = ("", "any")
_YES_NO = [_ANY, ("yes", "yes"), ("no", "no"), (NONE, "not computed")]


def _words(enum: type[StrEnum], none: str) -> list[tuple[str, str]]:
    return [_ANY, *((word.value, word.value.replace("_", " ")) for word in enum), (NONE, none)]


class RolloutFilter(forms.Form):
    """Filters of the rollouts list. A field left out, or filled with a value there is none of, filters nothing."""

    model = forms.ModelChoiceField(AgentModel.objects.order_by("name"), required=False, empty_label="any")
    condition = forms.ChoiceField(choices=_words(Condition, "none"), required=False)
    noticed = forms.ChoiceField(choices=_YES_NO, required=False)
    refetch = forms.ChoiceField(choices=_YES_NO, required=False)
    state = forms.ChoiceField(choices=_words(State, "not computed"), required=False)
    judge = forms.ChoiceField(required=False, help_text="Whose result; without one any judge's.")
    result = forms.ChoiceField(choices=_words(ResultLabel, "not judged"), required=False)
    excluded = forms.ChoiceField(choices=[_ANY, ("no", "no"), ("yes", "yes")], required=False)
    batch = forms.ModelChoiceField(ImportBatch.objects.defer("report"), required=False, label="Import")

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        judges = Judgment.objects.order_by("judge").values_list("judge", flat=True).distinct()
        self.fields["judge"].choices = [_ANY, *((name, name) for name in judges)]  # type: ignore[attr-defined]
        self._list("model", AgentModel.objects.order_by("name").values_list("pk", "name"))
        newest = ImportBatch.objects.filter(status=ImportBatch.Status.DONE, read__gt=0).values_list("pk", "file_name")[
            :IMPORTS_LISTED
        ]
        self._list("batch", [*newest, *self._named_batch(dict(newest))])

    def _list(self, name: str, choices: Iterable[tuple[int, str]]) -> None:
        """Offer these in a select; a plain list, since Django counts a queryset's rows before it reads them."""
        self.fields[name].widget.choices = [_ANY, *choices]

    def _named_batch(self, listed: Mapping[int, str]) -> list[tuple[int, str]]:
        """The import that the address names, where it is older than those listed."""
        named = str(self.data.get("batch", ""))
        if not named.isdecimal() or int(named) in listed:
            return []
        return list(ImportBatch.objects.filter(pk=named).values_list("pk", "file_name"))
