"""What a researcher types about a rollout."""

from django import forms


class DiagnosisForm(forms.Form):
    """Another wording of one step's diagnosis; empty lets the rule speak again."""

    words = forms.CharField(required=False, max_length=2_000)


class MechanismForm(forms.Form):
    """The failure mechanism; empty takes it back."""

    words = forms.CharField(required=False, max_length=4_000)
