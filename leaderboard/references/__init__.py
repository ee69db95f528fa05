"""Reference sets, their examples, and the scoring versions made of them."""
