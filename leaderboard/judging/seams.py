"""Where the judge is joined to the rest, which names nothing of it.

`settings` and `tasks` are found by their names; pages add their addresses when imported.
"""

from django.core import checks
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.actions import versions
from leaderboard.audit import log
from leaderboard.boards import columns
from leaderboard.competitions import locking
from leaderboard.contest_file import check
from leaderboard.demo import seed
from leaderboard.judging import board, demo
from leaderboard.judging.actions.judgings import look_again
from leaderboard.judging.apps import judging_times
from leaderboard.judging.pages import config, items, results, trust  # noqa: F401
from leaderboard.judging.sweep import keep_judging
from leaderboard.web import fragments
from leaderboard.web.desk import audit
from leaderboard.web.templatetags import formatting
from leaderboard.worker import sweep

# The first row of Budget is that of all calls of a config, so whoever pays or settles under a
# config follows the one before. Answers and circuits are written under it.
LOCKED = [
    "judging.JudgeConfig",
    "judging.Budget",
    "judging.Reservation",
    "judging.Circuit",
    "judging.Judging",
    "judging.Build",
    "judging.Repeat",
]
KINDS = {
    "judge.created": gettext_lazy("Drafted a judge config"),
    "judge.copied": gettext_lazy("Judge config made from another"),
    "judge.edited": gettext_lazy("Changed a judge config"),
    "judge.sections_set": gettext_lazy("Changed the judge's sections and instructions"),
    "judge.reviewing": gettext_lazy("Made judge items"),
    "judge.items_reviewed": gettext_lazy("Reviewed judge items"),
    "judge.items_approved": gettext_lazy("Approved judge items at once"),
    "judge.frozen": gettext_lazy("Froze a judge config"),
    "judge.activated": gettext_lazy("Showed a judge column"),
    "judge.retired": gettext_lazy("Retired a judge config"),
    "judge.granted": gettext_lazy("Raised judge limits"),
    "judge.rejudged": gettext_lazy("Judged a submission again"),
    "judge.circuit_closed": gettext_lazy("Resumed calls to the judge server"),
    "judge.labels_uploaded": gettext_lazy("Uploaded people's labels"),
    "judge.repeat_begun": gettext_lazy("Started to repeat the judge's questions"),
    "judge.repeat_stopped": gettext_lazy("Stopped repeating the judge's questions"),
    "judge.requested": gettext_lazy("Requested that a submission be judged"),
}

FIELDS = {
    "judge": gettext_lazy("Judge config"),
    "model": gettext_lazy("Model"),
    "again": gettext_lazy("Dialogues with new items"),
    "sections": gettext_lazy("Section"),
    "example": gettext_lazy("Dialogues"),
    "changed": gettext_lazy("Items changed"),
    "added": gettext_lazy("Items added"),
    "items": gettext_lazy("Items"),
    "labels": gettext_lazy("Labels"),
    "was_shown": gettext_lazy("Was shown"),
    "calls_in_all": gettext_lazy("Limit of calls in total"),
    "calls_per_team_day": gettext_lazy("Calls per team and day"),
    "calls_per_submission": gettext_lazy("Calls per submission"),
}
NO_COLUMN = gettext_lazy(
    "Judge columns are not copied. To have one, make it again in the new competition."
)

SENTENCES = {
    "dialogues": gettext_lazy(
        "Used by judges and the dev lab; no ROUGE score depends on them. Every id of the live "
        "references or of the dev set needs its dialogue."
    ),
    "contest_file": gettext_lazy(
        "Both contain the references, so do not share them. They have no scores, judge columns, "
        "passwords, joining codes, mail addresses or log. The log records who exported."
    ),
    "clone": gettext_lazy(
        "A new competition with the same pages, rules and references. It has no people, "
        "submissions or judge columns. Its references are a draft that you can replace."
    ),
    "cloned": gettext_lazy(
        "The new competition was created. Its references are a draft: check them, then make them "
        "live. Judge columns were not copied."
    ),
}


def register() -> None:
    """Once a process, when the models are loaded."""
    checks.register(judging_times)
    before = locking.ORDER.index("community.Webhook")  # whatever is decided may be told there
    locking.ORDER[before:before] = LOCKED
    said = gettext_lazy("A language model's rating. It never decides the rank.")
    columns.ABOUT["judge"] = said
    for sources in (columns.SOURCES, columns.EXPORTED):
        sources.append(board.board_columns)
    versions.AFTER_SWITCH.append(look_again)
    sweep.STEPS.append(("judging", keep_judging))
    log.KINDS.update(KINDS)
    audit.FIELDS.update(FIELDS)
    formatting.QUEUES["judge"] = pgettext_lazy("worker", "judging")
    fragments.SENTENCES.update(SENTENCES)
    fragments.SUBMISSION.append(results.of_submission)
    fragments.DESK_SUBMISSION.append(results.of_desk_submission)
    fragments.DESK_VERBS["judge"] = results.ask_for
    fragments.COMPARISON.append(results.of_comparison)
    fragments.RANKING.append(results.of_ranking)
    seed.PARTS.append(demo.seed_judged)
    check.LEFT_BEHIND.append(NO_COLUMN)
