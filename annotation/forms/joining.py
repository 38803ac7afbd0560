"""What a person types who takes a seat, or leaves it."""

from django import forms
from django.contrib.auth.forms import UserCreationForm

from benchmark.models import Account


class JoinForm(UserCreationForm):
    """A new annotator's account."""

    class Meta:
        model = Account
        fields = ("username", "name")
        labels = {"name": "Your name"}
        help_texts = {
            "username": "Letters, digits and @ . + - _ only. You sign in with it.",
            "name": "May stay empty. Only those who run the study see it, and only on its people page.",
        }


class LeaveOwnForm(forms.Form):
    """Whether what was submitted is to be discarded too."""

    discard = forms.BooleanField(label="Also discard what I have submitted: it then enters no figure", required=False)
