"""Where this app is registered with the rest, which names nothing of it.

Its pages put themselves among the addresses of a contest when they are imported.
"""

from leaderboard.insight.pages import closing, compare, copies, lights  # noqa: F401


def register() -> None:
    """Once a process, when the models are loaded."""
