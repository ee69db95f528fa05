"""Guessing passwords is slow everywhere; nobody is locked out by it, and no classroom."""

import re
from dataclasses import replace

import pytest
from allauth.account import app_settings
from django.conf import settings
from django.core import signing
from django.test import Client
from django.utils import timezone

from leaderboard.accounts import sign_in
from leaderboard.accounts.models import User
from leaderboard.accounts.sign_in import BY_ACCOUNT_AND_ADDRESS, BY_DEVICE, SALT
from leaderboard.actions.people import make_password_link
from tests.leaderboard.builders import competition, user

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"
HOME, CAFE = "192.0.2.1", "192.0.2.2"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """An account is full after eight wrong passwords: thirty take as long as all else here."""
    monkeypatch.setattr(sign_in, "BY_ACCOUNT", replace(sign_in.BY_ACCOUNT, most=8))


def browser(address: str = HOME, language: str = "ko") -> Client:
    return Client(REMOTE_ADDR=address, headers={"accept-language": language})


def sign_in_as(name: str, client: Client, password: str | None = None) -> int:
    form = {"login": name, "password": password or f"{name}-secret"}
    return client.post(LOGIN, form).status_code


def guess(name: str, *, times: int, address: str = CAFE) -> list[int]:
    return [sign_in_as(name, browser(address), f"wrong-{n}") for n in range(times)]


def guess_from_everywhere(name: str) -> None:
    """As often as strangers may, from so many addresses that none of them is full."""
    for number in range(sign_in.BY_ACCOUNT.most):
        assert guess(name, times=1, address=f"198.51.100.{number}") == [200]


def test_guessing_is_stopped_even_for_the_right_password_and_says_for_how_long() -> None:
    user("alice")
    client = browser(CAFE)
    assert guess("alice", times=5) == [200] * 5
    answer = client.post(LOGIN, {"login": "alice", "password": "sixth-try"})
    assert answer.status_code == 429
    assert 295 <= int(answer.headers["Retry-After"]) <= 300
    assert 'value="alice"' in answer.text
    assert "sixth-try" not in answer.text
    assert sign_in_as("alice", client) == 429
    assert "_auth_user_id" not in client.session


def test_a_stranger_does_not_shut_the_owner_out_who_comes_from_elsewhere() -> None:
    user("alice")
    guess("alice", times=12)
    assert sign_in_as("alice", browser(HOME)) == 302


def test_only_a_device_of_before_passes_while_many_addresses_guess() -> None:
    user("alice")
    known = browser(HOME)
    assert sign_in_as("alice", known) == 302
    known.post("/accounts/logout/")
    guess_from_everywhere("alice")
    assert sign_in_as("alice", browser(HOME)) == 429  # right, but who would know
    assert sign_in_as("alice", known, "mistyped") == 200
    assert sign_in_as("ALICE", known) in (200, 302)  # whether case counts is the database's
    assert sign_in_as("alice", known) == 302


def test_signing_up_makes_the_device_known() -> None:
    known = browser()
    fields = {"username": "nina", "password1": "purple-otter-9", "password2": "purple-otter-9"}
    assert known.post("/accounts/signup/", fields).status_code == 302
    known.post("/accounts/logout/")
    guess_from_everywhere("nina")
    assert sign_in_as("nina", browser(), "purple-otter-9") == 429
    assert sign_in_as("nina", known, "purple-otter-9") == 302


def test_the_cookie_is_hidden_long_lived_and_no_sign_in() -> None:
    user("alice")
    known = browser()
    sign_in_as("alice", known)
    cookie = known.cookies["device"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/accounts/")
    assert cookie["max-age"] == 365 * 24 * 60 * 60
    thief = browser()
    thief.cookies["device"] = cookie.value
    assert thief.get("/settings").status_code == 302
    assert "alice" not in cookie.value


def test_a_changed_password_ends_what_other_devices_know_and_renews_ones_own() -> None:
    user("alice")
    here, there = browser(), browser()
    for device in (here, there):
        sign_in_as("alice", device)
    there.post("/accounts/logout/")
    form = {
        "oldpassword": "alice-secret",
        "password1": "purple-otter-9",
        "password2": "purple-otter-9",
    }
    assert here.post("/accounts/password/change/", form).status_code == 302
    here.post("/accounts/logout/")
    guess_from_everywhere("alice")
    assert sign_in_as("alice", there, "purple-otter-9") == 429
    assert sign_in_as("alice", here, "purple-otter-9") == 302


def test_a_password_link_lets_the_owner_in_while_many_addresses_guess() -> None:
    alice, new = user("alice"), browser()
    guess_from_everywhere("alice")
    token = make_password_link(user=alice, made_by=None, at=timezone.now())
    form = {"token": token, "password1": "purple-otter-9", "password2": "purple-otter-9"}
    assert new.post("/accounts/password/link", form).status_code == 302
    assert sign_in_as("alice", new, "purple-otter-9") == 302


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "x",
        "1",
        ":::",
        '"{}"'.format(r"\000\351" * 50),  # as cookies write what is no letter
        "e30:1a:" + "A" * 43,
        signing.dumps({"1": "0" * 32}, salt="another salt"),
        signing.dumps({"1": "0" * 32}, key="another key", salt=SALT),
        "{}".format("a" * 4000),
    ],
)
def test_a_forged_cookie_is_no_device(forged: str) -> None:
    user("alice")
    stranger = browser(CAFE)
    stranger.defaults["HTTP_COOKIE"] = f"device={forged}"  # a client would not write each
    answers = [sign_in_as("alice", stranger, "wrong") for _ in range(6)]
    assert answers == [200] * BY_ACCOUNT_AND_ADDRESS.most + [429]


def test_another_persons_cookie_does_not_pass_for_alice() -> None:
    user("alice")
    user("mallory")
    mallory = browser()
    sign_in_as("mallory", mallory)
    sealed = mallory.cookies["device"].value
    mallory.post("/accounts/logout/")
    guess_from_everywhere("alice")
    assert sign_in_as("alice", mallory) == 429
    # The seal covers every sign of it: another account's number cannot be written in.
    payload, rest = sealed.split(":", 1)
    alices = signing.dumps({str(User.objects.get(username="alice").pk): "0" * 32}).split(":")[0]
    mallory.cookies["device"] = f"{alices}:{rest}"
    assert payload != alices
    assert sign_in_as("alice", mallory) == 429


def test_a_name_that_nobody_has_is_answered_as_one_that_somebody_has() -> None:
    user("alice")
    User.objects.filter(pk=user("gone").pk).update(is_active=False)
    token = re.compile(r'value="[^"]{64}"|nonce="[^"]+"|value="[a-z-]+"')
    pages = {}
    for name in ("alice", "no-such-name", "gone"):
        client = browser(f"203.0.113.{len(pages)}")
        answers = [client.post(LOGIN, {"login": name, "password": "wrong"}) for _ in range(7)]
        pages[name] = [
            (a.status_code, "Retry-After" in a.headers, token.sub("", a.text)) for a in answers
        ]
        assert [page[0] for page in pages[name]] == [200] * 5 + [429] * 2
    assert pages["alice"] == pages["no-such-name"] == pages["gone"]


def test_all_spellings_that_find_an_account_share_its_count() -> None:
    for other in ("ALICE", " alice ", "ａｌｉｃｅ", "alıce", "alice"):
        assert sign_in.folded(other) == sign_in.folded("alice")
    assert sign_in.folded("alice2") != sign_in.folded("alice")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),  # a customer has a whole /64
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.9", "192.0.2.9", True),
        ("192.0.2.8", "192.0.2.9", False),
    ],
)
def test_an_address_is_what_one_customer_has(one: str, other: str, same: bool) -> None:
    user("alice")
    assert guess("alice", times=6, address=one)[-1] == 429
    assert (guess("alice", times=1, address=other) == [429]) is same


def test_a_page_with_a_password_field_behind_the_sign_in_is_limited_too() -> None:
    user("alice")
    thief = browser()
    thief.force_login(user("alice"), "django.contrib.auth.backends.ModelBackend")
    form = {"password1": "purple-otter-9", "password2": "purple-otter-9"}
    change = "/accounts/password/change/"
    answers = [
        thief.post(change, {"oldpassword": "wrong", **form}).status_code
        for _ in range(BY_ACCOUNT_AND_ADDRESS.most)
    ]
    assert answers == [200] * BY_ACCOUNT_AND_ADDRESS.most
    last = thief.post(change, {"oldpassword": "alice-secret", **form})
    assert (last.status_code, int(last.headers["Retry-After"]) > 0) == (429, True)
    assert thief.post("/accounts/reauthenticate/", {"password": "alice-secret"}).status_code == 429
    last = thief.post("/accounts/close", {"password": "alice-secret", "sure": "on"})
    assert (last.status_code, int(last.headers["Retry-After"]) > 0) == (429, True)
    assert user("alice").is_active


def test_the_page_that_closes_an_account_counts_wrong_passwords_and_no_right_ones() -> None:
    competition()  # olivia is its only owner, so her right password is refused as well
    thief = browser()
    thief.force_login(user("olivia"), "django.contrib.auth.backends.ModelBackend")

    def close(password: str) -> int:
        form = {"password": password, "sure": "on"}
        return thief.post("/accounts/close", form).status_code

    most = BY_ACCOUNT_AND_ADDRESS.most
    assert [close("olivia-secret") for _ in range(most + 1)] == [409] * (most + 1)
    assert [close("wrong") for _ in range(most + 1)] == [422] * most + [429]
    assert close("olivia-secret") == 429
    assert sign_in_as("olivia", browser(HOME)) == 429


def test_sign_ups_of_one_address_are_limited_and_keep_what_was_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = sign_in.Limit("sign_up.address", 2, sign_in.MINUTE)
    monkeypatch.setattr(sign_in, "SIGN_UPS", few)
    answers = []
    for number in range(3):
        form = {"username": f"nina{number}", "password1": "purple-otter-9"}
        answers.append(
            browser().post("/accounts/signup/", {**form, "password2": form["password1"]})
        )
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert 'value="nina2"' in answers[2].text
    assert "1분 뒤에" in answers[2].text
    assert not User.objects.filter(username="nina2").exists()


@pytest.mark.whole
def test_a_classroom_behind_one_address_is_not_shut_out_by_its_typing_errors() -> None:
    for number in range(40):
        name, password = f"student{number}", "purple-otter-9"
        form = {"username": name, "password1": password, "password2": password}
        assert browser().post("/accounts/signup/", form).status_code == 302
        assert guess(name, times=2, address=HOME) == [200, 200]
        assert sign_in_as(name, browser(), password) == 302


def test_no_other_limiter_and_no_cache_that_unpickles() -> None:
    """Whoever could write to a cache of pickles ran code here; there is none, nor a use for one."""
    assert app_settings.RATE_LIMITS == {}  # counted in the cache, if there were any
    backends = [cache["BACKEND"] for cache in settings.CACHES.values()]
    assert backends == ["django.core.cache.backends.dummy.DummyCache"]
    assert settings.SESSION_ENGINE == "django.contrib.sessions.backends.db"
    assert settings.SESSION_SERIALIZER.endswith("JSONSerializer")


def test_signing_in_as_oneself_makes_a_shared_device_no_new_one() -> None:
    """On a computer of a lab, a new count came with each sign-in to one's own account."""
    for name in ("alice", "mallory"):
        user(name)
    client = browser()
    assert sign_in_as("alice", client) == 302
    answers = []
    for cycle in range(2):
        client.post("/accounts/logout/")
        assert sign_in_as("mallory", client) == 302
        client.post("/accounts/logout/")
        answers += [sign_in_as("alice", client, f"wrong-{cycle}-{n}") for n in range(8)]
    assert answers == [200] * BY_DEVICE.most + [429] * (16 - BY_DEVICE.most)


def test_people_sign_in_whatever_a_proxy_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """More proxies counted than there are was a 500 for everybody."""
    for count in [0, 1, 2, 3]:
        for header in [
            None,
            "",
            "198.51.100.1",
            "198.51.100.1, 198.51.100.2",
            "junk",
            "unknown",
            "a" * 5000,
        ]:
            monkeypatch.setattr(settings, "ALLAUTH_TRUSTED_PROXY_COUNT", count)
            user("alice")
            client = browser()
            headers = {} if header is None else {"x-forwarded-for": header}
            form = {"login": "alice", "password": "alice-secret"}
            assert client.post(LOGIN, form, headers=headers).status_code == 302
