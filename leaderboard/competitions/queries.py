"""Reads of competitions that need no higher room."""

from leaderboard.competitions.models import Competition, DataFile
from leaderboard.competitions.schedule import Phase, phase

__all__ = ["Phase", "data_files", "phase"]


def data_files(competition: Competition) -> list[DataFile]:
    """The files for participants, in the organizer's order."""
    return list(competition.data_files.all())
