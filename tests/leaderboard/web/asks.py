"""What a crawl asks as somebody, and what the tables of roles and addresses expect."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from tests.leaderboard.api import expectations as api
from tests.leaderboard.web.addresses import (
    Listed,
    address,
    form_of,
    known_values,
    strange_values,
    url_list,
)
from tests.leaderboard.web.crawl import GUESS, Probe, bad_uploads, curious
from tests.leaderboard.web.expectations import (
    ADMIN,
    API,
    METHODS,
    TABLE,
    expected_in_admin,
    expected_of_strange,
)
from tests.leaderboard.web.stage import Stage, secret_of

# Answered before anybody looks at the request, and only with what every GET is told.
PROBES = ("livez", "readyz", "metrics")
# Mail programs send the POST by themselves; the signed token in its address is what proves.
BY_TOKEN = ("mail_stop",)
SMALL = ("GET", "POST")


@dataclass(frozen=True)
class Ask:
    """One request to the address of this name, about `whose` thing, and the outcomes that are
    right. Without any, every answer is that is no error of ours.
    """

    name: str
    probe: Probe
    right: tuple[str, ...] = ()
    whose: str = "own"

    def __str__(self) -> str:
        return f"{self.name} {self.whose}: {self.probe.asked}"


def everything(stage: Stage, role: str, *, whole: bool = False, private: bool = False) -> list[Ask]:
    """All that this role could try by itself. `whole`: by every method, and with strange things.

    Alice tries these always: beside them she has something of her own.
    """
    asks = [*_pages(stage, role, METHODS if whole else SMALL, private=private)]
    if whole or role == "alice":
        asks += _strange(stage, role, private=private)
        asks += _of_files(stage)
    if whole:
        asks += _elsewhere(stage)
    if not private:
        asks += [Ask("curious", probe) for probe in curious(stage)]
        if whole or role in ("visitor", "alice", "sue"):  # who is no superuser is answered alike
            asks += _administration(stage, role)
    asks += _operations(stage, role, private=private)
    return asks


def pages(stage: Stage, role: str) -> list[str]:
    """The address of every page, which a browser asks for without writing.

    A guess of a code is counted, so it writes.
    """
    found = [
        ask.probe.address
        for ask in everything(stage, role)
        if ask.probe.method == "GET" and not ask.probe.headers
        if ask.whose == "own" and not ask.name.startswith("admin:")
    ]
    return [where for where in dict.fromkeys(found) if where != GUESS]


def _listed() -> list[Listed]:
    return [listed for listed in url_list() if listed.name in TABLE]


def _page(stage: Stage, listed: Listed, method: str, values: dict[str, object]) -> Probe:
    form = partial(form_of, listed.name, stage) if method == "POST" else dict
    return Probe(address(listed, values), method, form)


def _expected(listed: Listed, method: str, role: str, *, private: bool) -> str:
    row = TABLE[listed.name]
    if private and "slug" in listed.parameters:
        return row.expected_in_private(method, role)
    return row.expected(method, role)


def _pages(stage: Stage, role: str, methods: tuple[str, ...], *, private: bool) -> Iterator[Ask]:
    values = known_values(stage)
    for listed in _listed():
        for method in methods:
            right = _expected(listed, method, role, private=private)
            yield Ask(listed.name, _page(stage, listed, method, values), (right,))


def _strange(stage: Stage, role: str, *, private: bool) -> Iterator[Ask]:
    """The same with another team's, another contest's and nobody's things."""
    values, strange = known_values(stage), strange_values(stage)
    for listed in _listed():
        for parameter in set(listed.parameters) & set(strange):
            for whose, thing in strange[parameter].items():
                for method in SMALL:
                    right = _expected(listed, method, role, private=private)
                    probe = _page(stage, listed, method, {**values, parameter: thing})
                    yield Ask(listed.name, probe, (expected_of_strange(right),), whose)


def _elsewhere(stage: Stage) -> Iterator[Ask]:
    """One's own things under another contest's address."""
    values = {**known_values(stage), "slug": stage.elsewhere.slug}
    for listed in _listed():
        if "slug" in listed.parameters:
            yield Ask(listed.name, _page(stage, listed, "GET", values), (), "elsewhere")


def _of_files(stage: Stage) -> Iterator[Ask]:
    csv = Probe(
        f"/c/{stage.contest.slug}/lab", "POST", lambda: {**form_of("lab", stage), "verb": "csv"}
    )
    return (Ask("file", probe) for probe in (*bad_uploads(stage), csv))


def _administration(stage: Stage, role: str) -> Iterator[Ask]:
    values = known_values(stage)
    for listed in url_list():
        for method in SMALL if listed.family == ADMIN else ():
            right = expected_in_admin(listed.name, method, role)
            yield Ask(listed.name, _page(stage, listed, method, values), right)


def _operations(stage: Stage, role: str, *, private: bool) -> Iterator[Ask]:
    """Every operation of the API with one's own things, then with each strange one."""
    known, strange = known_values(stage), strange_values(stage)
    for operation in api.operations():
        variants = [("own", known)]
        for name in set(operation.parameters) & set(strange):
            variants += [(whose, {**known, name: one}) for whose, one in strange[name].items()]
        for whose, values in variants:
            right = api.expected(operation, role, whose=whose, private=private)
            probe = api.probe(stage, operation, values)
            yield Ask(f"api:{operation.name}", said(role, probe), right, whose)


def said(role: str, probe: Probe) -> Probe:
    """The same by a program with this role's token."""
    if role == "visitor":
        return probe
    return replace(probe, headers={**probe.headers, "authorization": f"Bearer {secret_of(role)}"})


# --- What no page of ours sends -------------------------------------------------------------------


def damaged(stage: Stage) -> Iterator[Ask]:
    """A NUL in every address, which PostgreSQL takes in no text, and every form without its token.

    Below `/api/` a session is nobody's, so that there is nothing to forge.
    """
    values = known_values(stage)
    for listed in url_list():
        where = address(listed, values)
        if listed.name not in PROBES:
            yield Ask(listed.name, Probe(f"{where}?q=%00"), ("400",), "NUL")
        form = partial(form_of, listed.name, stage)
        right = "405" if listed.name in PROBES else "404" if listed.name in BY_TOKEN else "403"
        outcomes = ("401", "403", "405") if listed.family == API else (right,)
        yield Ask(listed.name, Probe(where, "POST", form, forged=True), outcomes, "forged")


def hidden(stage: Stage, role: str) -> Iterator[tuple[Ask, Ask]]:
    """Each request about the contest beside the same one about a contest that there is not."""

    def about(slug: str) -> list[Ask]:
        values = {**known_values(stage), "slug": slug}
        with_slug = [listed for listed in _listed() if "slug" in listed.parameters]
        found: list[Ask] = []
        for listed in with_slug:
            found += [Ask(listed.name, _page(stage, listed, how, values)) for how in SMALL]
        for operation in api.operations():
            if "slug" in operation.parameters:
                probe = said(role, api.probe(stage, operation, values))
                found.append(Ask(f"api:{operation.name}", probe))
        return found

    return zip(about(stage.contest.slug), about("none"), strict=True)
