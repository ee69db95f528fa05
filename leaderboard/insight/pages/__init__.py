"""Pages of organizers and participants about how far a leaderboard can be believed."""
