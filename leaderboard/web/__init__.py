"""The entry point for people: pages. It decides nothing; it asks `queries` and calls `actions`."""
