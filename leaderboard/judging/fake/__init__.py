"""A fake judge: a real local server that speaks chat/completions and understands nothing.

    python manage.py fake_judge --port 8199

It compares words and counts them. Its answers have the right form and are the same at every call,
so that the whole road of a judge column can be walked without a key; they say nothing about
whether a summary is good. Where things are:

    words       clauses, word stems, the line of a text that shares most with another
    answers     what each call gets: our own, and those of the published systems
    faults      everything that can go wrong on the way, by name
    server      what a request asks for, the socket, the log of what was asked, and the switchboard
"""
