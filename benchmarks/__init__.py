"""Scripts that print ratios against peers. Never part of the tests."""
