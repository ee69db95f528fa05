"""The desk's comparison of a judge with people, and with itself: labels, repeats, reports."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from leaderboard.celery import waking
from leaderboard.judging import estimate
from leaderboard.judging.actions.trust import (
    begin_judge_repeat,
    nothing_to_repeat,
    repeatable,
    stop_judge_repeat,
    upload_judge_labels,
    why_not_repeated,
)
from leaderboard.judging.agreement_report import ENOUGH_KAPPA, ENOUGH_RECALL
from leaderboard.judging.asking.claim import REPEATABLE
from leaderboard.judging.labelling import judged_submissions, label_boards, label_file
from leaderboard.judging.models import AgreementReport, Repeat
from leaderboard.judging.pages.config import JudgePage
from leaderboard.judging.pages.forms import WholeField
from leaderboard.judging.repeating import SAMPLES, rows_to_repeat
from leaderboard.judging.tasks import judge_next
from leaderboard.refusals import Refused
from leaderboard.web.contest.board import attachment
from leaderboard.web.page import page
from leaderboard.web.templatetags.formatting import spoken
from scoring.judges.flips import MOST
from scoring.judges.labels import KINDS, LIMITS, LONGEST, METRICS, MOST_ROWS

LISTED = 50  # submissions to choose among
LABEL_BYTES = LIMITS.max_bytes or 0


OFFERED = 50  # judgings to repeat
CHECKED = 3  # submissions that a file of items is made of where nobody chooses
NAMES = {
    "all": _("All items"),
    "claim": _("Claim"),
    "question": _("Question"),
    "content": _("Content"),
    "adherence": _("Instruction"),
}


class LabelItemsForm(forms.Form):
    submission = forms.TypedMultipleChoiceField(coerce=UUID, required=False)
    dialogues = WholeField(1, MOST_ROWS, label=_("Number of dialogues"), required=False, initial=50)
    rater = forms.CharField(
        label=_("Rater"),
        max_length=LONGEST,
        required=False,
        help_text=_("Filled into the rater cell of every row."),
    )


@page("desk/judge/<uuid:judge_id>/agreement", "desk_judge_agreement")
class JudgeAgreement(JudgePage):
    """`/c/<slug>/desk/judge/<id>/agreement`: the newest report and repeat; POST brings labels."""

    template = "judging/trust.html"
    upload_bytes = LABEL_BYTES
    brings = {"labels": "file"}
    default = "labels"

    def do_labels(self) -> HttpResponse:
        _report, notices = upload_judge_labels(upload=self.files[-1], **self.who)
        messages.success(self.request, gettext("The labels were read and compared."))
        for notice in notices:
            messages.info(self.request, spoken(notice))
        return self.done()

    def do_repeat(self) -> str:
        with waking(judge_next):
            begin_judge_repeat(judging_id=self.key("judging"), **self.who)
        return gettext("The repeat has started. Submissions waiting to be judged come first.")

    def do_stop(self) -> str:
        stop_judge_repeat(**self.who)
        return gettext("The repeat was stopped.")

    def context(self) -> dict[str, Any]:
        reports = AgreementReport.objects.filter(config=self.config).defer("labels")
        newest = reports.select_related("uploaded_by").first()
        numbers = newest.numbers if newest else {}
        judged = judged_submissions(self.config, label_boards(self.viewer))
        return {
            "report": newest,
            "numbers": numbers,
            "kinds": _named(numbers.get("kinds", ())),
            "enough_kappa": ENOUGH_KAPPA,
            "enough_recall": ENOUGH_RECALL,
            "kinds_allowed": ", ".join(KINDS),
            "metrics_allowed": ", ".join(METRICS),
            "to_label": [(place < CHECKED, one) for place, one in enumerate(judged[:LISTED])],
            "form": LabelItemsForm(auto_id="to_label_%s"),
            "limit": LABEL_BYTES,
            **self._repeat(),
        }

    def _repeat(self) -> dict[str, Any]:
        repeats = Repeat.objects.filter(config=self.config, config_hash=self.config.config_hash)
        repeats = repeats.select_related("judging__submission__team", "begun_by").defer("said")
        done = repeats.filter(state=Repeat.State.COMPLETE).first()
        going = repeats.filter(state=Repeat.State.WAITING).first()
        numbers = done.numbers if done else {}
        return {
            "repeat": done,
            "repeat_numbers": numbers,
            "repeat_kinds": _named(numbers.get("kinds", ())),
            "repeat_going": going,
            "most_flips": MOST,
            "samples": SAMPLES,
            **({} if going else self._choice()),
        }

    def _choice(self) -> dict[str, Any]:
        if self.config.state not in REPEATABLE:
            return {}
        refusal = why_not_repeated(self.config)
        found = list(repeatable(self.config, self.at)[:OFFERED]) if refusal is None else []
        asked = self.request.GET.get("judging", "")
        chosen = next((one for one in found if str(one.pk) == asked), found[0] if found else None)
        rows = rows_to_repeat(chosen) if chosen else []
        if not rows:
            why_not = refusal or nothing_to_repeat()
            return {"repeatable": found, "chosen": chosen, "not_repeated": why_not}
        texts = {example_id: text for example_id, _key, text in rows}
        return {
            "repeatable": found,
            "chosen": chosen,
            "repeat_rows": len(rows),
            "repeat_dry": estimate.repeating(self.config, texts=texts, times=SAMPLES),
        }


def _named(kinds: Iterable[dict[str, Any]]) -> list[tuple[Any, dict[str, Any]]]:
    return [(NAMES.get(one["kind"], one["kind"]), one) for one in kinds]


@page("desk/judge/<uuid:judge_id>/labels.csv", "desk_judge_labels")
class JudgeLabels(JudgePage):
    """`/c/<slug>/desk/judge/<id>/labels.csv?submission=…&dialogues=50&rater=`: what to label."""

    guards = (*JudgePage.guards, never_cache)

    def address(self) -> str:
        return reverse("desk_judge_agreement", args=[self.competition.slug, self.config.pk])

    def show(self, *, status: int = 200, **shown: Any) -> HttpResponse:
        form = LabelItemsForm(self.request.GET)
        judged = judged_submissions(self.config, label_boards(self.viewer))
        choices = list(judged.values_list("pk", flat=True))
        field = form.fields["submission"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(str(one), str(one)) for one in choices]
        if not form.is_valid():
            said = gettext("Choose submissions and the number of dialogues again.")
            messages.error(self.request, said)
            return self.done()
        wanted = form.cleaned_data
        try:
            data = label_file(
                self.viewer,
                self.config,
                submissions=wanted["submission"] or choices[:CHECKED],
                number=wanted["dialogues"] or form.fields["dialogues"].initial,
                rater=wanted["rater"],
            )
        except Refused as refusal:
            messages.error(self.request, spoken(refusal, "whole"))
            return self.done()
        return attachment(data, f"{self.competition.slug}-j{self.config.number}-labels.csv")
