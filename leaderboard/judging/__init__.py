"""Optional judge columns beside the ranking.

    actions    what organizers and teams decide, and a turn of the judge's worker
    asking     one call on its way: claimed, paid for, asked, checked, kept
    client     the server's side, with sockets; only the judge's worker loads it
    fake       a judge that understands nothing, to walk the whole road without a key
    pages      the desk's judge columns, and what other pages show of them

The modules beside them: what a config is (identity, plan) and asks (building), the rows of a
judging (judge, board, pairs), what organizers should look at (signs), how far a judge is to be
trusted (labelling, agreement, repeating).
"""
