"""A contest as a file: `contest.yaml` with its data, in a folder or a ZIP."""
