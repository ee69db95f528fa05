"""Organizers' pages of a contest, under `/c/<slug>/desk/`."""
