"""The desk's lights: which files on the board look made for the number. Nothing follows from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.insight.board_columns import MARKS
from leaderboard.insight.flags import GAP, LIFT, LitFile, ShownLight, lights_report
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry

NAMES: dict[str, Promise] = {
    LIFT: pgettext_lazy("light", "Own dialogues"),
    "copying": pgettext_lazy("light", "Copied"),
    "repetition": pgettext_lazy("light", "Repeated"),
    "constant": pgettext_lazy("light", "One text"),
    "speaker": pgettext_lazy("light", "Speakers"),
    "orders": pgettext_lazy("light", "Orders"),
    "length": pgettext_lazy("light", "Length"),
    GAP: pgettext_lazy("light", "Fall"),
}

WHY: dict[str, Promise] = {
    LIFT: _(
        "The texts would earn nearly as much on other dialogues. "
        "An honest but weak file's may, too."
    ),
    "copying": _(
        "More of the text stands in the dialogue, word for word, than in nearly all golds. "
        "An honest summary made of the dialogue's own sentences does that in every row."
    ),
    "repetition": _("The text says the same more often than nearly all golds do."),
    "constant": _("Other rows have exactly this text, too."),
    "speaker": _("A speaker stands with a colon, as in the dialogue."),
    "orders": _("The text asks for a mark, gives orders, or says nothing but a key word."),
    "length": _("Texts are shorter or longer against the golds than golds are against each other."),
    GAP: _("The public total lies further above the private one than in most teams."),
}


@dataclass(frozen=True)
class LightReason:
    """A light in words."""

    light: ShownLight

    @property
    def name(self) -> str:
        return str(NAMES[self.light.name])

    @property
    def why(self) -> str:
        return str(WHY[self.light.name])

    @property
    def mark(self) -> str:
        return MARKS[self.light.light].strip()


def reasons(lights: Iterable[ShownLight]) -> list[LightReason]:
    """The same lights, to be read."""
    return [LightReason(one) for one in lights]


@dataclass(frozen=True)
class LitLine:
    """One file with its lights in words."""

    file: LitFile

    @property
    def reasons(self) -> list[LightReason]:
        return reasons(self.file.lights.lit)


@page("desk/lights", "desk_lights", Entry(SCORING, pgettext_lazy("desk", "Lights"), 48))
class LightsPage(DeskPage):
    """`/c/<slug>/desk/lights`: files that stand on a board, the most lit first."""

    template = "insight/lights.html"

    def context(self) -> dict[str, Any]:
        version = self.viewer.version
        report = None if version is None else lights_report(version, self.at)
        return {
            "report": report,
            "lines": [LitLine(one) for one in report.files] if report else [],
            "explained": [(str(NAMES[name]), str(WHY[name])) for name in NAMES],
        }
