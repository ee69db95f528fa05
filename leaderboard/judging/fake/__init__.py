"""A fake judge: a local server that speaks chat/completions and only compares words.

The same question gets the same answer, which says nothing about a summary.
"""
