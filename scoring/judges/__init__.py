"""Judge columns, the pure part: what a model answered in, numbers out. No call is made here.

A model never gives a score. It answers with booleans and labels for ids that were asked, and the
counting is done here: `systems` knows every system by its name, `native` holds our own rules.
Text marked [own] in a docstring is a decision of ours where the source says nothing.
"""
