"""The desk's log: who decided what, when, from what to what, and why."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.http import require_safe

from leaderboard.audit.log import log_page
from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.teams.models import Team
from leaderboard.web import find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.templatetags.formatting import written

# A kind without words here is shown as it is written in the log.
KINDS = {
    "announced": gettext_lazy("공지함"),
    "announcement.corrected": gettext_lazy("공지를 고침"),
    "competition.created": gettext_lazy("대회를 만듦"),
    "competition.exported": gettext_lazy("대회 파일을 내보냄"),
    "competition.cloned": gettext_lazy("대회를 복제함"),
    "competition.imported": gettext_lazy("대회 파일로 만듦"),
    "competition.rescheduled": gettext_lazy("일정을 바꿈"),
    "competition.paused": gettext_lazy("제출을 멈춤"),
    "competition.resumed": gettext_lazy("제출을 다시 받음"),
    "competition.reveal_held": gettext_lazy("결과 공개를 미룸"),
    "competition.reveal_released": gettext_lazy("결과 공개를 더 미루지 않음"),
    "competition.edited": gettext_lazy("대회 설정을 바꿈"),
    "data_file.added": gettext_lazy("데이터 파일을 더함"),
    "data_file.removed": gettext_lazy("데이터 파일을 지움"),
    "data_file.described": gettext_lazy("데이터 파일의 설명을 바꿈"),
    "data_file.moved": gettext_lazy("데이터 파일의 순서를 바꿈"),
    "dev_set.uploaded": gettext_lazy("dev 묶음을 올림"),
    "dev_set.released": gettext_lazy("dev 묶음을 공개함"),
    "dialogues.uploaded": gettext_lazy("대화를 올림"),
    "dialogues.released": gettext_lazy("대화를 공개함"),
    "golds.uploaded": gettext_lazy("정답을 올림"),
    "version.rehearsing": gettext_lazy("채점 기준을 예행함"),
    "version.drafted": gettext_lazy("같은 정답으로 초안을 만듦"),
    "version.discarded": gettext_lazy("초안이나 예행을 버림"),
    "version.made_live": gettext_lazy("채점 기준을 적용함"),
    "version.signature_respelled": gettext_lazy("서버 갱신: 서명을 다른 꼴로 적음"),
    "submission.excluded": gettext_lazy("제출을 순위표에서 뺌"),
    "submission.restored": gettext_lazy("제출을 순위표에 되돌림"),
    "evaluation.retried": gettext_lazy("실패한 채점을 다시 함"),
    "evaluation.all_retried": gettext_lazy("실패한 채점을 모두 다시 함"),
    "baseline.added": gettext_lazy("기준선을 더함"),
    "baseline.renamed": gettext_lazy("기준선 이름을 바꿈"),
    "baseline.removed": gettext_lazy("기준선을 순위표에서 뺌"),
    "baseline.restored": gettext_lazy("기준선을 순위표에 되돌림"),
    "join.requested": gettext_lazy("참가를 신청함"),
    "join.approved": gettext_lazy("참가 신청을 승인함"),
    "join.declined": gettext_lazy("참가 신청을 거절함"),
    "organizer.appointed": gettext_lazy("주최자 역할을 줌"),
    "organizer.dismissed": gettext_lazy("주최자에서 뺌"),
    "registration.changed": gettext_lazy("참가 방법을 바꿈"),
    "terms.changed": gettext_lazy("약관을 바꿈"),
    "team.joined": gettext_lazy("팀을 만들어 참가함"),
    "class.enrolled": gettext_lazy("수업을 등록함"),
    "team.member_closed": gettext_lazy("팀원이 탈퇴함"),
    "team.member_put": gettext_lazy("사람을 팀에 넣음"),
    "team.granted": gettext_lazy("횟수를 더 줌"),
    "team.warned": gettext_lazy("팀에 경고함"),
    "team.disqualified": gettext_lazy("팀을 실격함"),
    "team.reinstated": gettext_lazy("실격을 풂"),
}
FIELDS = {
    "opens_at": gettext_lazy("시작"),
    "closes_at": gettext_lazy("마감"),
    "reveals_at": gettext_lazy("결과 공개"),
    "freezes_at": gettext_lazy("순위표 고정"),
    "team_merge_until": gettext_lazy("팀 합치기 마감"),
    "team": gettext_lazy("팀"),
    "title": gettext_lazy("제목"),
    "title_en": gettext_lazy("제목 (영어)"),
    "introduction": gettext_lazy("소개 (Markdown)"),
    "introduction_en": gettext_lazy("소개 (영어)"),
    "rules": gettext_lazy("룰 (Markdown)"),
    "rules_en": gettext_lazy("룰 (영어)"),
    "daily_limit": gettext_lazy("하루 제출"),
    "total_limit": gettext_lazy("전체 제출"),
    "max_waiting": gettext_lazy("동시 대기"),
    "max_cell": gettext_lazy("요약 한 칸의 글자 수"),
    "late_entries": gettext_lazy("마감 뒤 제출 받기 (순위 없음)"),
    "finals_rule": gettext_lazy("private 순위"),
    "board_needs_sign_in": gettext_lazy("순위표는 로그인한 사람에게만"),
    "is_private": gettext_lazy("비공개 대회"),
    "description": gettext_lazy("설명"),
    "description_en": gettext_lazy("설명 (영어)"),
    "position": gettext_lazy("순서"),
    "size": gettext_lazy("크기"),
    "captain": gettext_lazy("팀장"),
    "accounts": gettext_lazy("만든 계정"),
    "joined": gettext_lazy("참가시킨 계정"),
    "usernames": gettext_lazy("사용자 이름"),
    "username": gettext_lazy("사용자 이름"),
    "name": gettext_lazy("이름"),
    "slug": gettext_lazy("주소"),
    "version": gettext_lazy("채점 기준"),
    "draft": gettext_lazy("초안"),
    "signature": gettext_lazy("서명"),
    "rows": gettext_lazy("행"),
    "audience": gettext_lazy("받는 사람"),
    "text": gettext_lazy("내용"),
    "text_en": gettext_lazy("내용 (영어)"),
    "pinned": gettext_lazy("위에 고정"),
    "file": gettext_lazy("파일"),
    "shown": gettext_lazy("팀에게 까닭을 보임"),
    "reason": gettext_lazy("까닭"),
    "excluded_at": gettext_lazy("뺀 시각"),
    "failure": gettext_lazy("실패 까닭"),
    "attempt": gettext_lazy("시도"),
    "submissions": gettext_lazy("제출 수"),
    "amount": gettext_lazy("횟수"),
    "day": gettext_lazy("대회 날짜"),
    "disqualified_at": gettext_lazy("실격 시각"),
    "role": gettext_lazy("역할"),
    "registration": gettext_lazy("참가 방법"),
    "registration_code": gettext_lazy("참가 코드"),
    "emails_new": gettext_lazy("명단에 더한 주소"),
    "emails_removed": gettext_lazy("명단에서 뺀 주소"),
    "terms": gettext_lazy("약관 판"),
    "full": gettext_lazy("사람과 제출까지"),
    "model": gettext_lazy("모델"),
    "again": gettext_lazy("다시 만드는 대화"),
    "sections": gettext_lazy("부분"),
    "example": gettext_lazy("대화"),
    "changed": gettext_lazy("바꾼 항목"),
    "added": gettext_lazy("더한 항목"),
    "items": gettext_lazy("항목"),
    "labels": gettext_lazy("라벨"),
    "was_shown": gettext_lazy("보이던 것"),
    "calls_in_all": gettext_lazy("모든 호출의 한도"),
    "calls_per_team_day": gettext_lazy("팀과 하루마다 호출 한도"),
    "calls_per_submission": gettext_lazy("제출마다 호출 한도"),
}
CHOICES = {
    "audience": Announcement.Audience,
    "role": Organizer.Role,
    "registration": Competition.Registration,
    "finals_rule": Competition.FinalsRule,
}

SHOWN = 300  # characters of a text such as the rules; twice a decision


@dataclass(frozen=True)
class Change:
    """One value of a decision. `before` is None where there was nothing to change."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class LogLine:
    """One decision, ready to read."""

    event: AuditEvent
    title: str
    changes: tuple[Change, ...]


@login_required
@require_safe
def desk_audit(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/audit`: the whole log in pages, newest first; nothing here can be changed."""
    competition = find.competition_to_run(request, slug)
    log = log_page(competition.pk, page=find.page_number(request))
    ctx = {
        "frame": frame.around(request, competition, tab="desk_audit"),
        "log": log,
        "lines": lines_of(competition, log.events),
    }
    return render(request, "desk/audit.html", ctx)


def lines_of(competition: Competition, events: tuple[AuditEvent, ...]) -> list[LogLine]:
    """These decisions in words, teams by name, instants in the contest's zone."""
    teams = _team_names(competition, events)
    return [
        LogLine(
            event=event,
            title=str(KINDS.get(event.kind, event.kind)),
            changes=tuple(_changes(event, competition.zoneinfo, teams)),
        )
        for event in events
    ]


def _team_names(competition: Competition, events: tuple[AuditEvent, ...]) -> dict[str, str]:
    """Names by id of the teams that these events speak of, in one query."""
    wanted = {
        str(values["team"])
        for event in events
        for values in (event.before, event.after)
        if values and values.get("team")
    }
    if not wanted:
        return {}
    found = Team.objects.filter(competition=competition).values_list("pk", "name")
    return {str(pk): name for pk, name in found if str(pk) in wanted}


def _changes(event: AuditEvent, zone: ZoneInfo, teams: Mapping[str, str]) -> Iterator[Change]:
    before, after = event.before or {}, event.after or {}
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if key in before and key in after and old == new:
            continue
        yield Change(
            name=str(FIELDS.get(key, key)),
            before=_readable(key, old, zone, teams) if key in before else None,
            after=_readable(key, new, zone, teams) if key in after else None,
        )


def _readable(key: str, value: Any, zone: ZoneInfo, teams: Mapping[str, str]) -> str:
    match value:
        case None | "":
            return "–"
        case bool():
            return pgettext("yes or no", "예") if value else pgettext("yes or no", "아니요")
        case str() if key == "team":
            # A team that is gone is still named by its id.
            return teams.get(value, value)
        case str() if key in CHOICES and value in CHOICES[key].values:
            return str(CHOICES[key](value).label)
        case str() if key.endswith(("_at", "_until")):
            return _instant(value, zone)
        case str() | int() | float():
            return _shortened(str(value))
        case list():
            return ", ".join(_readable(key, one, zone, teams) for one in value)
        case _:
            return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _instant(text: str, zone: ZoneInfo) -> str:
    try:
        return written(datetime.fromisoformat(text), zone, "exact")
    except ValueError:
        return text


def _shortened(text: str) -> str:
    """The beginning of a long text; the log itself keeps all of it."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
