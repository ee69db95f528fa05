"""A fake judge: a real local server that speaks chat/completions and understands nothing.

It compares words and counts them. Its answers have the right form and are the same at every call,
so that the whole road of a judge column can be walked without a key; they say nothing about
whether a summary is good.
"""
