"""Judges: who says whether a source supports a statement, and what follows from all their judgements.

``offline`` judges by rules, without a model; ``recorded`` takes judgements that were made elsewhere; ``rollup`` makes
one verdict of many judgements, by the tie rule that ``ties`` keeps, and ``triage`` says which statements to look at
first; ``stage`` and ``verdicts`` do this for a whole study.

Models: ``tasks`` says what they are asked and what becomes of their answers, ``llm_stage`` puts a task to several of
them, ``prompts`` holds the words. Sources are hostile: ``fence`` keeps them apart from the task, ``injection`` finds
pages that speak to judges, ``quoting`` believes support only where the passage is that shows it; ``chunks`` splits
what is too long. ``batch_out`` and ``batch_in`` are for an engine that works through files elsewhere.
"""
