"""What stands in a row of a board."""

from leaderboard.boards.columns import Cell
from leaderboard.boards.queries import LeaderboardEntry


def cell(entry: LeaderboardEntry, key: str) -> Cell:
    """Of the column with this key."""
    return next(cell for cell in entry.cells if cell.column.key == key)


def text(entry: LeaderboardEntry, key: str = "total") -> str:
    """As the page prints it."""
    column, value = cell(entry, key)
    return column.text(value)
