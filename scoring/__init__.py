"""Text in, numbers out.

No Django, no network, no clock, no settings. Where things are:

    profile       what a contest may choose (tokenizer, aggregation, scale, metrics)
    tokenizers/   text to tokens, each with a signature; speaker tags, Java, a time limit
    metrics/      ROUGE, chrF and length: the definition to read, and the same for many rows
    predictions/  the one validator of uploaded predictions, and repair where nothing is guessed
    references/   reads references, hashes them, draws splits, finds odd rows
    dialogues     reads dialogues, which no score depends on
    findings      what is wrong with a file; `table` reads its records
    pipeline      prepares references once and scores files against them
    signature     the line that says how a number was made
    ranking       rounding as printed, ranks 1, 2, 2, 4
    formula       the rules in words and as one line; `explain` one row, token by token
    statistics/   paired tests, rank ranges, agreement
    verify/       everything again with packages that are not ours
    command_line/ the commands of `python -m scoring`; `cli` collects them
    insight/      how far a leaderboard can be believed
    judges/       columns by a language model: what is asked, and counting what it answered

`python -m scoring --help` is the same on the command line.
"""
