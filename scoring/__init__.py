"""The workshop: text in, numbers out.

No Django, no network, no clock, no settings. Where things are:

    profile      what a contest may choose (tokenizer, aggregation, scale, metrics)
    tokenizers   text -> tokens, each with a signature
    rouge        ROUGE in plain Python, to read and to test against
    kernel       the same numbers for many rows at once
    predictions  the one validator of uploaded predictions
    references   reading golds, hashing them, drawing splits
    oddities     what an organizer should look at in a set of golds
    dialogues    reading dialogues, which no score depends on
    pipeline     prepare golds once, score files against them
    selfcheck    every gold as a prediction, for organizers
    signature    the line that says how a number was made
    ranking      rounding as printed, ranks 1, 2, 2, 4
    formula      the rules in words, as MathML and as a worked example
    explain      one row, token by token
    verify       everything again with packages that are not ours
    exported     what the server says a file scored, out of its exports
    comparison   the difference of two files, with its interval
    notebook     the same texts by the PyPI package rouge
    judges       columns by a language model: what is asked, and counting what it answered

`python -m scoring --help` is the same workshop on the command line.
"""
