"""Optional judge columns beside the ranking.

    items      what every submission is asked: made of dialogues, carried over, reviewed
    asking     one call on its way: claimed, paid for, asked, checked, kept
    signs      what organizers should look at; changes no score
    trust      people's labels, and the judge asked again
    client     the server's side, with sockets, wire and addresses; only the judge's worker loads it

The modules beside them: what a config is (drafting, switching, identity, plan, sample), the rows of
a judging (intake, judge, counting, values, columns, pairs), and what it costs (estimate, spending).
"""
