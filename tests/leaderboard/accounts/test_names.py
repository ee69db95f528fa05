"""Names that could be taken for another's, or that nobody can read: refused, with the reason."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.accounts import taken_problem
from leaderboard.accounts.models import HeldName, User
from leaderboard.accounts.names import tidy
from leaderboard.accounts.sign_in import AccountAdapter
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.closing import close_account
from leaderboard.actions.registration import join
from leaderboard.competitions.models import Competition
from leaderboard.refusals import Refused
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, user
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-new-one-7"
TAKEN, INVISIBLE = "name_taken", "name_invisible"
EMPTY, RESERVED = "name_empty", "name_reserved"

# With the account `olivia` and the team `두괄식 AI` there already.
USERNAMES = {
    INVISIBLE: (
        *("olivia\u3164", "olivia\uffa0", "olivia\u115f", "olivia\u1160"),  # fillers of Hangul
        *("o\u200blivia", "o\u200dlivia", "olivia\u2060", "olivia\u00ad", "olivia\u034f"),
        *("\u202eaivilo", "\u2066olivia\u2069", "olivia\ufe0f", "olivia\U000e0101"),
        *("olivia\U000e0041", "olivia\ue000", "o\u0323\u0325\u0330\u0331livia"),
    ),
    EMPTY: ("\u3164", "\u0301"),
    TAKEN: (
        *("\u043elivia", "\u03bflivia"),  # Cyrillic and Greek о
        *("\uff4flivia", "\U0001d4f8livia", "\u1d0flivia"),  # full width, mathematical, small
        *("oIivia", "ol1via"),
    ),
    RESERVED: ("admin", "a.d.m.i.n", "r00t", "관리자", "기준선", "baseline", "탈퇴-00ff00ff00ff"),
}
TEAMS = {
    INVISIBLE: (
        *("두괄식 AI\u3164", "두괄식\u200b AI", "\u202e두괄식 AI", "두괄식\u2800AI"),
        *("팀\ufe0f", "팀\uf8ff", "팀 \u0301\u0301\u0301가"),
    ),
    EMPTY: ("\u3164 \u3164", "\u2800", "\ufe0f\u200d", "\u0301 \u0308"),
    TAKEN: (
        *("두괄식 \u0410I", "두괄식  AI", "두괄식 A1", "두괄식\u3000AI"),
        "\u1103\u116e\u1100\u116a\u11af\u1109\u1175\u11a8 AI",  # decomposed
    ),
    "name_long": ("가" * 41,),
    RESERVED: ("기준선", "기준 선 2", "Base-line", "★관리자★", "탈퇴한 팀 7"),
}


def contest() -> Competition:
    made = builders.competition()
    join(user=user("alice"), competition=made, team_name="두괄식 AI", at=NOON)
    return made


def sign_up(name: str, language: str = "ko") -> tuple[int, str]:
    visitor = Client(headers={"accept-language": language})
    sent = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    answer = visitor.post("/accounts/signup/", sent)
    return answer.status_code, answer.text


def test_no_lookalike_invisible_or_reserved_username_signs_up() -> None:
    user("olivia")
    for code, names in USERNAMES.items():
        for name in names:
            with pytest.raises(ValidationError) as refused:
                AccountAdapter().clean_username(name)
            assert refused.value.code == code, ascii(name)
    assert "Somebody already has this name" in sign_up("OLIVIA", "en")[1]
    assert list(User.objects.values_list("username", flat=True)) == ["olivia"]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("김민수", "김민수"),
        ("20261234", "20261234"),
        ("ｋｉｍ", "kim"),
        ("jos\u0065\u0301", "jos\u00e9"),
        ("Волк", "Волк"),
        ("a.b+c_d@e", "a.b+c_d@e"),
    ],
)
def test_names_of_one_script_are_welcome_and_kept_in_one_form(typed: str, kept: str) -> None:
    user("olivia")
    assert sign_up(typed)[0] == 302
    person = User.objects.get(username=kept)
    assert person.skeleton == skeleton(typed)


def test_no_lookalike_invisible_or_reserved_team_joins() -> None:
    made = contest()
    for code, names in TEAMS.items():
        for name in names:
            with pytest.raises(Refused) as refused:
                join(user=user("bob"), competition=made, team_name=name, at=NOON)
            assert refused.value.code == code, ascii(name)
    assert Team.objects.count() == 1


def test_a_team_has_a_humane_name() -> None:
    made = contest()
    for name in (
        *("요약왕 ㅋㅋ", "👨‍👩‍👧 가족", "👩🏽‍💻 개발", "1️⃣조", "C++ 팀", "각가"),
        *("탈퇴 직전", "β-VAE", "山田チーム", "기준선 넘기", "공식: y = ax"),
    ):
        assert join(user=user(f"of {name}"), competition=made, team_name=name, at=NOON).name == (
            tidy(name)
        )


def test_a_lookalike_is_refused_by_the_database_itself() -> None:
    user("olivia")
    with pytest.raises(IntegrityError):
        User.objects.create(username="oIivia")


def test_a_person_without_a_choice_gets_a_free_name_beside_a_lookalike() -> None:
    made = builders.competition()
    join(user=user("alice"), competition=made, team_name="B0B", at=NOON)
    assert join(user=user("bob"), competition=made, at=NOON).name == "bob 2"
    # An account that an administrator made may stand where a chosen name may not.
    assert join(user=user("admin"), competition=made, at=NOON).name == "admin"
    odd = User(username="\u3164x" + "가" * 60)  # from before the policy
    odd.save()
    assert join(user=odd, competition=made, at=NOON).name == "x" + "가" * 39


def test_two_who_sign_up_as_lookalikes_at_once_choose_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user("olivia")
    # The other one came in after this one's name was found free.
    monkeypatch.setattr("leaderboard.accounts.sign_in.taken_problem", lambda *_a, **_k: None)
    visitor = Client()
    sent = {"username": "0livia", "password1": PASSWORD, "password2": PASSWORD}
    answer = visitor.post("/accounts/signup/", sent, follow=True)
    assert answer.redirect_chain == [("/accounts/signup/", 302)]
    assert "비슷해 보이는 이름을 이미 다른 사람이 씁니다" in answer.text


def test_administrators_meet_the_policy_and_can_still_suspend_an_old_lookalike() -> None:
    user("olivia")
    old = User(username="olivia\u3164", skeleton=f"{skeleton('olivia')}\x1f2")
    old.save()
    User.objects.filter(pk=user("sue").pk).update(is_superuser=True, is_staff=True)
    sue = browser("sue")
    sent = {"username": "0livia", "password1": PASSWORD, "password2": PASSWORD}
    sent["usable_password"] = "true"
    refused = sue.post("/admin/accounts/user/add/", sent)
    assert "비슷해 보이는 이름" in refused.text
    assert sue.post("/admin/accounts/user/add/", {**sent, "username": "관리자"}).status_code == 302
    when = {"date_joined_0": "2026-11-01", "date_joined_1": "00:00:00"}
    kept = {"username": old.username, "language": "ko", **when}  # no is_active: suspended
    assert sue.post(f"/admin/accounts/user/{old.pk}/change/", kept).status_code == 302
    old.refresh_from_db()
    assert (old.is_active, old.skeleton) == (False, f"{skeleton('olivia')}\x1f2")
    renamed = sue.post(f"/admin/accounts/user/{old.pk}/change/", {**kept, "username": "OIivia"})
    assert "비슷해 보이는 이름" in renamed.text
    with pytest.raises(CommandError, match=r"U\+3164"):
        call_command(
            "createsuperuser", "--noinput", "--username=r\u3164t", "--email=r@school.example"
        )


def test_a_closed_accounts_name_stays_free_of_others_for_a_time() -> None:
    user("alice")
    close_account(user=user("alice"), password="alice-secret", at=NOON)
    held = HeldName.objects.get()
    assert "alice" not in held.skeleton_hmac
    assert skeleton("alice") not in held.skeleton_hmac
    for name in ("alice", "AIice", "a1ice"):
        problem = taken_problem(name, at=NOON + timedelta(days=89))
        assert problem.code == "name_held"
        assert taken_problem(name, at=NOON + timedelta(days=90)) is None
    HeldName.objects.update(until=timezone.now() + timedelta(days=1))
    assert "90일 동안 아무도 쓸 수 없습니다" in sign_up("alice")[1]
    later = NOON + timedelta(days=200)
    close_account(user=user("bob"), password="bob-secret", at=later)
    assert [row.until for row in HeldName.objects.all()] == [later + timedelta(days=90)]
