"""One's own account: signing in and out, password, API tokens; and the page behind a reset link."""

from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from benchmark.actions import accounts as actions
from benchmark.forms.accounts import SignInForm, TokenForm
from benchmark.permissions import Right, SignedInRequest, requires

sign_in = LoginView.as_view(
    template_name="accounts/sign_in.html", authentication_form=SignInForm, redirect_authenticated_user=True
)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End this session."""
    logout(request)
    return redirect("benchmark:sign-in")


@requires(Right.LABEL)
@require_GET
def account(request: SignedInRequest) -> HttpResponse:
    """What one may do with one's own account."""
    return render(request, "accounts/account.html")


@requires(Right.LABEL)
@require_POST
def sign_out_everywhere(request: SignedInRequest) -> HttpResponse:
    """End every session of the account, this one too."""
    request.user.end_sessions()
    logout(request)
    messages.success(request, "You are signed out on every device.")
    return redirect("benchmark:sign-in")


@requires(Right.LABEL)
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def password(request: SignedInRequest) -> HttpResponse:
    """Change one's own password; other devices are signed out, this one stays."""
    form = PasswordChangeForm(request.user, request.POST or None)
    if not form.is_valid():
        return render(request, "accounts/password.html", {"form": form}, status=422 if form.is_bound else 200)
    actions.set_password(account=request.user, password=form.cleaned_data["new_password1"])
    request.session.flush()
    login(request, request.user, backend="annotation.backends.EffectiveRoleBackend")
    messages.success(request, "Your password is changed. Other devices are signed out.")
    return redirect("benchmark:account")


@never_cache
@sensitive_post_parameters()
@sensitive_variables("secret")
@require_http_methods(["GET", "POST"])
def reset(request: HttpRequest, secret: str) -> HttpResponse:
    """Set a new password with a link that an admin made; opening the page uses nothing up."""
    try:
        link = actions.open_reset_link(secret)
        form = SetPasswordForm(link.account, request.POST or None)
        if not form.is_valid():
            context = {"form": form, "account": link.account}
            return render(request, "accounts/reset.html", context, status=422 if form.is_bound else 200)
        actions.use_reset_link(secret=secret, password=form.cleaned_data["new_password1"])
    except actions.LinkSpent as reason:
        return render(request, "accounts/link_spent.html", {"reason": reason}, status=410)
    messages.success(request, "The new password is set. Sign in with it.")
    return redirect("benchmark:sign-in")


@requires(Right.LABEL)
@never_cache
@require_http_methods(["GET", "POST"])
def tokens(request: SignedInRequest) -> HttpResponse:
    """One's API tokens. A new one is shown in the answer to the form and never again."""
    form = TokenForm(request.POST or None)
    made = secret = None
    if form.is_valid():
        made, secret = actions.create_token(account=request.user, name=form.cleaned_data["name"])
        form = TokenForm()
    own = request.user.api_tokens.order_by("-created")
    context = {"form": form, "tokens": own, "made": made, "secret": secret, "now": timezone.now()}
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


@requires(Right.LABEL)
@require_POST
def token_revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make one of one's own tokens open nothing any more."""
    token = get_object_or_404(request.user.api_tokens, pk=pk)
    actions.revoke_token(token=token)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("benchmark:tokens")
