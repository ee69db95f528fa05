"""A page as a class: who may open it, a method for each button, refusals shown."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, transaction
from django.forms import Form
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django_stubs_ext import StrOrPromise

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import LookFirst
from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from leaderboard.web import errors, lookups, page_chrome
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page_chrome import ENTRIES, Entry
from leaderboard.web.stored import StoredForm
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import Sender, accepts_upload, takes_long
from scoring.findings import InvalidFile

Guards = tuple[Callable[[Any], Any], ...]


class Page:
    """One address: GET shows it; a POST calls `do_<verb>`, which says what was done (or answers).
    A verb with an address of its own (`page(…, does=verb)`) is `post_<verb>` and nothing there.

    `forms`: the form of a verb, bound and valid before its method is called. `beside`: the field of
    it at which a refusal is said, or a field for each code; else it stands on top of the page.
    `upload_bytes`: how much a POST may bring, from whom `sender` lets through. `brings`: the field
    of a verb that needs a file. `long_fields`: those that hold a whole file or list as text.
    `default`: the verb of a POST that names none. `guards`: what stands before the view.
    `changing`: the verbs that change what is stored without a `StoredForm` in `forms`. `verbs`: for
    a verb without a method of its own, the action that it is and what to say when it is done; the
    action takes `who` and what was typed. `previewed`: those of them that show first what they do.
    `ids`: how the fields of a verb's form are called in the page. `about`: the attribute that the
    actions of the page change, by the name of their argument.
    """

    template: ClassVar[str]
    forms: ClassVar[Mapping[str, type[Form]]] = {}
    beside: ClassVar[Mapping[str, str | Mapping[str, str | None] | None]] = {}
    upload_bytes: ClassVar[int] = 0
    sender: ClassVar[Sender]
    guards: ClassVar[Guards] = ()
    brings: ClassVar[Mapping[str, str]] = {}
    long_fields: ClassVar[tuple[str, ...]] = ()
    default: ClassVar[str] = ""
    changing: ClassVar[Collection[str]] = ()
    verbs: ClassVar[Mapping[str, tuple[Callable[..., object], StrOrPromise]]] = {}
    previewed: ClassVar[Collection[str]] = ()
    ids: ClassVar[str] = "id_%s"
    about: ClassVar[str] = ""

    def __init__(self, request: WebRequest, does: str = "") -> None:
        self.request = request
        self.at = request.received_at
        self.does = does
        self.verb = ""
        self.bound: Form | None = None

    def enter(self, **address: Any) -> HttpResponse | None:
        """Find what the address names, or raise Http404; the answer to who may not open it."""
        return None

    def is_there(self) -> bool:
        """Whether what the page is about was not deleted since it was found."""
        return True

    def context(self) -> dict[str, Any]:
        """What the template needs."""
        return {}

    @classmethod
    def as_view(cls, does: str = "") -> Callable[..., HttpResponseBase]:
        """The view of `urls`. `does`: the one verb of an address that is there for its POST."""

        def view(request: WebRequest, **address: Any) -> HttpResponseBase:
            page = cls(request, does)
            way = page.enter(**address)
            try:
                return page.respond() if way is None else way
            except (ObjectDoesNotExist, IntegrityError):
                if page.is_there():
                    raise
                raise Http404 from None

        if cls.upload_bytes and not does:
            view = accepts_upload(cls.upload_bytes, sender=cls.sender)(view)
        view = takes_long(*cls.long_fields)(view)
        takes_forms = bool(cls.verbs) or any(name.startswith("do_") for name in dir(cls))
        shown = ["GET", "HEAD", "POST"] if takes_forms else ["GET", "HEAD"]
        view = require_http_methods(["POST"] if does else shown)(view)
        for guard in reversed(cls.guards):
            view = guard(view)
        return view

    @cached_property
    def user(self) -> User:
        return lookups.person(self.request)

    @property
    def who(self) -> dict[str, Any]:
        """The arguments that most actions of the page take."""
        about = {self.about: getattr(self, self.about)} if self.about else {}
        return {**about, "user": self.user, "at": self.at}

    @property
    def seen(self) -> str:
        """The digest of the preview that was on the page, or nothing."""
        return self.request.POST.get("seen", "")

    def key(self, name: str = "id") -> UUID:
        """The key in this field of the form; a 404 for anything else."""
        return lookups.key(self.request.POST.get(name, ""))

    @property
    def files(self) -> list[Upload]:
        """The files that came with the verb."""
        sent = self.request.FILES.getlist(self.brings[self.verb])
        return [Upload(one.name or "", one.read()) for one in sent]

    def typed(self) -> dict[str, Any]:
        """The values of the form that was sent."""
        assert self.bound is not None
        return self.bound.cleaned_data

    def form(self, verb: str, **options: Any) -> Form:
        """The verb's form: as it was sent, if it was, else a new one."""
        if self.bound is not None and self.verb == verb:
            return self.bound
        return self.forms[verb](
            **{"initial": self.stored(verb), "auto_id": self.auto_id(verb), **options}
        )

    def stored(self, verb: str) -> Mapping[str, Any] | None:
        """What the verb's form is about, as it is stored, by the names of its fields."""
        return None

    def bind(self) -> Form | None:
        """The verb's form as it was sent."""
        kind = self.forms.get(self.verb)
        if kind is None:
            return None
        auto_id = self.auto_id(self.verb)
        if issubclass(kind, StoredForm):
            return kind.over(self.request.POST, self.stored(self.verb), auto_id=auto_id)
        return kind(self.request.POST, self.request.FILES, auto_id=auto_id)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else changes what this verb is about meanwhile."""
        yield

    def tell_kept(self, names: Collection[object]) -> None:
        """Say which fields keep what somebody else wrote."""
        if names:
            said = _(
                "Somebody else changed these fields while you were editing. "
                "They keep the new values: {names}"
            )
            messages.info(self.request, said.format(names=", ".join(map(str, names))))

    def auto_id(self, verb: str) -> str:
        """How the fields of the verb's form are called in the page."""
        return self.ids.replace("{verb}", verb)

    def respond(self) -> HttpResponseBase:
        return self.answer() if self.request.method == "POST" else self.show()

    def answer(self) -> HttpResponseBase:
        """Do what the pressed button says."""
        self.verb = self.does or self.request.POST.get("verb", self.default)
        changes = issubclass(self.forms.get(self.verb, Form), StoredForm)
        try:
            with self.alone() if changes or self.verb in self.changing else nullcontext():
                return self.act()
        except Refused as refusal:  # before the form was looked at
            self.bound = self.bind()
            if self.bound is not None:
                self.bound.is_valid()
            return self.refuse(refusal)

    def act(self) -> HttpResponseBase:
        """Do what the verb says, if its form can be read."""
        otherwise = self.call if self.verb in self.verbs else self.unknown
        act = getattr(self, f"{'post' if self.does else 'do'}_{self.verb}", otherwise)
        self.bound = self.bind()
        if isinstance(self.bound, StoredForm):
            self.tell_kept(self.bound.kept)
        if self.bound is not None and not self.bound.is_valid():
            return self.show(status=422)
        if self.verb in self.brings and self.brings[self.verb] not in self.request.FILES:
            return self.wrong(_("Choose a file."))
        try:
            done: HttpResponseBase | str | None = act()
        except Refused as refusal:
            return self.refuse(refusal)
        except Competition.DoesNotExist:  # deleted since the page was shown
            raise Http404 from None
        except InvalidFile as invalid:
            return self.show(invalid=invalid, status=422)
        return done if isinstance(done, HttpResponseBase) else self.done(done)

    def call(self) -> HttpResponse | str:
        """Do what `verbs` says of the verb."""
        act, said = self.verbs[self.verb]
        wanted = {**self.who, **(self.typed() if self.bound else {})}
        if self.verb not in self.previewed:
            act(**wanted)
            return str(said)
        return self.second_step(act, str(said), **wanted)

    def second_step(
        self, act: Callable[..., object], said: str, **wanted: Any
    ) -> HttpResponse | str:
        """Show what would be done; from that page, do it. Nothing to show: done at once."""
        try:
            act(seen=self.seen, **{"at": self.at, **wanted})
        except LookFirst as first:
            back = self.address()
            return self.show(looked_at=self.verb, found=first.preview, back=back)
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
        """Where its verbs lead back to."""
        return self.request.path

    def refuse(self, refusal: Refused) -> HttpResponse:
        """The page with why not: at the verb's field, or on top."""
        places = self.places()
        if not places.keys() & {refusal.code, ""}:
            page = partial(self.show, status=refusal.status)
            return errors.refused(self.request, refusal, page)
        field = places.get(refusal.code, places.get(""))
        return self.at_field(field, refusal)

    def places(self) -> Mapping[str, str | None]:
        """The field at which a refusal of the verb is said, by its code; "" for all others."""
        found = self.beside.get(self.verb, {})
        return found if isinstance(found, Mapping) else {"": found}

    def at_field(
        self, field: str | None, said: Any, status: int = 422, **shown: Any
    ) -> HttpResponse:
        """The page with this, or why not, said at the field of the form that was sent."""
        assert self.bound is not None
        if isinstance(said, Refused):
            said, status = spoken(said, "whole"), said.status
        self.bound.add_error(field, said)
        return self.show(status=status, **shown)

    def wrong(self, said: str) -> HttpResponse:
        """The page with what is wrong with the form, as `refuse` does."""
        if "" in (places := self.places()):
            return self.at_field(places[""], said)
        messages.error(self.request, said)
        return self.show(status=422)

    def around(self) -> dict[str, Any]:
        """What stands around each page of its kind."""
        return {}

    def show(self, *, status: int = 200, **shown: Any) -> HttpResponse:
        # First the page's own: what it read of a board is enough for the header above it.
        own = self.context()
        ctx = self.around() | own | shown
        return render(self.request, self.template, ctx, status=status)


class LinkPage(Page):
    """Where a link with `?token=…` leads. An unusable one is all that its page then says."""

    unusable: ClassVar[Callable[[], Refused]]

    def find(self) -> object | None:
        """What the token is for; None where it is not usable."""
        raise NotImplementedError

    def enter(self, **address: Any) -> HttpResponse | None:
        self.token = self.request.POST.get("token") or self.request.GET.get("token", "")
        self.found: Any = self.find()
        return None if self.found is not None else self.refuse(type(self).unusable())

    def refuse(self, refusal: Refused) -> HttpResponse:
        return errors.refused(self.request, refusal)


class PersonPage(Page):
    """For everybody who is signed in."""

    guards: ClassVar[Guards] = (login_required,)

    def around(self) -> dict[str, Any]:
        return {"zone": timezone.get_current_timezone()}


class ContestPage(Page):
    """A page of a contest, in its frame. `tab`: the entry of the menus that is open."""

    tab: ClassVar[str]
    about = "competition"
    competition: Competition
    rest: dict[str, Any]  # of the address, behind the contest

    def is_for(self) -> bool:
        """Whether this person may know of the page, which is a 404 for all others."""
        return True

    def enter(self, **address: Any) -> HttpResponse | None:
        self.competition = lookups.viewer(self.request, address.pop("slug")).competition
        if not self.is_for():
            raise Http404
        self.rest = address
        if (way := self.way_in()) is not None:
            return way
        self.open(**address)
        return None

    def is_there(self) -> bool:
        return Competition.objects.filter(pk=self.competition.pk).exists()

    def way_in(self) -> HttpResponse | None:
        """Where somebody is led who may not open the page yet."""
        return None

    def open(self, **address: UUID) -> None:
        """Find what the rest of the address names, or raise Http404."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        """In one transaction under the contest's lock, with everything read anew."""
        with transaction.atomic():
            found = lock(Competition.objects.filter(pk=self.competition.pk))
            if not found:
                raise Http404
            self.competition = found[0]
            self.open(**self.rest)
            yield

    @property
    def viewer(self) -> Viewer:
        return lookups.viewer(self.request, self.competition.slug)

    def around(self) -> dict[str, Any]:
        return {
            "frame": page_chrome.Frame(self.request, self.competition, tab=self.tab),
            "competition": self.competition,
            "zone": self.competition.zoneinfo,
            "zone_name": f"{self.at.astimezone(self.competition.zoneinfo):%Z}",
        }


class TeamPage(ContestPage):
    """A page of one's own team."""

    tab = "submit"
    about = "team"
    team: Team

    def way_in(self) -> HttpResponse | None:
        if self.viewer.team is not None:
            self.team = self.viewer.team
        return lookups.way_in(self.request, self.competition)

    def around(self) -> dict[str, Any]:
        return {"team": self.team, **super().around()}


class DeskPage(ContestPage):
    """A page for owners and editors; a 404 for all others."""

    guards: ClassVar[Guards] = (login_required,)
    sender = staticmethod(lookups.editors)

    def is_for(self) -> bool:
        return self.viewer.edits


contest_pages: list[URLPattern] = []
"""The addresses of pages below those of a contest."""

team_links: list[tuple[str, StrOrPromise]] = []
"""The pages that a team's page links to, by the name of their address."""

Shown = TypeVar("Shown", bound=type[ContestPage])


def page(
    route: str,
    name: str,
    menu: Entry | None = None,
    *,
    does: str = "",
    on_team_page: StrOrPromise = "",
) -> Callable[[Shown], Shown]:
    """Put a page under this address, and into the organizers' menu.

    `does`: the verb of an address that takes nothing but its POST. `on_team_page`: the words of a
    link to it there.
    """

    def add(shown: Shown) -> Shown:
        contest_pages.append(path(route, shown.as_view(does), name=name))
        if on_team_page:
            team_links.append((name, on_team_page))
        if menu is not None:
            ENTRIES.append(replace(menu, name=name))
            shown.tab = name
        return shown

    return add
