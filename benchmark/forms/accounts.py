"""What people type about accounts: sign-in, roles, names of tokens. The password forms are Django's own."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm

from benchmark.models import Account


class SignInForm(AuthenticationForm):
    """Login name and password."""

    error_messages = {
        "invalid_login": "Login name and password do not fit together. Upper and lower case count in both.",
        "inactive": "This account is deactivated. Ask an admin.",
    }


class AccountForm(forms.ModelForm):
    """A new account, as an admin makes it; its owner sets the password."""

    class Meta:
        model = Account
        fields = ["username", "name", "role"]


class AccountChangeForm(forms.ModelForm):
    """Name, role, and whether it may sign in."""

    class Meta:
        model = Account
        fields = ["name", "role", "is_active"]
        labels = {"is_active": "May sign in"}


class TokenForm(forms.Form):
    """What a new API token is for."""

    name = forms.CharField(
        label="What it is for", max_length=80, help_text="For example: the laptop's export script, the lab's notebook."
    )
