"""The append-only log of decisions: who, what, when, before, after, why."""
