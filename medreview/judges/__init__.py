"""Judges: who says whether a source supports a statement, and what follows from all their judgements.

``offline`` judges by rules, without a model; ``recorded`` takes judgements that were made elsewhere; ``rollup`` makes
one verdict of many judgements and ``triage`` says which statements to look at first; ``stage`` and ``verdicts`` do
this for a whole study.
"""
