"""Tables of the judge columns. None can touch a rank; none is read when a file comes in."""

from leaderboard.judging.models.configs import (
    AgreementReport,
    Artefact,
    Build,
    BuiltDialogue,
    Circuit,
    JudgeConfig,
    Section,
)
from leaderboard.judging.models.judgings import (
    Answerer,
    Budget,
    ColumnValue,
    Judging,
    Judgment,
    Repeat,
    Reservation,
    StoredCall,
)

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
