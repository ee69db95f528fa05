"""`python -m scoring verify-bundle FILE`: a closing report checked without the server."""

import argparse
from io import BytesIO

from scoring.commands import FINE, OURS, answer, read_input
from scoring.findings import escaped
from scoring.insight.closing.verify import verify_bundle
from scoring.messages import _, say

NAME = "verify-bundle"
SUMMARY = "check the bundle of a closed contest: recompute all that it holds"
_SHOWN = 5  # differences of one check that are printed
_WIDE = 200  # characters of one: cells of a bundle may hold anything


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("bundle", metavar="FILE", help="bundle.zip; - reads it from standard input")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(asked: argparse.Namespace) -> int:
    """Say what was compared and what differs; 1 if anything does. Raises NoBundle."""
    found = verify_bundle(BytesIO(read_input(asked.bundle)))
    lines = []
    for check in found.checks:
        mark = "≠" if check.different else "="
        lines.append(f"{mark} {check.name:<16}{check.compared:>10,}")
        lines += [f"    {escaped(place, _WIDE)}" for place in check.different[:_SHOWN]]
    lines.append(say(asked.language, _("Not checked:")))
    lines += [f"  – {say(asked.language, one)}" for one in found.unchecked]
    described = {
        "edition": found.edition,
        "failed": list(found.failed),
        "checks": [
            {"name": one.name, "compared": one.compared, "different": list(one.different)}
            for one in found.checks
        ],
        "unchecked": [say(asked.language, one) for one in found.unchecked],
    }
    answer(asked, described, "\n".join(lines))
    return OURS if found.failed else FINE
