"""What the panel of a board says: a sentence a check and state, and why the check says something.

Words that everybody knows, at most twenty in a sentence; a test walks all of them. Apps above
add what theirs say.
"""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.boards.checks import DOUBT, NOT_RUN, PASSED

STATES: dict[str, Promise] = {
    PASSED: pgettext_lazy("check", "passed"),
    DOUBT: pgettext_lazy("check", "in doubt"),
    NOT_RUN: pgettext_lazy("check", "not run"),
}

# In place of all checks but of the scoring itself: of private rows before the reveal, of a past
# board, and of what organizers alone see while the board stands still for everybody else.
SEALED = _("The other checks of these dialogues are made at the reveal.")
PAST = _("The other checks are made of today's board alone, so a past one has none.")
UNFROZEN = _("The other checks are made of the rows that everybody sees, which stand still.")

# By check, in the order of the page, and by state.
SAYS: dict[str, dict[str, Promise]] = {
    "exact": {
        PASSED: _("References that are handed in as a file earn the full mark, or nearly so."),
        DOUBT: _("References that are handed in as a file do not earn the full mark."),
        NOT_RUN: _("Whether references earn the full mark was not looked at."),
    },
    "signature": {
        PASSED: _("All totals here were made in the same way."),
        DOUBT: _("Not all totals here were made in the same way."),
        NOT_RUN: _("Whether all totals were made in the same way was not looked at yet."),
    },
    "noise": {
        PASSED: _("The first team is ahead of all others by more than chance."),
        DOUBT: _("{leaders} teams may be the best one: the bar at the left marks them."),
        NOT_RUN: _("How much of the order is chance is not known of this board."),
    },
    "floors": {
        PASSED: _("Every team earns more than a text that reads no dialogue."),
        DOUBT: _("Some teams earn no more than a text that reads no dialogue: {below} of {teams}."),
        NOT_RUN: _("What a text earns that reads no dialogue is not known of this board."),
    },
    "lift": {
        PASSED: _("The first team's texts fit their own dialogues."),
        DOUBT: _("The first team's texts would earn nearly as much on other dialogues."),
        NOT_RUN: _("Whether the first team's texts fit their own dialogues is not known yet."),
    },
    "references": {
        PASSED: _("People earn clearly more than a text that reads no dialogue."),
        DOUBT: _("People's references differ so much that such a text earns about as much."),
        NOT_RUN: _("How far people agree was not looked at yet."),
    },
    "rows": {
        PASSED: _("This board is made of enough dialogues: {rows}."),
        DOUBT: _("This board is made of few dialogues, so small differences say little: {rows}."),
        NOT_RUN: _("How many dialogues this board is made of was not counted yet."),
    },
    "copies": {
        PASSED: _("No two of the first teams share so many answers that it stands out."),
        DOUBT: _("Some of the first teams share many answers; organizers decide what that means."),
        NOT_RUN: _("Whether the first teams share answers was not looked at yet."),
    },
    "rehearsal": {
        PASSED: _("When the scoring changed last, the first team stayed the first."),
        DOUBT: _("When the scoring changed last, another team became the first."),
        NOT_RUN: _("The scoring has never been changed, so no change was tried."),
    },
}

# In place of a sentence above: where a change is not kept for a board, where references are few.
UNTOLD = _("What the last change of scoring did to this board is not known.")
TOO_FEW = _("How far people agree is not known: every dialogue has one reference.")

NAMES: dict[str, Promise] = {
    "exact": _("Exact scoring"),
    "signature": _("One way of scoring"),
    "noise": _("Chance"),
    "floors": _("Texts that read nothing"),
    "lift": _("The first team's texts"),
    "references": _("People among themselves"),
    "rows": _("Number of dialogues"),
    "copies": _("Shared answers"),
    "rehearsal": _("The last change of scoring"),
}

WHY: dict[str, tuple[Promise, ...]] = {
    "exact": (
        _("A reference is the best answer there is, so it must earn everything."),
        _("One of a single word cannot, so nearly everything is enough."),
        _("Whoever has the files gets the same numbers on their own machine."),
        _("Where the mean over references counts, none can, and this is not run."),
    ),
    "signature": (
        _("Each number is kept with a line of text that says how it was made."),
        _("Only numbers with the same line can be compared."),
    ),
    "noise": (
        _("The rows were drawn anew 10,000 times, the same ones for all teams."),
        _("In 95 of 100 such boards no gap changes by more than this figure."),
        _("It is fewer where two files differ in fewer than six rows."),
        _("The rank range says between which ranks a team may truly stand."),
        _("The rank itself is decided by the total alone."),
        _("Below 20 rows or with one team nothing is said."),
    ),
    "floors": (
        _("One sentence for every dialogue earns points, too."),
        _("The figure is the best total that such a text reaches."),
    ),
    "lift": (
        _("The texts were put on other dialogues, five times over."),
        _("The figure is the share of the total that is lost by that."),
        _("Below 20 % the texts say little of their own dialogues."),
        _("An honest but weak file may be there, too."),
    ),
    "references": (
        _("Each reference was scored as a file against the others."),
        _("The figure is what people earn that way."),
        _("It is clearly more where chance alone would seldom make such a difference."),
    ),
    "rows": (
        _("Other dialogues would have given other totals."),
        _("The more dialogues there are, the less chance decides."),
        _("From 100 on this counts as enough."),
    ),
    "copies": (
        _("The first 20 teams are compared, text by text."),
        _("What a baseline says, too, and what many say, is left out."),
        _("Nothing follows from it by itself."),
    ),
    "rehearsal": (
        _("A change of scoring is first tried on all files, before any board shows it."),
        _("The figure says how many teams got another rank by it."),
    ),
}
