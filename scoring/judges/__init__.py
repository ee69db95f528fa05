"""Judge columns, the pure part: what a model answered in, numbers out. No call is made here.

A model never gives a score. It answers with booleans and labels for ids that were asked, and the
counting is done here. Where things are:

    records      the questions and rubrics asked, what came back, the results
    parsing      one strict JSON value out of a reply; labels; booleans written as strings
    schemas      the form of each answer; reading by it, strictly or from a file
    joining      answers meet what was asked, by id
    native       our own rules: joined by id, evidence checked, nothing shrinks
    evidence     whether a quotation stands in a text; blank and overlong summaries
    mastra       SummarizationMetric of Mastra: its page, its code's quirk, its 2026 rebuild
    deepeval     SummarizationMetric of DeepEval
    google       accuracy, adherence and completeness of Google's summarization autoeval
    rows         metrics to a row, rows to a column: mean, n/N, interval
    systems      every system by its name, records.json in, the printed object out, its reason
    prompts      the texts sent to a model, versioned and hashed
    pipelines    which calls are made, in which order, and what goes into each
    walking      from one call to the next; `derived` makes records of the answers

Text marked [own] in a docstring is a decision of ours where the source says nothing.
"""
