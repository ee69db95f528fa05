"""A contest as a file: `contest.yaml` with its data, in a ZIP."""
