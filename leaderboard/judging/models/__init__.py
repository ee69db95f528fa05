"""Tables of the judge columns. None can touch a rank; none is read when a file comes in."""

from leaderboard.judging.models.artefacts import Artefact, Build, BuiltDialogue, Section
from leaderboard.judging.models.calls import Budget, Reservation, StoredCall
from leaderboard.judging.models.configs import AgreementReport, Circuit, JudgeConfig
from leaderboard.judging.models.judgings import Answerer, ColumnValue, Judging, Judgment
from leaderboard.judging.models.repeats import Repeat

__all__ = [
    "AgreementReport",
    "Answerer",
    "Artefact",
    "Budget",
    "Build",
    "BuiltDialogue",
    "Circuit",
    "ColumnValue",
    "JudgeConfig",
    "Judging",
    "Judgment",
    "Repeat",
    "Reservation",
    "Section",
    "StoredCall",
]
