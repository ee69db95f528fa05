"""Text in, numbers out.

No Django, no network, no clock, no settings. Where things are:

    profile      what a contest may choose (tokenizer, aggregation, scale, metrics)
    tokenizers   text -> tokens, each with a signature
    metrics      ROUGE: its definition, to read and to test against, and the same for many rows
    predictions  the one validator of uploaded predictions; `repair` sets right what needs no guess
    references   reading references, hashing them, drawing splits
    oddities     what an organizer should look at in a set of references
    dialogues    reading dialogues, which no score depends on
    findings     what is wrong with a file; `table` reads its records
    pipeline     prepare references once, score files against them
    tags         speaker tags: as they are cut, one token each, or none
    floors       what anybody reaches, and what people reach; `constant` finds the best one text
    lift         what a file loses when its texts stand on other rows
    lights       signs that a file is made for the number, row by row
    ways         files scored in other ways: by each reference alone, by other analyzers
    sides        precision and recall beside the F1 of a file
    copies       which files hold the same answers as others
    signature    the line that says how a number was made
    ranking      rounding as printed, ranks 1, 2, 2, 4
    formula      the rules in words and as MathML
    explain      one row, token by token
    verify       everything again with packages that are not ours
    exported     what the server says a file scored, out of its exports
    statistics   how far numbers can be believed: pairs, bands of ranks, luck
    comparison   files against each other; `side_by_side` prints it
    notebook     the same texts by the PyPI package rouge
    judges       columns by a language model: what is asked, and counting what it answered

`python -m scoring --help` is the same on the command line.
"""
