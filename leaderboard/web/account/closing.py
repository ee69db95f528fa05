"""Closing one's own account."""

from datetime import datetime
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from leaderboard.accounts import rate_limits, sign_in
from leaderboard.accounts.models import User
from leaderboard.actions.people import close_account
from leaderboard.actions.refusals import Refused, too_many_tries
from leaderboard.competitions.roles import owned_alone
from leaderboard.web import errors, find
from leaderboard.web.account.forms import CloseAccountForm
from leaderboard.web.find import WebRequest


@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: WebRequest) -> HttpResponse:
    """`/accounts/close`: what goes, what stays, and the password once more."""
    user = find.person(request)
    form = CloseAccountForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            at = request.received_at
            # A page that says whether a password is right is limited as signing in is.
            every = rate_limits.Use(sign_in.SIGN_INS, sign_in.address_of(request))
            tries = sign_in.tries(request, user.username)
            if seconds := rate_limits.take(every, *tries, at=at):
                return errors.refused(
                    request, too_many_tries(seconds), partial(_page, request, form)
                )
            refusal = _refusal(user, form.cleaned_data["password"], at)
            is_wrong = refusal is not None and refusal.code == "wrong_password"
            if not is_wrong:
                rate_limits.give_back(*tries, at=at)
            if refusal is None:
                logout(request)
                messages.success(request, _("Your account is closed. Thank you for taking part."))
                return redirect("home")
            status = refusal.status
            said = errors.whole(refusal)
            form.add_error("password" if is_wrong else None, said)
    return _page(request, form, status=status)


def _page(request: WebRequest, form: CloseAccountForm, *, status: int = 200) -> HttpResponse:
    owned = owned_alone(find.person(request))
    ctx = {"form": form, "owned_alone": owned, "days": settings.CLOSED_NAME_DAYS}
    return render(request, "account/close.html", ctx, status=status)


def _refusal(user: User, password: str, at: datetime) -> Refused | None:
    """Why the account stays; None if it is closed now."""
    try:
        close_account(user=user, password=password, at=at)
    except Refused as refusal:
        return refusal
    return None
