"""Guessing passwords is slowed down at every door; a classroom behind one address is not."""

import pytest
from django.test import Client

from tests.leaderboard.builders import user

pytestmark = pytest.mark.django_db


def test_guessing_one_account_is_stopped_even_for_the_right_password() -> None:
    user("alice")
    client = Client()
    for _ in range(6):
        client.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    client.post("/accounts/login/", {"login": "alice", "password": "alice-secret"})
    assert "_auth_user_id" not in client.session


def test_the_administrators_door_is_the_same_door() -> None:
    answer = Client().get("/admin/login/?next=/admin/")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/accounts/login/")


def test_forty_people_of_a_class_sign_up_and_in_within_a_minute() -> None:
    for number in range(40):
        client = Client()
        fields = {
            "username": f"student{number}",
            "password1": "purple-otter-9",
            "password2": "purple-otter-9",
        }
        assert client.post("/accounts/signup/", fields).status_code == 302
        again = Client()
        form = {"login": f"student{number}", "password": "purple-otter-9"}
        assert again.post("/accounts/login/", form).status_code == 302
