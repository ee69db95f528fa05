"""The administrator's page of accounts: it calls an action, so it stands at the door."""

from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.admin import AccountAdmin
from leaderboard.accounts.models import User
from leaderboard.actions.people import make_password_link
from leaderboard.actions.refusals import Refused
from leaderboard.web.account.settings import link_address
from leaderboard.web.templatetags.formatting import spoken

# Its form shows and takes the keys by which browsers are signed in.
admin.site.unregister(UserSession)


@admin.register(User)
class PeopleAdmin(AccountAdmin):
    """Accounts, and links to new passwords, shown once on the answer's page."""

    actions = ("password_links",)

    @admin.action(description=_("새 비밀번호 링크 만들기 (24시간, 한 번)"))
    def password_links(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse | None:
        """One link for each chosen person who may sign in."""
        administrator = request.user
        assert isinstance(administrator, User)
        links = []
        for user in queryset.order_by("username"):
            try:
                token = make_password_link(user=user, made_by=administrator, at=timezone.now())
            except Refused as refusal:
                self.message_user(request, f"{user}: {spoken(refusal)}", messages.ERROR)
            else:
                links.append((user, link_address(token)))
        if not links:
            return None
        context = {**self.admin_site.each_context(request), "links": links}
        answer = TemplateResponse(request, "admin/password_links.html", context)
        add_never_cache_headers(answer)
        return answer
