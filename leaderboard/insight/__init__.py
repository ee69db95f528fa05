"""How far a leaderboard can be believed: an add-on, which nothing below imports."""
