"""What apps above these pages show on them and let people do there.

An app appends to a list, or adds to a dict, in its `ready()`.
"""

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.visit import Visit
from leaderboard.submissions.models import Submission
from leaderboard.web.find import WebRequest

SUBMISSION: list[Callable[[WebRequest, Visit, Submission], SafeString]] = []
"""Sections of a scored submission's page, for its team; empty where there is nothing to show."""

DESK_SUBMISSION: list[Callable[[WebRequest, Visit, Submission, bool], SafeString]] = []
"""Sections of a submission's page on the desk; the last argument: whether it counts on a board."""

DESK_VERBS: dict[str, Callable[[WebRequest, Submission], str]] = {}
"""More that an organizer decides about a submission, by the button's value; what to say after it.
Raises Refused."""

COMPARISON: list[Callable[[WebRequest, Visit, Submission, Submission], SafeString]] = []
"""Sections of the page that compares two submissions of a team."""

SENTENCES: dict[str, str | Promise] = {
    "dialogues": _(
        "개발 실험실이 읽습니다. ROUGE 점수에는 아무 영향이 없습니다. 사용 중인 정답이나 dev "
        "묶음의 모든 id에 대화가 하나씩 있어야 합니다."
    ),
    "contest_file": _(
        "둘 다 정답이 들어 있으니 남에게 주지 마세요. 점수, 비밀번호, 참가 코드, 이메일, 기록은 "
        "들어가지 않습니다. 누가 내보냈는지는 기록에 남습니다."
    ),
    "clone": _(
        "같은 화면과 룰과 정답으로 새 대회를 만듭니다. 사람과 제출은 없고, 정답은 초안이라 다른 "
        "것으로 바꿀 수 있습니다."
    ),
    "cloned": _("새 대회를 만들었습니다. 정답은 초안이니 보고 나서 적용해 주세요."),
}
"""What is said otherwise where an app above adds to what it is about."""
