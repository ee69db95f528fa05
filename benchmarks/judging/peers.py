"""`scoring.judges.deepeval` against the package itself, case by case, as a Markdown table.

    python -m venv /tmp/peer && /tmp/peer/bin/pip install deepeval
    python -m benchmarks.judging.peers --python /tmp/peer/bin/python

`--python` may be repeated for several versions. Both sides get the same scripted answers of a
judge; no model and no network is used. Ends with 1 if any number differs.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scoring.judges import deepeval
from scoring.judges.parsing import Refusal

DRIVER = Path(__file__).resolve().parent / "deepeval_scripted.py"
SEED, RANDOM = 20_250, 80
LABELS = {"Y": "yes", "N": "no", "I": "idk"}
WILD = [
    *("yes", "yes", "no", "idk", "borderline", "unsure", "Yes", " yes ", "Yes.", "NO", "true"),
    *("No, it is off", "yesterday", "", "yes/no"),
    *(True, False, None, 1),
]

Case = dict[str, Any]


def case(
    name: str,
    alignment: str | list[Any],
    source: str | list[str],
    summary: str | list[str],
    **changed: Any,
) -> Case:
    """Answers as letters (Y, N, I) or as they are; one claim a verdict, one question an answer."""
    labels, sources, answers = (
        [LABELS[letter] for letter in given] if isinstance(given, str) else given
        for given in (alignment, source, summary)
    )
    return {
        "name": name,
        "alignment": labels,
        "source_answers": sources,
        "summary_answers": answers,
        "claims": len(labels),
        "questions": len(sources),
        "threshold": 0.5,
        "strict_mode": False,
        "async_mode": False,
        **changed,
    }


NAMED = [
    case("1 worked example", "YN", "YYYY", "YYYN"),
    case("1 the same, async", "YN", "YYYY", "YYYN", async_mode=True),
    case("5 one yes of eight, unrounded", "YNNNNNNN", "Y", "Y"),
    case("6 no claims", "", "YYYY", "YYYN"),
    case("7 no questions", "Y", "", ""),
    case("11 source says no once", "YN", "YNYY", "YYNN"),
    case("12 source says no always", "Y", "NNNN", "YYYY"),
    case("13 two claims, one verdict", "Y", "YYYY", "YYYN", claims=2),
    case("13 one claim, two verdicts", "YN", "YYYY", "YYYN", claims=1),
    case("14 both lists short", "YN", "YY", "YY", questions=4),
    case("14 unequal lists", "Y", "YYYY", "YY"),
    case("14 both lists long", "Y", "YYYYY", "YYYYY", questions=4),
    case("15 strict, case 1", "YN", "YYYY", "YYYN", strict_mode=True),
    case("15 strict, all yes", "YY", "YY", "YY", strict_mode=True),
    case("15 strict, one part 1", "YY", "YY", "YN", strict_mode=True),
    case("15 score at the threshold", "YN", "YY", "YY", threshold=0.5),
    case("15 score below the threshold", "YN", "YY", "YY", threshold=0.51),
    case("15 no threshold", "YN", "YY", "YY", threshold=None),
    case("15 no threshold, strict", "YN", "YY", "YY", threshold=None, strict_mode=True),
    case("16 label unsure", ["unsure", "yes"], "Y", "Y"),
    case("16 label borderline", ["borderline", "yes"], "Y", "Y"),
    case("16 label Yes", ["Yes", "no"], "Y", "Y"),
    case("16 label with a full stop", ["Yes.", "no"], "Y", "Y"),
    case("16 label and a sentence", ["No, it is off", "yes"], "Y", "Y"),
    case("16 label true", [True, "yes"], "Y", "Y"),
    case("16 no label known", ["maybe", None], "Y", "Y"),
    case("idk counts against", "YI", "YY", "YY"),
    case("answers in other spellings", "Y", ["yes", " YES ", "Yes."], ["yes", "yes", "yes"]),
    case("answers of the summary in others", "Y", ["yes"] * 4, ["Yes.", " YES", "idk", "no"]),
]


def drawn() -> list[Case]:
    """Seeded cases: half with clean labels and matching lists, half with anything."""
    draw = random.Random(SEED)
    cases = []
    for number in range(RANDOM):
        wild = number % 2 == 1
        size = draw.randrange(7)
        other = size + draw.choice([-1, 0, 0, 0, 1]) if wild and size else size
        labels = WILD if wild else list(LABELS.values())
        answers = ["yes", "no", "idk", " Yes", "yes.", "NO"] if wild else ["yes", "no"]
        cases.append(
            case(
                f"drawn {number}",
                [draw.choice(labels) for _ in range(draw.randrange(9))],
                [draw.choice(answers) for _ in range(size)],
                [draw.choice(answers) for _ in range(other)],
                claims=draw.randrange(1, 9),
                questions=max(0, size + (draw.choice([-1, 0, 0, 2]) if wild else 0)),
                threshold=draw.choice([0.5, 0.25, 1.0, None] if wild else [0.5]),
                strict_mode=draw.random() < 0.25,
                async_mode=draw.random() < 0.25,
            )
        )
    return cases


def ours(given: Case, version: deepeval.Version) -> dict[str, Any]:
    """The same outcome from `scoring.judges.deepeval`."""
    try:
        result = deepeval.summarization(
            given["alignment"] if given["claims"] else [],
            given["source_answers"],
            given["summary_answers"],
            questions=given["questions"],
            threshold=given["threshold"],
            strict_mode=given["strict_mode"],
            version=version,
        )
    except Refusal as refused:
        return {"error": [kind.__name__ for kind in type(refused).__mro__]}
    return {
        "score": result.score,
        "alignment": result.alignment,
        "coverage": result.coverage,
        "success": result.success,
    }


def equal(given: Case, mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Bit-equal numbers and the same success, or failures of the same built-in kind."""
    if "error" in mine and "error" in theirs:
        kinds = {"ValueError", "IndexError", "TypeError"}
        alike = bool(kinds & set(mine["error"]) & set(theirs["error"]))
        return alike or bool(given["async_mode"])  # side by side, either error may be first
    keys = ("score", "alignment", "coverage", "success")
    return all(mine.get(key, "none") == theirs.get(key, "") for key in keys)


def shown(outcome: dict[str, Any]) -> str:
    """One cell: score = min(alignment, coverage), or the error."""
    if "error" in outcome:
        return str(outcome["error"][0])
    parts = [f"{outcome[key]:.4g}" for key in ("score", "alignment", "coverage")]
    said = {True: "passes", False: "fails", None: "no verdict"}[outcome["success"]]
    return "{} = min({}, {}), {}".format(*parts, said)


def theirs(interpreter: str, cases: list[Case]) -> dict[str, Any]:
    """Outcomes of the installed package; it may write into a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [interpreter, str(DRIVER)],
            input=json.dumps(cases),
            capture_output=True,
            text=True,
            cwd=folder,
            env={"HOME": folder, "PATH": "/usr/bin:/bin", "DEEPEVAL_TELEMETRY_OPT_OUT": "YES"},
            check=False,
        )
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def compare(interpreter: str, cases: list[Case]) -> int:
    """Print one version's tables; the number of cases that differ."""
    answer = theirs(interpreter, cases)
    installed = answer["version"]
    is_old = tuple(map(int, installed.split(".")[:2])) < (4, 2)
    version: deepeval.Version = "3.7" if is_old else "4.3"
    pairs = [
        (given, ours(given, version), outcome)
        for given, outcome in zip(cases, answer["outcomes"], strict=True)
    ]
    different = [pair for pair in pairs if not equal(*pair)]
    failing = sum("error" in outcome for _, _, outcome in pairs)
    print(f"### deepeval {installed}, compared as version {version}\n")
    print(f"{len(pairs)} cases: {len(pairs) - len(different)} equal, {len(different)} different.")
    print(f"{len(pairs) - failing} end in a score, {failing} in an error.\n")
    print("| case | deepeval | ours | equal |\n| --- | --- | --- | --- |")
    named = pairs[: len(NAMED)]
    for given, mine, outcome in [*named, *(pair for pair in different if pair not in named)]:
        verdict = "yes" if equal(given, mine, outcome) else "**no**"
        print(f"| {given['name']} | {shown(outcome)} | {shown(mine)} | {verdict} |")
    print()
    return len(different)


NOTES = """\
Both sides got the same scripted answers; the package ran without a network. Numbers are compared
bit for bit, `success` too. A failure has to be of the same built-in kind; in async mode, where both
a label and the number of answers are wrong, which of the two errors comes first is not fixed. Ours
are named after their cause.

Where the versions differ, ours does what the version named does:

- Labels of alignment. 3.7 takes exactly yes, no and idk; any other label fails the whole metric.
  4.3 goes by the first word in lower case, so `Yes`, `Yes.` and `No, it is off` count, takes
  `borderline` beside `idk`, and drops what it does not know: the denominator shrinks, which is why
  one `unsure` and one `yes` make 1.
- `threshold=None`. 3.7 ends in a TypeError, 4.3 gives a score without a verdict; so does 4.1.10,
  which is 3.7 in all else.

Not compared, because no number comes of it: an empty summary (4.3 refuses it before any call) and
an answer that is no JSON. The documentation's sentence on coverage divides by all questions, the
code of both versions by those the source answers yes; ours does the latter unless `coverage_over`
is `all`.
"""


def main() -> int:
    """Compare with every interpreter given; 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging.peers")
    parser.add_argument("--python", action="append", required=True, metavar="INTERPRETER")
    asked = parser.parse_args()
    cases = [*NAMED, *drawn()]
    different = sum(compare(interpreter, cases) for interpreter in asked.python)
    print(NOTES, end="")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
