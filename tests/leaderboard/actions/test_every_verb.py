"""What holds for every verb that there is: who may decide, and what an archived contest refuses."""

from typing import Any

import pytest

from leaderboard.actions.announcements import announce
from leaderboard.actions.ending import archive
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.visibility import may_read, viewer_of_address
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import lets_join, refusal
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import DialogueSet
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import JoinRequest
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.verbs import Verb, asked, verbs
from tests.leaderboard.web.stage import ROLES, Stage, build

pytestmark = pytest.mark.django_db

# What an archived contest does not hinder, and why.
LEFT_OUT = {
    **dict.fromkeys(
        (
            *("check", "look", "practise", "practise_row", "repair", "announcing", "member_of"),
            *("clean_team_name", "check_registration", "plain"),
        ),
        "reads, or counts looks",
    ),
    **dict.fromkeys(
        (*("deciding", "deciding_in_team", "rule_among", "found_team", "accept_terms_due"),),
        "a part of others",
    ),
    "accept_terms": "who reads the files of a finished contest accepts its terms",
    "archive": "it is how it comes back",
    "delete_competition": "it may be deleted from there",
    **dict.fromkeys(
        (
            *("close_account", "close_account_of", "export_account_of", "create_competition"),
            *("end_all_sessions", "end_session", "make_password_link", "use_password_link"),
            *("make_token", "end_token", "ask_for_mail", "confirm_mail", "remove_mail"),
            *("stop_mail", "choose_how_often"),
        ),
        "about no one contest",
    ),
    **dict.fromkeys(
        (
            *("check_references", "check_references_at_once", "announce_reveals"),
            *("evaluate_next", "fail", "fail_exhausted", "finish", "tell_scored"),
        ),
        "no person's doing: what was handed in is scored, a reveal comes when it is due",
    ),
}
ALICE = (
    *("leave", "hand_over", "remove_member", "ask_to_merge", "withdraw_merge"),
    *("invite_by_code", "invite_person", "revoke", "cancel", "choose_final", "choose_finals"),
    *("edit_note", "submit", "rename_team", "reply", "start_thread", "follow", "report"),
    *("mark_answer", "unmark_answer", "accept", "decline"),
)
WHO = {
    **dict.fromkeys(ALICE, "alice"),
    **dict.fromkeys(("accept_merge", "decline_merge", "delete_post", "edit_post"), "erin"),
    **dict.fromkeys(("join", "request_to_join", "withdraw_request"), "charlie"),
}


def values(stage: Stage) -> dict[str, Any]:
    """What each argument may be, by its name."""
    contest, olivia = stage.contest, builders.user("olivia")
    asked = {"competition": contest, "user": builders.user("henry"), "asked_at": NOON}
    failed = Evaluation.objects.filter(submission__team__competition=contest, state="failed")
    said = announce(competition=contest, user=olivia, text="내일 점검합니다", at=NOON)
    return {
        **{"competition": contest, "team": stage.alices, "submission": stage.best, "at": NOON},
        **{"thread": stage.reply.thread, "post": stage.reply},
        **{"merge": stage.question, "invitation": stage.invitation, "version": stage.draft},
        **{"data_file": stage.data_file, "evaluation": failed[0], "announcement": said},
        "request": JoinRequest.objects.create(team_name="새벽", **asked),
        "reference_set": contest.reference_sets.get(release__isnull=False),
        "dialogue_set": DialogueSet.objects.filter(competition=contest)[0],
        **{"upload": Upload("more.csv", builders.prediction_csv()), "wanted": {"title": "더"}},
        **{
            "files": [Upload("golds.csv", builders.gold_csv())],
            "dates": {"closes_at": builders.CLOSES},
        },
        **{"preset": "max-sum", "tokenizer": "mecab-ko", "kind": "question", "title": "제목"},
        **{"text": "bob,새벽", "reason": "까닭", "username": "bob", "name": "새 이름", "key": "k"},
        **{"role": "assistant", "registration": "open", "amount": 1, "held": True},
        **{"description": "", "description_en": "", "data": b"username\nstudent1\n", "seen": ""},
        **{"url": "https://hooks.example.org/T0", "format": "slack", "language": "ko"},
        **{"events": ("announced",), "follows": True, "pinned": True, "locked": True},
        **{"submission_ids": [], "note": "", "method_name": "", "approve": True, "terms": 1},
        **{"archived": True, "typed": contest.slug, "ticked": True},
    }


def test_an_archived_contest_refuses_every_verb() -> None:
    stage = build()
    known = values(stage)
    archive(competition=stage.contest, user=builders.user("olivia"), archived=True, at=NOON)
    for row in known.values():  # as a page finds it
        if hasattr(row, "refresh_from_db"):
            row.refresh_from_db()
    named = verbs()
    answers = {name: answer(name, named[name], known) for name in named.keys() - LEFT_OUT.keys()}
    assert {name: said for name, said in answers.items() if said != "archived"} == {}
    assert len(answers) > 70
    assert LEFT_OUT.keys() - named.keys() == set()


# What each role may decide beside those below it; the others' verbs are people's own.
OF_ASSISTANTS = {
    *("announce", "pin", "close", "hide_thread", "show_thread"),
    *("hide_post", "show_post", "dismiss_reports"),
}
OF_ADMINISTRATORS = {"archive", "delete_competition"}
OF_OWNERS = {"appoint", "dismiss", "remove_data_file", *OF_ADMINISTRATORS}


def test_nobody_decides_about_a_contest_who_may_not() -> None:
    stage = build()
    known, named = values(stage), verbs()
    deciding = named.keys() - {*LEFT_OUT, *WHO} | OF_OWNERS
    before = AuditEvent.objects.count()
    may = {"ada": OF_ASSISTANTS, "eddie": deciding - OF_OWNERS, "sue": OF_ADMINISTRATORS}
    for who in ("charlie", "oscar", "alice", "ada", "eddie", "sue"):
        ours = deciding - may.get(who, set())
        answers = {name: answer(name, named[name], known, who) for name in ours}
        owners = {name for name, said in answers.items() if said == "not_an_owner"}
        stranger = OF_ASSISTANTS if who in ("charlie", "oscar", "sue") else set()
        editors = {
            name
            for name, said in answers.items()
            if said == "not_an_editor" or (said == "not_in_forum" and name in stranger)
        }
        assert (owners, editors) == (OF_OWNERS & ours, ours - OF_OWNERS), who
    assert AuditEvent.objects.count() == before
    assert len(deciding) > 40


def answer(name: str, verb: Verb, known: dict[str, Any], who: str = "") -> str:
    user = builders.user(who or WHO.get(name, "olivia"))
    given = {one: user if one == "user" else known[one] for one in asked(verb, "terms")}
    if name == "upload_dialogues":
        given["upload"] = Upload("t.csv", builders.texts_csv({"talk_1": "가: 나"}, "dialogue"))
    if name == "revoke":
        given["invitation"] = known["invitation"].pk
    try:
        verb(**given)
    except Refused as refused:
        return refused.code
    return "done"


def test_pages_stay_readable_and_it_comes_back() -> None:
    contest = build().contest
    before = {role: readable(contest, role) for role in ROLES if role != "visitor"}
    archive(competition=contest, user=builders.user("olivia"), archived=True, at=NOON)
    assert {role: readable(contest, role) for role in before} == before
    contest.refresh_from_db()
    said = refusal(contest, NOON)
    assert said.message("en") == "This competition is archived: it can be read and not changed."
    assert said.message("ko") == "보관한 대회입니다. 읽을 수만 있고 바꿀 수는 없습니다."
    assert not lets_join(contest, NOON)
    archive(competition=contest, user=builders.user("olivia"), archived=False, at=NOON)
    contest.refresh_from_db()
    assert contest.state == Competition.State.ACTIVE
    assert refusal(contest, NOON) is None


def readable(contest: Competition, role: str) -> bool | None:
    seen = viewer_of_address(contest.slug, builders.user(role), NOON)
    return None if seen is None else may_read(seen)
