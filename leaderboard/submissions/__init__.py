"""Submission, its file, and the quota ledger."""
