"""A closed contest as a bundle that anybody can check: made by the server, verified without it.

sheets   what tables are made of, and the files that stand on a board
tables   what the report says, from files and row values alone
drawings what the page draws of them
report   the same as one page to read and print, from the tables alone
bundle   the files of both editions, and their hashes
verify   a bundle checked: everything recomputed, or what the public edition lets one recompute
"""
