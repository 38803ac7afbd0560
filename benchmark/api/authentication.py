"""Who calls: the owner of a personal token, or whoever is signed in in the browser (REST framework's own class)."""

from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from benchmark.actions.accounts import touch_token
from benchmark.models import Account, ApiToken
from benchmark.models.account import token_hash


class PersonalToken(TokenAuthentication):
    """`Authorization: Bearer …`. A token carries no rights of its own: its account's count, at the moment of the call."""

    keyword = "Bearer"

    def authenticate_credentials(self, key: str) -> tuple[Account, ApiToken]:
        """The token and whose it is. Raises AuthenticationFailed, in the same words whatever is wrong with it."""
        token = ApiToken.objects.usable().select_related("account").filter(hash=token_hash(key)).first()
        if token is None:
            raise AuthenticationFailed(
                "This token has expired, was revoked, or never was one. Make a new one under “Your account”."
            )
        touch_token(token=token)
        return token.account, token
