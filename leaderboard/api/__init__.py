"""The entry point for programs: JSON under `/api/v1/`. It decides nothing; it asks `queries` and
calls `actions`, as the pages do."""
