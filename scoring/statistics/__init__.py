"""How far numbers can be believed: pure functions of values per row, with a seed.

pairs     two files row by row, and how far one mean can be trusted
bands     which orders of many files would hold over other rows
agreement how far two raters, or two orders, agree, with intervals
luck      how far a team's best file is flattered by choosing it
method    what they share: draws, the error rate, seed and signature
"""
