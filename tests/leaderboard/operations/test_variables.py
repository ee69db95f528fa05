"""Every variable that the code reads stands in docs/operating.md with its default, and no other."""

import ast
import re
from pathlib import Path

import pytest
import yaml
from django.apps import apps

from leaderboard.operations.variables import FORMS, check
from tests.servers import ROOT, product

READERS = {"env", "environ", "os.environ"}
FILES = [*ROOT.glob("leaderboard/**/*.py"), ROOT / "gunicorn.conf.py"]
# What Python and Django read under these names is described by them.
THEIRS = {"DJANGO_SETTINGS_MODULE"}
# Part of the names of the variables that an optional app reads.
OPTIONAL = {"leaderboard.judging": "JUDGE", "leaderboard.kaggle": "KAGGLE"}
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([^|]*) \|", re.MULTILINE)


def variables() -> dict[str, ast.expr | None]:
    """Name -> default, of each call that reads the environment by a name that is written there."""
    found: dict[str, ast.expr | None] = {}
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.args[0]
            if not isinstance(name, ast.Constant) or not _reads(node.func):
                continue
            default = [word.value for word in node.keywords if word.arg == "default"]
            found[str(name.value)] = (default or [found.get(str(name.value)), *node.args[1:]])[-1]
    return found


def _reads(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return ast.unparse(function.value) in READERS and function.attr != "setdefault"
    return ast.unparse(function) == "is_said"


def documented() -> dict[str, str]:
    text = (ROOT / "docs/operating.md").read_text().split("## Every variable")[1]
    found = dict(ROW.findall(text.split("\n## ")[0]))
    return {name: default for name, default in found.items() if not _is_left_out(name)}


def _is_left_out(name: str) -> bool:
    return any(word in name and not apps.is_installed(app) for app, word in OPTIONAL.items())


def test_the_table_names_what_the_code_reads() -> None:
    read = {name for name in variables() if re.fullmatch("[A-Z_]+", name)} - THEIRS
    assert len(read) > 50
    assert read == documented().keys()
    assert list(documented()) == sorted(documented())


def test_a_process_knows_the_names_that_the_table_has() -> None:
    """So that it can tell a value that means nothing."""
    assert documented().keys() == FORMS.keys()


# What a variable of its own form cannot hold.
WRONG = {
    "ALARM_WEBHOOK": ("hooks.example.org", "https://", "ftp://canary"),
    "ALLOWED_HOSTS": ("https://contest.example.org", "a b", "a,,b"),
    "BASE_URL": ("canary.example.org", "https://"),
    "CELERY_BROKER_URL": ("kafka://canary", "redis", "localhost:6379"),
    "DATABASE_URL": ("mysql://canary@h/n", "oracle9://x", "contest"),
    "EMAIL_URL": ("canary:25", "smtp://", "imap://mail.example.org"),
    "ENV_FILE": ("/no/such/file",),
    "FORWARDED_ALLOW_IPS": ("proxy", "192.168.1.1/24"),
    "HOST": ("http://0.0.0.0", "a b"),
    "JUDGE_ALLOWED_HOSTS": ("judge.example.org", "https://judge:8000"),
    "JUDGE_API_KEY": ("canary with blanks", "열쇠"),
    "JUDGE_BASE_URL": ("judge:8000",),
    "JUDGE_ENDPOINTS": ("3", "{", '{"a": {}}', '{"a": "https://canary"}', '{"a": {"base_url": 1}}'),
    "MAIL_FROM": ("nobody", "a@b\nBcc: c@d"),
    "METRICS_TOKEN": ("two words", "비밀"),
    "SENTRY_DSN": ("canary", "https://sentry.example.org/1", "https://key@sentry.example.org/"),
    "STORAGE_URL": ("ftp://canary", "/mnt/files"),
    "TIME_ZONE": ("Asia/Soul", "Asia", "../x"),
    "WEBHOOK_ALLOWED_HOSTS": ("chat.example.org",),
}
# Any text is a key; a folder is tried by making it (below).
UNCHECKED = {"CELERY_KEY_PREFIX", "SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATA_DIR"}


def cannot_hold(name: str) -> tuple[str, ...]:
    """Texts of another kind, and what lies just outside of its range."""
    words = FORMS[name].words
    if bounds := re.search(r"number from (\S+) to (\S+)$", words):
        least, most = map(float, bounds.groups())
        return (f"{least - 1:.0f}", f"{most + 1:.0f}", "many", "", "nan")
    if words == "1 or 0" or words.startswith("one of "):
        return ("maybe",)
    return WRONG[name]


@pytest.mark.parametrize("name", sorted(FORMS.keys() - UNCHECKED))
def test_a_value_that_means_nothing_ends_with_one_line_that_names_variable_and_range(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for value in cannot_hold(name):
        monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            check({name: FORMS[name]})
        assert ended.value.code == f"{name} has to be {FORMS[name].words}: see docs/operating.md."
        assert "canary" not in FORMS[name].words


def test_what_the_pages_name_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Defaults of the table, the example's lines, and the least and the most of a range."""
    said = {name: text.strip("`") for name, text in documented().items() if text[0] == "`"}
    values = [(name, text) for name, text in said.items() if "`" not in text and "PORT" not in text]
    values += re.findall(r"^# ([A-Z_]+)=(.+)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
    for name, form in FORMS.items():
        values += [(name, bound) for bound in re.findall(r"from (\S+) to (\S+)$", form.words)[:1]]
        values += [(name, "1"), (name, "False")] if form.words == "1 or 0" else []
    assert len(values) > 90
    for name, value in values:
        for text in [value] if isinstance(value, str) else value:
            monkeypatch.setenv(name, text)
        if name not in ("DATA_DIR", "ENV_FILE"):
            check({name: FORMS[name]})


@pytest.mark.faults
@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["manage.py", "check"], "DATA_DIR", "/proc/canary"),
        (["manage.py", "check"], "BASE_URL", "https://[canary"),
        (["-m", "celery", "-A", "leaderboard", "worker"], "LOG_LEVEL", "loud"),
        (["-m", "gunicorn", "leaderboard.wsgi"], "WEB_WORKERS", "0"),
        (["-m", "leaderboard.operations.up"], "SWEEP_SECONDS", "-1"),
    ],
)
def test_each_process_ends_with_that_line(
    tmp_path: Path, words: list[str], name: str, value: str
) -> None:
    done = product(*words, **{"DATA_DIR": str(tmp_path), name: value})
    assert done.returncode == 1
    assert done.stderr == f"{name} has to be {FORMS[name].words}: see docs/operating.md.\n"


def test_the_table_says_the_defaults() -> None:
    said = documented()
    wrong = {}
    for name, default in variables().items():
        if name in said and isinstance(default, ast.Constant) and default.value is not None:
            value = default.value
            expected = {"none"} if value == "" else {f"`{value}`", f"`{value!r}`"}
            if said[name] not in expected and name not in {"SECRET_KEY"}:
                wrong[name] = (said[name], value)
    assert wrong == {}


def test_the_example_names_no_other() -> None:
    text = (ROOT / ".env.example").read_text()
    assert set(re.findall(r"^# ([A-Z_]+)=", text, re.MULTILINE)) <= documented().keys()


def test_what_compose_asks_for_is_documented() -> None:
    asked = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "compose.yaml").read_text()))
    docs = (ROOT / "docs/operating.md").read_text()
    assert [name for name in asked if f"`{name}`" not in docs] == []


# What a container's image or its network says, and what is for a laptop alone.
NOT_OF_COMPOSE = {"DATA_DIR", "ENV_FILE", "HOST", "PORT", "DEBUG", "JUDGE", "FAKE_JUDGE_PORT"}
# Several judges with their keys: whoever has them writes a service of their own.
NOT_OF_COMPOSE |= {"JUDGE_ENDPOINTS"}


def test_compose_passes_on_every_variable() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    passed = {name for one in services.values() for name in one.get("environment", {})}
    assert documented().keys() - passed - NOT_OF_COMPOSE == set()
