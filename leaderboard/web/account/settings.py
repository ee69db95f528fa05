"""What the sign-in package cannot know: there may be no mail server."""

from functools import partial

from django.conf import settings
from django.contrib import messages
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

from leaderboard.accounts import sign_in
from leaderboard.accounts.accounts import prefer_language
from leaderboard.accounts.passwords import usable_link
from leaderboard.accounts.sessions import begin_again, sessions
from leaderboard.actions.people import end_all_sessions, end_session, unusable, use_password_link
from leaderboard.actions.refusals import Refused
from leaderboard.web import errors, find
from leaderboard.web.account.forms import DisplayForm, NewPasswordForm
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
        return errors.refused(request, unusable())
    form = NewPasswordForm(request.POST if posted else None)
    status = 422 if posted else 200
    if posted and form.is_valid():
        password = form.cleaned_data["password1"]
        try:
            user = use_password_link(token=token, password=password, at=request.received_at)
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
        end_all_sessions(user=user, at=request.received_at)
        begin_again(request, user)
        messages.success(request, _("You are signed out everywhere else."))
        return redirect(f"{reverse('settings')}#sessions")
    try:
        end_session(user=user, pk=int(number) if number.isdecimal() and len(number) < 19 else 0)
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
