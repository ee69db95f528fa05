"""`./run check`: everything that can be known without running the tests. One line a check.

All checks run, whatever fails. What a laptop lacks (gettext, the network) is said and passes;
with CI=true a missing program fails.
"""

import ast
import gettext
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CODE = ["leaderboard", "scoring", "tests", "benchmarks", ".ci", "manage.py", "gunicorn.conf.py"]
LONGEST_OUTPUT = 80  # lines of a failing check; its own tool shows the rest
AUDIT_OPTIONS = ["--no-deps", "--disable-pip", "--format=json", "--progress-spinner=off"]
SCORING = ROOT / "scoring" / "locale" / "ko" / "LC_MESSAGES" / "scoring.po"
EXPORTS = {
    "requirements.txt": ["--no-hashes", "--no-dev"],
    # What a server installs is compared with the hashes of the lock file.
    "requirements-prod.txt": ["--no-dev", "--extra", "prod"],
    "requirements-judge.txt": ["--no-dev", "--extra", "judge"],
    "requirements-dev.txt": ["--no-hashes", "--extra", "prod", "--extra", "judge"],
}
COPIED_WITHOUT = shutil.ignore_patterns("static", "__pycache__")  # which a test may just write
LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")  # to a file of the project
# Stands before what is exported: built from source, the binding takes whatever MeCab it finds.
NEVER_BUILT = "--only-binary python-mecab-ko"


class Outcome(NamedTuple):
    """`failed` says whether the whole check fails; `remark` follows on the line."""

    failed: bool
    remark: str = ""
    output: str = ""


def run(*command: str, **env: str) -> Outcome:
    """Run a program from the project's folder; it fails when its exit code is not 0."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**ENVIRONMENT, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode != 0, output=done.stdout + done.stderr)


def tool(name: str, *arguments: str) -> Callable[[], Outcome]:
    """A check that is one program of the virtual environment."""
    return lambda: run(str(BIN / name), *arguments)


def existing(*names: str) -> list[str]:
    return [name for name in names if (ROOT / name).exists()]


def manage(*arguments: str, **env: str) -> Outcome:
    return run(sys.executable, "manage.py", *arguments, **env)


def deployment() -> Outcome:
    """Django's own advice for production, with production's values and HSTS in full."""
    values = {"BASE_URL": "https://leaderboard.example.org", "SECRET_KEY": os.urandom(40).hex()}
    values |= {"HSTS_SUBDOMAINS": "1", "HSTS_PRELOAD": "1"}
    return manage("check", "--deploy", "--fail-level", "WARNING", **values)


def requirements() -> Outcome:
    """The exported files say what uv.lock says, and that says what pyproject.toml says."""
    stale = []
    for name, options in EXPORTS.items():
        export = run(str(BIN / "uv"), "export", "--locked", "--quiet", *options)
        if export.failed:
            return export
        expected = [NEVER_BUILT, *_without_comments(export.output)]
        if _without_comments((ROOT / name).read_text()) != expected:
            stale.append(name)
    hint = f"the commands stand in the head of each file; below it comes {NEVER_BUILT}"
    return Outcome(bool(stale), output=f"stale: {', '.join(stale)} ({hint})" if stale else "")


def _without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def translations() -> Outcome:
    """Compiled catalogues equal their sources, which are complete and know every string."""
    sources = [*ROOT.glob("locale/*/LC_MESSAGES/*.po"), SCORING]
    if shutil.which("msgfmt") is None or shutil.which("xgettext") is None:
        return Outcome(IN_CI, "not checked: apt install gettext")
    problems = [problem for source in sources for problem in _catalogue_problems(source)]
    return Outcome(bool(problems), output="\n".join(problems))


def _catalogue_problems(source: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "fresh.mo"
        done = subprocess.run(
            ["msgfmt", "--check", "--statistics", "-o", str(fresh), str(source)],
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return [done.stderr]
        problems = []
        if "fuzzy" in done.stderr or "untranslated" in done.stderr:
            problems.append(f"{source}: {done.stderr.strip()}")
        compiled = source.with_suffix(".mo")
        if not compiled.exists() or _entries(compiled) != _entries(fresh):
            problems.append(f"{compiled} is stale: ./run texts")
        return problems


def _entries(compiled: Path) -> dict[object, str]:
    with compiled.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    return {key: text for key, text in catalogue.items() if key}


def new_strings() -> Outcome:
    """`./run texts` finds no string that the committed catalogues do not have."""
    if shutil.which("xgettext") is None:
        return Outcome(IN_CI, "not checked: apt install gettext")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in existing("leaderboard", "templates", "locale", "scoring", ".ci"):
            shutil.copytree(ROOT / name, copy / name, ignore=COPIED_WITHOUT)
        shutil.copy(ROOT / "manage.py", copy)
        done = run(sys.executable, str(copy / ".ci" / "texts.py"))
        if done.failed:
            return done
        different = [
            f"{source.relative_to(ROOT)}: {sign} {text}"
            for source in [*ROOT.glob("locale/*/LC_MESSAGES/django.po"), SCORING]
            for before, after in [map(_identifiers, (source, copy / source.relative_to(ROOT)))]
            for sign, texts in (("new", after - before), ("gone", before - after))
            for text in sorted(texts)
        ]
    return Outcome(bool(different), output="\n".join(different))


def _identifiers(source: Path) -> set[str]:
    """The msgids (with context and plural) of a .po file."""
    found: set[str] = set()
    for block in source.read_text().split("\n\n"):
        parts: list[str] = []
        reading = False
        for line in block.splitlines():
            if line.startswith(("msgctxt", "msgid")):
                reading = True
                parts.append(line.split(" ", 1)[0] + "=")
                line = line.split(" ", 1)[1]
            elif not line.startswith('"'):
                reading = False
            if reading:
                parts.append(ast.literal_eval(line))
        found.add("".join(parts))
    return found - {"", "msgid="}


def audit() -> Outcome:
    """Known holes in what we install. Without the advisory service nothing is known, so said."""
    done = subprocess.run(
        [str(BIN / "pip-audit"), *AUDIT_OPTIONS, "-r", "requirements-prod.txt"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return Outcome(False, "not audited: the advisory service did not answer")
    holes = [
        f"{package['name']} {package['version']}: {hole['id']}"
        for package in packages
        for hole in package.get("vulns", [])
    ]
    return Outcome(bool(holes), f"{len(packages)} packages", "\n".join(holes))


def docs() -> Outcome:
    """The site of docs/ can be built, and no link in it or in the pages beside it leads nowhere."""
    built = run(str(BIN / "mkdocs"), "build", "--strict", "--quiet", "-d", f"{_scratch.name}/site")
    lost = [
        f"{page.name}: {link}"
        for page in sorted(ROOT.glob("*.md"))
        for link in LINK.findall(page.read_text("utf-8"))
        if not (ROOT / link).exists()
    ]
    return Outcome(built.failed or bool(lost), output="\n".join([*lost, built.output]))


IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")
_scratch = tempfile.TemporaryDirectory(prefix="leaderboard-check-")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
    "ENV_FILE": os.devnull,
    "DATA_DIR": _scratch.name,
    "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    "NO_MKDOCS_2_WARNING": "1",
}
CHECKS: dict[str, Callable[[], Outcome]] = {
    "formatting": tool("ruff", "format", "--check", "--quiet", *existing(*CODE)),
    "lint": tool("ruff", "check", "--quiet", *existing(*CODE)),
    "types": tool("mypy"),
    "import rules": tool("lint-imports"),
    "templates": tool("djlint", "templates", "--lint", "--quiet"),
    "template formatting": tool("djlint", "templates", "--check"),
    "migrations": lambda: manage("makemigrations", "--check", "--dry-run"),
    "deployment": deployment,
    "requirements": requirements,
    "translations": translations,
    "new strings": new_strings,
    "docs": docs,
    "known holes": audit,
}


def main(names: list[str]) -> int:
    """Run the named checks, or all; 1 if any failed."""
    chosen = {name: check for name, check in CHECKS.items() if not names or name in names}

    def timed(check: Callable[[], Outcome]) -> tuple[Outcome, float]:
        began = time.monotonic()
        return check(), time.monotonic() - began

    failed = []
    with ThreadPoolExecutor(2) as pool:
        pending = {name: pool.submit(timed, check) for name, check in chosen.items()}
        for name, future in pending.items():
            outcome, seconds = future.result()
            word = "FAILED" if outcome.failed else "ok"
            print(f"{name:<20} {word:<7} {seconds:5.1f} s  {outcome.remark}".rstrip(), flush=True)
            if outcome.failed:
                failed.append(name)
                lines = outcome.output.strip().splitlines()
                print("\n".join(f"    {line}" for line in lines[:LONGEST_OUTPUT]))
    print(f"{len(chosen) - len(failed)} of {len(chosen)} checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
