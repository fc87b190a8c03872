"""Judges: who says whether a source supports a statement, and what follows from all their judgements.

``offline`` judges by rules, without a model, and ``offline_stage`` does so for a study; ``import_judgements`` takes
judgements that were made elsewhere; ``rollup`` makes one verdict of many judgements, by the tie rule that ``ties``
keeps; ``triage`` says which statements to look at first; ``verdicts`` stores both for a whole study.

Models: ``tasks`` says what they are asked and what becomes of their answers, ``llm_stage`` puts a task to several of
them, ``prompts`` holds the words. Sources are hostile: ``prompt_fencing`` keeps them apart from the task, ``injection``
finds pages that speak to judges, ``quote_grounding`` believes support only where the passage is that shows it;
``context_windows`` splits what is too long. ``batch_out`` and ``batch_in`` are for an engine that works through files
elsewhere.
"""
