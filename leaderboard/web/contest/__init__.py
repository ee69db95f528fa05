"""Pages of a contest for who takes part or looks on, under `/c/<slug>/`."""
