"""What organizers' pages do alike: who may open one, a method for each button, refusals shown."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Preview
from leaderboard.actions.refusals import Refused
from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.submissions.intake import Upload
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.navigation import ENTRIES, Entry, Menu
from leaderboard.web.uploads import accepts_upload


class DeskPage:
    """One address: GET shows it; a POST calls `do_<verb>`, which says what was done (or answers).

    `forms`: the form of a verb, bound and valid before its method is called. `beside`: the field of
    it at which a refusal is said; without one it stands on top of the page. `upload_bytes`: how
    much a POST may bring. `default`: the verb of a POST that names none.
    """

    tab: ClassVar[str]
    template: ClassVar[str]
    forms: ClassVar[Mapping[str, type[Form]]] = {}
    beside: ClassVar[Mapping[str, str | None]] = {}
    upload_bytes: ClassVar[int] = 0
    default: ClassVar[str] = ""

    def __init__(self, request: WebRequest, slug: str) -> None:
        self.request = request
        self.competition = self.known(request, slug)
        self.at = request.received_at
        self.verb = ""
        self.bound: Form | None = None

    @staticmethod
    def known(request: WebRequest, slug: str) -> Competition:
        """The contest, for those whom the page is for; a 404 for all others."""
        return find.competition_to_run(request, slug)

    def open(self, **address: UUID) -> None:
        """Find what the rest of the address names, or raise Http404."""

    def context(self) -> dict[str, Any]:
        """What the template needs beside `frame` and `competition`."""
        return {}

    @classmethod
    def as_view(cls) -> Callable[..., HttpResponseBase]:
        """The view of `urls`."""

        def view(request: WebRequest, slug: str, **address: UUID) -> HttpResponseBase:
            page = cls(request, slug)
            page.open(**address)
            return page.respond()

        if cls.upload_bytes:
            view = accepts_upload(cls.upload_bytes, sender=find.editors)(view)
        return login_required(require_http_methods(cls.methods())(view))

    @classmethod
    def methods(cls) -> list[str]:
        takes_forms = any(name.startswith("do_") for name in dir(cls))
        return ["GET", "HEAD", "POST"] if takes_forms else ["GET", "HEAD"]

    @cached_property
    def user(self) -> User:
        return find.person(self.request)

    @property
    def viewer(self) -> Viewer:
        return find.viewer(self.request, self.competition.slug)

    @property
    def who(self) -> dict[str, Any]:
        """The arguments that most actions take."""
        return {"competition": self.competition, "user": self.user, "at": self.at}

    @property
    def seen(self) -> str:
        """The digest of the preview that was on the page, or nothing."""
        return self.request.POST.get("seen", "")

    def key(self, name: str = "id") -> UUID:
        """The key in this field of the form; a 404 for anything else."""
        try:
            return UUID(self.request.POST.get(name, ""))
        except ValueError:
            raise Http404 from None

    def files(self, name: str) -> list[Upload]:
        """The files that were sent in this field."""
        return [Upload(one.name or "", one.read()) for one in self.request.FILES.getlist(name)]

    def typed(self) -> dict[str, Any]:
        """The values of the form that was sent."""
        assert self.bound is not None
        return self.bound.cleaned_data

    def form(self, verb: str, **options: Any) -> Form:
        """The verb's form: as it was sent, if it was, else a new one."""
        if self.bound is not None and self.verb == verb:
            return self.bound
        return self.forms[verb](auto_id=self.auto_id(verb), **options)

    def auto_id(self, verb: str) -> str:
        """How the fields of the verb's form are called in the page."""
        return "id_%s"

    def respond(self) -> HttpResponseBase:
        return self.answer() if self.request.method == "POST" else self.show()

    def answer(self) -> HttpResponseBase:
        """Do what the pressed button says."""
        self.verb = self.request.POST.get("verb", self.default)
        act = getattr(self, f"do_{self.verb}", self.unknown)
        if self.verb in self.forms:
            self.bound = self.forms[self.verb](self.request.POST, auto_id=self.auto_id(self.verb))
            if not self.bound.is_valid():
                return self.show(status=422)
        try:
            done: HttpResponseBase | str | None = act()
        except Refused as refusal:
            return self.refuse(refusal)
        return done if isinstance(done, HttpResponseBase) else self.done(done)

    def second_step(
        self,
        preview: Callable[..., Preview | None],
        act: Callable[..., object],
        said: str,
        **wanted: Any,
    ) -> HttpResponse | str:
        """Show what would be done; from that page, do it. Nothing to show: done at once."""
        found = preview(**wanted)
        if found is not None and self.seen != found.digest:
            return self.show(looked_at=self.verb, found=found)
        act(seen=self.seen, at=self.at, **wanted)
        return said

    def unknown(self) -> HttpResponse:
        """The answer to a verb that this page has no method for."""
        return errors.bad_request(self.request)

    def done(self, said: str | None = None, part: str = "") -> HttpResponse:
        """Say what was done, back on the page."""
        if said:
            messages.success(self.request, said)
        return redirect(self.address() + (f"#{part}" if part else ""))

    def address(self) -> str:
        return reverse(self.tab, args=[self.competition.slug])

    def refuse(self, refusal: Refused) -> HttpResponse:
        """The page with why not: at the verb's field, or on top."""
        if self.verb not in self.beside:
            return errors.refused(self.request, refusal, self.show)
        return self.at_field(self.beside[self.verb], errors.whole(refusal), refusal.status)

    def at_field(self, field: str | None, said: Any, status: int = 422) -> HttpResponse:
        """The page with this said at the field of the form that was sent."""
        assert self.bound is not None
        self.bound.add_error(field, said)
        return self.show(status=status)

    def without_file(self, said: str) -> HttpResponse:
        messages.error(self.request, said)
        return self.show(status=422)

    def show(self, *, status: int = 200, **shown: Any) -> HttpResponse:
        ctx = {
            "frame": frame.around(self.request, self.competition, tab=self.tab),
            "competition": self.competition,
            **self.context(),
            **shown,
        }
        return render(self.request, self.template, ctx, status=status)


desk_pages: list[URLPattern] = []
"""The addresses of all organizers' pages, below those of a contest."""

Page = TypeVar("Page", bound=type[DeskPage])


def desk_page(route: str, name: str, menu: Menu | None = None) -> Callable[[Page], Page]:
    """Put an organizers' page under this address, and into their menu."""

    def add(page: Page) -> Page:
        desk_pages.append(path(route, page.as_view(), name=name))
        if menu is not None:
            ENTRIES.append(Entry(name, menu.label, menu.section, menu.who, menu.order))
        return page

    return add
