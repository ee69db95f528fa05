"""Where the judge is joined to the rest: all of it stands here, and the rest names nothing of it.

Besides, `urls`, `settings`, `tasks` and `admin` of this app are found by their names.
"""

from django.core import checks
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.actions import versions
from leaderboard.boards import columns
from leaderboard.competitions import locking
from leaderboard.contest_file import files, layout
from leaderboard.demo import seed
from leaderboard.judging import demo
from leaderboard.judging.board import board_columns
from leaderboard.judging.checks import judging_times
from leaderboard.judging.intake import look_again
from leaderboard.judging.pages import sections
from leaderboard.judging.sweep import keep_judging
from leaderboard.web import navigation, pieces
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
    "judge.created": gettext_lazy("심사 설정 초안을 만듦"),
    "judge.copied": gettext_lazy("심사 설정을 이어 만듦"),
    "judge.edited": gettext_lazy("심사 설정을 바꿈"),
    "judge.sections_set": gettext_lazy("심사의 부분과 지시를 정함"),
    "judge.reviewing": gettext_lazy("심사 항목을 만들게 함"),
    "judge.items_reviewed": gettext_lazy("심사 항목을 검토함"),
    "judge.items_approved": gettext_lazy("심사 항목을 한꺼번에 승인함"),
    "judge.frozen": gettext_lazy("심사 설정을 고정함"),
    "judge.activated": gettext_lazy("심사 열을 보이게 함"),
    "judge.retired": gettext_lazy("심사 설정을 그만 씀"),
    "judge.granted": gettext_lazy("심사 한도를 늘림"),
    "judge.rejudged": gettext_lazy("제출을 다시 심사함"),
    "judge.circuit_closed": gettext_lazy("심사 서버에 다시 묻게 함"),
    "judge.labels_uploaded": gettext_lazy("사람의 라벨을 올림"),
    "judge.repeat_begun": gettext_lazy("심사의 되풀이를 재기 시작함"),
    "judge.repeat_stopped": gettext_lazy("심사의 되풀이를 그만둠"),
    "judge.requested": gettext_lazy("제출의 심사를 부탁함"),
}

STAYS_BEHIND = {
    **dict.fromkeys(
        ("JudgeConfig", "Section", "Artefact", "BuiltDialogue", "Build", "AgreementReport"),
        "a judge column belongs to the server whose operator gave the judge's address",
    ),
    **dict.fromkeys(("Circuit", "Reservation", "Budget"), "of one server's judge"),
    **dict.fromkeys(
        ("StoredCall", "Judging", "Judgment", "ColumnValue", "Answerer", "Repeat"),
        "scores of a judge",
    ),
}
NO_COLUMN = (
    "심사 열(언어 모델)은 따라오지 않습니다. 쓰려면 새 대회에서 새로 만들어 주세요.",
    "No judge column comes along. To have one, make it anew in the new contest.",
)

SENTENCES = {
    "dialogues": gettext_lazy(
        "심사 모델과 개발 실험실이 읽습니다. ROUGE 점수에는 아무 영향이 없습니다. 사용 중인 "
        "정답이나 dev 묶음의 모든 id에 대화가 하나씩 있어야 합니다."
    ),
    "contest_file": gettext_lazy(
        "둘 다 정답이 들어 있으니 남에게 주지 마세요. 점수, 심사 열(설정과 답), 비밀번호, "
        "참가 코드, 이메일, 기록은 들어가지 않습니다. 누가 내보냈는지는 기록에 남습니다."
    ),
    "clone": gettext_lazy(
        "같은 화면과 룰과 정답으로 새 대회를 만듭니다. 사람과 제출, 심사 열은 없고, 정답은 "
        "초안이라 다른 것으로 바꿀 수 있습니다."
    ),
    "cloned": gettext_lazy(
        "새 대회를 만들었습니다. 정답은 초안이니 보고 나서 적용해 주세요. 심사 열은 따라오지 "
        "않았습니다."
    ),
}


def register() -> None:
    """Once a process, when the models are loaded."""
    checks.register(judging_times)
    locking.ORDER.extend(LOCKED)
    columns.SOURCES.append(board_columns)
    versions.AFTER_SWITCH.append(look_again)
    sweep.STEPS.append(("judging", keep_judging))
    label = pgettext_lazy("desk", "심사 열")
    navigation.ENTRIES.append(navigation.Entry("desk_judge", label, navigation.SCORING))
    audit.KINDS.update(KINDS)
    audit.FIELDS["judge"] = gettext_lazy("심사 설정")
    formatting.QUEUES["judge"] = pgettext_lazy("worker", "심사")
    pieces.SENTENCES.update(SENTENCES)
    pieces.SUBMISSION.append(sections.of_submission)
    pieces.DESK_SUBMISSION.append(sections.of_desk_submission)
    pieces.DESK_VERBS["judge"] = sections.ask_for
    pieces.COMPARISON.append(sections.of_comparison)
    seed.PARTS.append(demo.seed_judged)
    files.LEFT_BEHIND.append(NO_COLUMN)
    layout.TABLES_NOT_EXPORTED.update(STAYS_BEHIND)
