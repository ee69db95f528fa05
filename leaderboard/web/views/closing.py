"""Closing one's own account."""

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from leaderboard.actions.close_account import close_account
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.roles import owned_alone
from leaderboard.web.account_forms import CloseAccountForm
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.views import find


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
            try:
                close_account(
                    user=user, password=form.cleaned_data["password"], at=request.received_at
                )
            except Refused as refusal:
                status = refusal.status
                place = "password" if refusal.code == "wrong_password" else None
                form.add_error(place, f"{spoken(refusal)} {spoken(refusal, 'next_step')}".strip())
            else:
                logout(request)
                messages.success(request, _("탈퇴했습니다. 그동안 고맙습니다."))
                return redirect("home")
    ctx = {"form": form, "owned_alone": owned_alone(user)}
    return render(request, "account/close.html", ctx, status=status)
