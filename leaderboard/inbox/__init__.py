"""What somebody should be told; one row per person and event."""
