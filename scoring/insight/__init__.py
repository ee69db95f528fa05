"""How far scores and ranks can be believed: baselines, flags, slices, near-duplicates, reports."""
