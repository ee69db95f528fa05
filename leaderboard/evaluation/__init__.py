"""Evaluation and its scores: claim, run the scorer, save, retry."""
