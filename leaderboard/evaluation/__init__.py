"""Evaluation and its scores: claim, run the workshop, save, retry."""
