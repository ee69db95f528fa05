"""Judge columns, the pure part: what a model answered in, numbers out. No call is made here.

A model never gives a score. It answers with booleans and labels for ids that were asked, and the
counting is done here. Where things are:

    records      the questions and rubrics asked, the answers as they come, the results
    parsing      one strict JSON value out of a reply; labels; booleans written as strings
    native       the house's own rules: joined by id, evidence checked, nothing shrinks
    evidence     whether a quotation stands in a text; blank and overlong summaries
    mastra       SummarizationMetric of Mastra: its page, its code's quirk, its 2026 rebuild
    deepeval     SummarizationMetric of DeepEval
    google       accuracy, adherence and completeness of Google's summarization autoeval
    rounding     JavaScript's rounding to two decimals
    rows         row scores to a column: mean, n/N, interval
    reading      plain JSON to records, with the place of what is wrong
    reasons      a sentence about a result, from its numbers
    systems      every system by its name, records.json in, the printed object out
    prompts      the texts sent to a model, versioned and hashed
    schemas      the form of each answer
    pipelines    which calls are made, in which order, and what goes into each
    walking      from one call to the next; `harvest` makes records of the answers

Text marked [own] in a docstring is a decision of this house where the source says nothing.
"""
