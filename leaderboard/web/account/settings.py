"""What the sign-in package cannot know: there may be no mail server."""

from datetime import datetime
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.accounts import rate_limits, sign_in
from leaderboard.accounts.accounts import prefer_language
from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import usable_link
from leaderboard.accounts.sessions import begin_again, sessions
from leaderboard.actions import people
from leaderboard.actions.refusals import Refused, too_many_tries
from leaderboard.competitions.roles import owned_alone
from leaderboard.inbox.tell import latest, mark_read
from leaderboard.teams.queries import visible_to
from leaderboard.web import errors, find
from leaderboard.web.account.forms import CloseAccountForm, DisplayForm, NewPasswordForm
from leaderboard.web.find import WebRequest
from leaderboard.web.frame import THEMES

YEAR = 365 * 24 * 60 * 60


@require_safe
def lost_password(request: WebRequest) -> HttpResponse:
    """Says whom to ask for a new password; nothing is sent by mail."""
    return render(request, "account/lost_password.html")


def link_address(token: str) -> str:
    """Where a password link leads. The token stands in the query, which our logs leave out."""
    return f"{settings.BASE_URL}{reverse('password_link')}?token={token}"


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password_link(request: WebRequest) -> HttpResponse:
    """`/accounts/password/link?token=…`: a new password, once, with the administrator's link."""
    posted = request.method == "POST"
    token = (request.POST if posted else request.GET).get("token", "")
    link = usable_link(token, request.received_at)
    if link is None:
        return errors.refused(request, Refused("link_unusable"))
    form = NewPasswordForm(request.POST if posted else None)
    status = 422 if posted else 200
    if posted and form.is_valid():
        password = form.cleaned_data["password1"]
        try:
            user = people.use_password_link(token=token, password=password, at=request.received_at)
        except ValidationError as weak:
            form.add_error("password1", weak)
        except Refused as refusal:
            return errors.refused(request, refusal)
        else:
            messages.success(request, _("The password is changed. Sign in with the new one."))
            answer = redirect("account_login")
            # Who guesses from elsewhere must not be able to keep the person out after this, too.
            user.refresh_from_db(fields=["password"])
            sign_in.remember_device(answer, request=request, user=user)
            return answer
    ctx = {"form": form, "token": token, "username": link.user.username}
    return render(request, "account/password_link.html", ctx, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: WebRequest) -> HttpResponse:
    """`/settings`: language and display of one's own, and the ways to password and closing."""
    user = find.person(request)
    form = DisplayForm(request.POST if request.method == "POST" else None, initial=_shown(request))
    if request.method == "POST" and form.is_valid():
        language = form.cleaned_data["language"]
        prefer_language(user=user, language=language)
        with translation.override(language):
            messages.success(request, _("Saved."))
        answer = redirect("settings")
        _remember(answer, language=language, theme=form.cleaned_data["theme"])
        return answer
    return _settings(request, form, status=422 if form.errors else 200)


def _settings(request: WebRequest, form: DisplayForm, *, status: int = 200) -> HttpResponse:
    user = find.person(request)
    ctx = {
        "form": form,
        "zone": timezone.get_current_timezone(),
        "sessions": sessions(user, this=request.session.session_key, at=request.received_at),
    }
    return render(request, "settings.html", ctx, status=status)


def _shown(request: WebRequest) -> dict[str, str]:
    """Language and theme as this page is read now."""
    theme = request.COOKIES.get("theme", "")
    return {"language": translation.get_language(), "theme": theme if theme in THEMES else ""}


@login_required
@require_POST
def end_sessions(request: WebRequest) -> HttpResponse:
    """`/settings/sessions`: signing out in one other place (`session`), or in all of them."""
    user = find.person(request)
    number = request.POST.get("session", "")
    if not number:
        people.end_all_sessions(user=user, at=request.received_at)
        begin_again(request, user)
        messages.success(request, _("You are signed out everywhere else."))
        return redirect(f"{reverse('settings')}#sessions")
    try:
        people.end_session(
            user=user, pk=int(number) if number.isdecimal() and len(number) < 19 else 0
        )
    except Refused as refusal:
        form = DisplayForm(initial=_shown(request))
        return errors.refused(request, refusal, partial(_settings, request, form))
    messages.success(request, _("You are signed out there."))
    return redirect(f"{reverse('settings')}#sessions")


def _remember(answer: HttpResponse, *, language: str, theme: str) -> None:
    """The same cookies as the header's buttons set."""
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=YEAR,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
    # Read by the script that changes it, hence not hidden from scripts.
    answer.set_cookie(
        "theme", theme, max_age=YEAR, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def inbox(request: WebRequest) -> HttpResponse:
    """`/inbox`: the newest fifty; a POST marks all as read."""
    if request.method == "POST":
        mark_read(user=find.person(request), at=request.received_at)
        return redirect("inbox")
    known = {contest.slug: contest for contest in visible_to(request.user)}
    own_zone = timezone.get_current_timezone()
    lines = [
        (
            notification,
            (contest := known.get(notification.competition_slug)),
            contest.zoneinfo if contest else own_zone,
        )
        for notification in latest(find.person(request), limit=50)
    ]
    return render(request, "inbox.html", {"lines": lines})


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
        people.close_account(user=user, password=password, at=at)
    except Refused as refusal:
        return refusal
    return None
