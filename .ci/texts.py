"""`./run texts`: both Korean catalogues collect the English texts again and are compiled.

A new text stands in them with an empty `msgstr`, which `./run check` reports until it is filled.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "locale" / "ko" / "LC_MESSAGES" / "django.po"
SCORING = ROOT / "scoring" / "locale" / "ko" / "LC_MESSAGES" / "scoring.po"
STYLE = ["--no-wrap", "--add-location=file"]
DATED = ('"POT-Creation-Date:', '"Report-Msgid-Bugs-To:')  # would differ every time
# What Django's command would read besides; the scoring package marks its texts by `_`.
NOT_PAGES = ["scoring/*", "tests/*", "benchmarks/*", "docs/*", "var/*"]


def run(*command: str | Path) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


def main() -> None:
    """Write what differs, in place."""
    ignored = [option for pattern in NOT_PAGES for option in ("--ignore", pattern)]
    collect = [sys.executable, "manage.py", "makemessages", "--locale=ko", "--no-obsolete"]
    run(*collect, *STYLE, *ignored)
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "scoring.pot"
        files = sorted(file.relative_to(ROOT) for file in (ROOT / "scoring").rglob("*.py"))
        marks = ["-L", "Python", "--from-code=UTF-8", "--keyword", "--keyword=_"]
        run("xgettext", *marks, *STYLE, "-o", fresh, *files)
        run("msgmerge", "--quiet", "--update", "--backup=none", "--no-wrap", SCORING, fresh)
    run("msgattrib", "--no-obsolete", "--no-wrap", "-o", SCORING, SCORING)
    for source in (PAGES, SCORING):
        lines = source.read_text("utf-8").splitlines(keepends=True)
        source.write_text("".join(line for line in lines if not line.startswith(DATED)), "utf-8")
        run("msgfmt", "-o", source.with_suffix(".mo"), source)


if __name__ == "__main__":
    main()
