"""The part of the agreement page where a judge is compared with itself."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.begin_judge_repeat import (
    begin_judge_repeat,
    nothing_to_repeat,
    repeatable,
    why_not_repeated,
)
from leaderboard.actions.refusals import Refused
from leaderboard.actions.stop_judge_repeat import stop_judge_repeat
from leaderboard.judging import estimate
from leaderboard.judging.asking.claim import REPEATABLE
from leaderboard.judging.models import JudgeConfig, Judging, Repeat
from leaderboard.judging.trust.repeating import SAMPLES, rows_to_repeat
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.views import find
from leaderboard.worker.ring import waking
from leaderboard.worker.tasks import judge_next
from scoring.judges.flips import MOST

LISTED = 50
VERBS = ("repeat", "stop")
NAMES = {
    "all": gettext_lazy("모든 항목"),
    "claim": gettext_lazy("주장"),
    "question": gettext_lazy("질문"),
    "content": gettext_lazy("내용"),
    "adherence": gettext_lazy("지시"),
}


def decide(request: WebRequest, config: JudgeConfig, verb: str) -> HttpResponse:
    """Begin a repeat, or stop the one that is under way."""
    user, at = find.person(request), request.received_at
    try:
        if verb == "repeat":
            wanted = _id(request.POST.get("judging", ""))
            with waking(judge_next):
                begin_judge_repeat(config_id=config.pk, judging_id=wanted, user=user, at=at)
            messages.success(
                request, _("되풀이를 재기 시작합니다. 심사할 것이 있으면 그 뒤에 묻습니다.")
            )
        else:
            stop_judge_repeat(config_id=config.pk, user=user, at=at)
            messages.success(request, _("되풀이를 그만두었습니다."))
    except Refused as refusal:
        messages.error(request, f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
    return redirect("desk_judge_agreement", slug=config.competition.slug, judge_id=config.pk)


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None


def repeat_part(request: WebRequest, config: JudgeConfig) -> dict[str, Any]:
    """What the page shows: the newest result, progress, or what another repeat would cost."""
    repeats = Repeat.objects.filter(config=config, config_hash=config.config_hash)
    repeats = repeats.select_related("judging__submission__team", "begun_by").defer("said")
    done = repeats.filter(state=Repeat.State.COMPLETE).first()
    going = repeats.filter(state=Repeat.State.WAITING).first()
    numbers = done.numbers if done else {}
    return {
        "repeat": done,
        "repeat_numbers": numbers,
        "repeat_kinds": [
            (NAMES.get(one["kind"], one["kind"]), one) for one in numbers.get("kinds", ())
        ],
        "repeat_going": going,
        "most_flips": MOST,
        "samples": SAMPLES,
        **({} if going else _choice(request, config)),
    }


def _choice(request: WebRequest, config: JudgeConfig) -> dict[str, Any]:
    """The judgings to choose from, and what the chosen one takes: the newest, or `?judging=`."""
    if config.state not in REPEATABLE:
        return {}
    refusal = why_not_repeated(config)
    found = list(repeatable(config, request.received_at)[:LISTED]) if refusal is None else []
    chosen = _chosen(request, found)
    rows = rows_to_repeat(chosen) if chosen else []
    if chosen is None or not rows:
        return {
            "repeatable": found,
            "chosen": chosen,
            "not_repeated": refusal or nothing_to_repeat(),
        }
    texts = {row.example_id: row.summary for row in rows}
    return {
        "repeatable": found,
        "chosen": chosen,
        "repeat_rows": len(rows),
        "repeat_dry": estimate.repeating(config, texts=texts, times=SAMPLES),
    }


def _chosen(request: WebRequest, found: list[Judging]) -> Judging | None:
    asked = request.GET.get("judging", "")
    return next((one for one in found if str(one.pk) == asked), found[0] if found else None)
