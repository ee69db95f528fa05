"""The arguments that several commands of the command line share."""

import argparse
from typing import get_args

from scoring import tokenizers
from scoring.findings import Limits
from scoring.profile import PRESETS
from scoring.tokenizers.tags import Tags


def file_arguments(parser: argparse.ArgumentParser, files: str | int | None) -> None:
    """Golds, and how many predictions files: none for 0, one for None."""
    parser.add_argument(
        "gold", metavar="GOLD", help="CSV: fname, summary1 … n; - reads it from standard input"
    )
    if files == 0:
        parser.set_defaults(predictions=[])
    else:
        parser.add_argument(
            "predictions",
            metavar="PREDICTIONS",
            nargs=files,
            help="CSV: fname, summary; - as above",
        )
    parser.add_argument(
        "--gold",
        dest="more_golds",
        action="append",
        default=[],
        metavar="FILE",
        help="a further gold file with one summary column; may be repeated",
    )


def limit_options(parser: argparse.ArgumentParser, *, is_limited: bool) -> None:
    """Whether a file is refused for its size."""
    parser.add_argument(
        "--limits",
        action=argparse.BooleanOptionalAction,
        default=is_limited,
        help="refuse what the server refuses for its size (check: the default)",
    )
    parser.add_argument(
        "--max-cell",
        type=int,
        default=Limits().max_cell,
        metavar="N",
        help="the contest's own limit on one summary, in characters (default %(default)s)",
    )


def profile_options(parser: argparse.ArgumentParser) -> None:
    """The settings of a profile."""
    parser.add_argument(
        "--profile",
        default="max-sum",
        help=f"{', '.join(PRESETS)}, or a JSON file of settings (default max-sum)",
    )
    parser.add_argument("--tokenizer", choices=tokenizers.NAMES, help="instead of the profile's")
    tags_option(parser)


def tags_option(parser: argparse.ArgumentParser, default: Tags | None = None) -> None:
    """What becomes of speaker tags."""
    said = "speaker tags: as the tokenizer cuts them, one token each, or none"
    parser.add_argument("--tags", choices=get_args(Tags), default=default, help=said)
