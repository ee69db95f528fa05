"""How reliable a leaderboard is: the page behind it, with the checks and the trivial baselines."""

from typing import Any

from django.http import Http404
from django.urls import reverse

from leaderboard.boards.visibility import Board, board_view, boards_for, opening_board
from leaderboard.insight.reliability import Trust, TrustCheck, trust
from leaderboard.insight.trivial_baselines import Lines
from leaderboard.web.contest.board import BoardsPage
from leaderboard.web.page import page


@page("reliability", "reliability")
class Reliability(BoardsPage):
    """`/c/<slug>/reliability`: of one board as it is now."""

    template = "insight/reliability.html"

    def context(self) -> dict[str, Any]:
        board = self.request.GET.get("board", opening_board(self.viewer))
        view = board_view(self.viewer, board)
        if board not in Board.values or view is None:
            raise Http404
        panel = trust(self.viewer, view)
        tabs = boards_for(self.viewer)
        return {
            "board": board,
            "tabs": tabs,
            "both": all(tab.visible for tab in tabs),
            "trust": panel,
            "trust_lines": self._lines(panel, board) if panel else [],
            "lines": Lines.of(self.viewer, board),
        }

    def _lines(self, panel: Trust, board: str) -> list[tuple[TrustCheck, str]]:
        """Each check with the address of what it is about; what other apps found is beside the
        teams."""
        overview, ranks = (
            reverse(name, args=[self.competition.slug]) for name in ("overview", "leaderboard")
        )
        ranks = f"{ranks}?board={board}"
        ways = {
            "exact": f"{overview}#eval",
            "signature": f"{ranks}#signature",
            "floors": "#lines",
            "lift": f"{ranks}&sort=lift",
            "references": "#lines",
            "rows": f"{overview}#eval",
            "copies": f"{overview}#rules",
            "rehearsal": f"{ranks}#signature",
        }
        return [(check, ways.get(check.key, ranks)) for check in panel.checks]
