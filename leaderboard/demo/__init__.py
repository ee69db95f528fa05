"""The two contests a fresh installation shows: dialogues, golds, pages and planned uploads.

The texts were written for this project. The systems and teams are imaginary; their scores are
not, because every planned submission goes through the real scorer.
"""
