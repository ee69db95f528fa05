"""Every address the resolver knows, filled in with things of a built contest."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver

from leaderboard.accounts.models import ApiToken
from leaderboard.actions.competition import NAMES
from leaderboard.actions.decisions import digest_of
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.export import package
from leaderboard.contest_file.packing import write_zip
from tests.leaderboard import builders
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import DEV_GOLDS, DEV_TEXTS, GOLDS, POOR, Stage


@dataclass(frozen=True)
class Listed:
    """One entry of the URL list: its name (or its route, if nobody named it) and its route."""

    name: str
    route: str

    @property
    def family(self) -> str:
        """The row of expectations that it belongs to: the administrator's pages share one.

        What programs ask has a table of its own, `api.expectations`.
        """
        space = self.name.partition(":")[0]
        return f"{space}:*" if space in ("admin", "api") else self.name

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the variable parts of the address, from left to right."""
        return tuple(PARAMETER.findall(self.route.replace("?P<", "<")))


PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def url_list(urlconf: Any = None) -> list[Listed]:
    """Every URL pattern of the project, namespaces and included lists walked through."""
    return list(_walk(get_resolver(urlconf).url_patterns, "", ""))


def _walk(patterns: Iterable[URLPattern | URLResolver], route: str, space: str) -> Iterator[Listed]:
    for pattern in patterns:
        here = route + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _walk(pattern.url_patterns, here, inner)
        else:
            yield Listed(space + (pattern.name or here), here)


def address(listed: Listed, values: Mapping[str, object]) -> str:
    """The route with its parameters filled in. A parameter nobody knows is a KeyError."""
    if "object_id" in listed.parameters and "object_id" not in values:
        values = {**values, "object_id": _some_row(listed.route)}
    route = re.sub(r"\(\?P(<\w+>)[^)]*\)", r"\1", listed.route)
    filled = PARAMETER.sub(lambda found: str(values[found[1]]), route)
    return "/" + filled.replace("^", "").replace("$", "")


def _some_row(route: str) -> object:
    """The key of a row that a page of the administrator's is about; 1 where there is none."""
    app, model = route.split("/")[1:3]
    if (app, model) not in {(m._meta.app_label, m._meta.model_name) for m in apps.get_models()}:
        return 1
    row = apps.get_model(app, model)._default_manager.first()
    return row.pk if row else 1


def known_values(stage: Stage) -> dict[str, object]:
    """What the parameters stand for when somebody asks for things of the contest `talk`."""
    return {
        "slug": stage.contest.slug,
        "submission_id": stage.best.pk,
        "any_submission_id": stage.best.pk,  # of any team, for who runs the contest
        "version_id": stage.draft.pk,
        "team_id": stage.alices.pk,
        "merge_id": stage.question.pk,
        "file_id": stage.data_file.pk,
        "file_name": stage.data_file.name,
        "invitation_id": stage.invitation.pk,
        "thread_id": stage.reply.thread_id,
        "post_id": stage.reply.pk,
        "gone": UUID(int=7),
        **{name: row for part in parts() for name, row in part.values(stage).items()},
        "token_id": _token_of("alice"),
        "code": "TALK-2026",
        # Of the administrator's pages; `object_id` is filled in per table.
        "id": builders.user("alice").pk,
        "content_type_id": 1,
        "app_label": "competitions",
        "url": "nothing-here",
    }


def _token_of(name: str) -> int:
    return ApiToken.objects.get(user__username=name).pk


WRONG_CODE = "TALK-2027"


def strange_values(stage: Stage) -> dict[str, dict[str, object]]:
    """The same parameters naming what is not theirs to see: another team's, contest's, nobody's."""
    nobody = UUID(int=7)
    return {
        "submission_id": {
            "another team's": stage.rivals.pk,
            "another contest's": stage.danas.pk,
            "nobody's": nobody,
        },
        "any_submission_id": {"another contest's": stage.danas.pk, "nobody's": nobody},
        "merge_id": {"another team's": stage.others_question.pk, "nobody's": nobody},
        "version_id": {"another contest's": stage.elsewhere_version.pk, "nobody's": nobody},
        "team_id": {"another contest's": stage.danas.team_id, "nobody's": nobody},
        **{name: row for part in parts() for name, row in part.strange(stage, nobody).items()},
        "file_id": {"another contest's": stage.elsewhere_file.pk, "nobody's": nobody},
        "file_name": {"another contest's": stage.elsewhere_file.pk, "nobody's": "none.csv"},
        "thread_id": {"another contest's": stage.elsewhere_post.thread_id, "nobody's": nobody},
        "post_id": {"another contest's": stage.elsewhere_post.pk, "nobody's": nobody},
        "token_id": {"another's": _token_of("erin"), "nobody's": 0},
        "code": {"nobody's": WRONG_CODE},
        "invitation_id": {"nobody's": nobody},
    }


def form_of(name: str, stage: Stage) -> dict[str, object]:
    """What a browser would send with a POST to this address when all is well."""
    if name == "import_contest":  # packed only when asked for
        return {"verb": "check", "slug": "copied", "file": contest_file(stage)}
    forms: dict[str, dict[str, object]] = {
        "join": {"team_name": "새벽", "terms": "1", "accepted": "on"},
        "join_by_code": {"team_name": "새벽", "terms": "1", "accepted": "on"},
        "terms": {"terms": "1", "accepted": "on"},
        "desk_people": {"verb": "register", "registration": "open"},
        "desk_terms": {"verb": "change_terms", "text": "서로 존중합니다."},
        "desk_organizers": {
            **{"verb": "appoint", "username": "charlie", "role": "assistant"},
            "seen": digest_of("appoint", builders.user("charlie").pk, None, "assistant"),
        },
        "submit": {"file": csv_file(), "key": "k" * 32, "note": "", "method_name": ""},
        "check": {"file": csv_file()},
        "api:validate": {"file": csv_file()},
        "api:submissions": {"file": csv_file()},
        "repaired": {"file": csv_file()},
        "note": {"note": "다시 봄", "method_name": "첫 줄"},
        "desk_golds": {
            "files": SimpleUploadedFile("golds.csv", builders.gold_csv(GOLDS)),
            "preset": "max-sum",
            "tokenizer": "mecab-ko",
            "tag_forms": "화자*",
        },
        "gold_changes": {"verb": "redraft", "preset": "max-sum", "tokenizer": "mecab-ko"},
        "desk_dev_set": {
            "verb": "upload",
            "files": SimpleUploadedFile("dev.csv", builders.gold_csv(DEV_GOLDS, None)),
        },
        "lab": {"verb": "file", "file": csv_file(builders.texts_csv(DEV_TEXTS))},
        "team_invitations": {"verb": "invite_person", "username": "bob"},
        "team_merge": {"verb": "ask", "name": "fay"},
        "team_merge_question": {"verb": "withdraw"},
        "desk_teams": {"username": "bob", "team": str(stage.rivals.team_id)},
        "desk_team": {"verb": "warn", "reason": "같은 파일을 두 팀이 냈습니다"},
        "desk_settings": {"verb": "save", **contest_settings(stage.contest)},
        "desk_data": {"verb": "add", "file": csv_file(b"a,b\n", "more.csv"), "description": "더"},
        "new_contest": {
            "slug": "spring",
            "title": "봄 대회",
            "zone": "Asia/Seoul",
            "opens_at": "2027-03-02T10:00",
            "closes_at": "2027-03-30T19:00",
            "reveals_at": "2027-03-31T10:00",
            "daily_limit": "12",
            "max_waiting": "3",
            "preset": "max-sum",
            "tokenizer": "mecab-ko",
        },
        "desk_enrol": {"file": csv_file(b"username\nstudent1\n", "class.csv")},
        "desk_file": {"verb": "plain"},
        "desk_ending": {"verb": "archive"},
        "desk_schedule": {"verb": "pause", "reason": "정답을 다시 봅니다"},
        "desk_submissions": {"verb": "retry_failed"},
        "desk_submission": {"verb": "exclude", "reason": "두 번 냄", "reason_shown": "on"},
        "desk_baselines": {"verb": "add", "name": "KoBART", "file": csv_file()},
        "desk_announcements": {"text": "내일 점검합니다", "audience": "all"},
        "desk_webhook": {
            **{"verb": "set", "url": "https://hooks.example.org/T0", "format": "slack"},
            **{"language": "ko", "events": "announced"},
        },
        "new_thread": {"kind": "talk", "title": "이야기", "text": "안녕하세요"},
        "thread": {"text": "알겠습니다"},
        "post": {"verb": "report", "reason": "광고"},
        "set_language": {"language": "en", "next": "/inbox"},
        "account_login": {"login": "alice", "password": "alice-secret"},
        "settings": {"language": "ko", "theme": ""},
        "tokens": {"verb": "make", "name": "노트북", "scope": "read", "days": "7"},
        "notices": {"verb": "remove"},
        "account_close": {"password": "somebody-elses", "sure": "on"},
        "account_signup": {
            "username": "henry",
            "password1": "long-enough-7",
            "password2": "long-enough-7",
        },
    }
    for part in parts():
        forms |= part.forms()
    return forms.get(name, {})


def contest_settings(contest: Competition) -> dict[str, object]:
    """The settings page's fields with the values they have: saving them changes nothing."""
    shown = {name: getattr(contest, name) for name in NAMES}
    return {
        name: "on" if value is True else value
        for name, value in shown.items()
        if value not in (None, False)
    }


def contest_file(stage: Stage) -> SimpleUploadedFile:
    """The contest itself as a file; under another address it may come in again."""
    return SimpleUploadedFile("talk.zip", _packed(stage.contest.pk), "application/zip")


@cache
def _packed(key: UUID) -> bytes:
    """As it was when somebody first asked for it."""
    out = io.BytesIO()
    write_zip(package(Competition.objects.get(pk=key), full=False), out)
    return out.getvalue()


def csv_file(data: bytes | None = None, name: str = "predictions.csv") -> SimpleUploadedFile:
    """A file as a browser sends it."""
    content = data if data is not None else builders.prediction_csv(POOR)
    return SimpleUploadedFile(name, content, content_type="text/csv")
