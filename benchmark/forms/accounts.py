"""What people type about accounts: sign-in, passwords, roles, names of tokens."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils.functional import lazy

from benchmark.models import Account


def _password_rules() -> str:
    return " ".join(password_validation.password_validators_help_texts())


class SignInForm(AuthenticationForm):
    """Login name and password."""

    error_messages = {
        "invalid_login": "Login name and password do not fit together. Upper and lower case count in both.",
        "inactive": "This account is deactivated. Ask an admin.",
    }


class NewPasswordForm(forms.Form):
    """A new password, typed twice, checked against the rules for passwords."""

    password = forms.CharField(
        label="New password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=lazy(_password_rules, str)(),
    )
    again = forms.CharField(
        label="The same once more", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def __init__(self, *args: Any, account: Account | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.account = account

    def clean(self) -> dict[str, Any]:
        """Both entries equal, and strong enough for this account."""
        said = super().clean() or {}
        password = said.get("password")
        if password and password != said.get("again", password):
            self.add_error("again", "The two passwords differ. Type the same one twice.")
        elif password:
            try:
                password_validation.validate_password(password, self.whose(said))
            except ValidationError as reasons:
                self.add_error("password", reasons)
        return said

    def whose(self, said: dict[str, Any]) -> Account:
        """The account that the password must not resemble."""
        return self.account or Account()


class ChangePasswordForm(NewPasswordForm):
    """The old password and a new one."""

    old = forms.CharField(
        label="Present password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )
    field_order = ["old", "password", "again"]

    def clean_old(self) -> str:
        """The present password, so that a page left open does not give the account away."""
        old = self.cleaned_data["old"]
        if self.account is None or not self.account.check_password(old):
            raise ValidationError("This is not your present password.")
        return old


class JoinForm(NewPasswordForm):
    """A new annotator's account: login name, name, password."""

    username = forms.CharField(
        label="Login name",
        max_length=150,
        validators=Account.username.field.validators,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    name = forms.CharField(
        label="Your name",
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        help_text="May stay empty. Only those who run the study see it, and only on its people page.",
    )
    field_order = ["username", "name", "password", "again"]

    def clean_username(self) -> str:
        """A login name that nobody has yet."""
        username = Account.normalize_username(self.cleaned_data["username"])
        if Account.objects.filter(username__iexact=username).exists():
            raise ValidationError("This login name is taken. Choose another one, or sign in if it is yours.")
        return username

    def whose(self, said: dict[str, Any]) -> Account:
        """The account as it is about to be made."""
        return Account(username=said.get("username", ""), name=said.get("name", ""))


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
